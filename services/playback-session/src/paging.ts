import { fail } from '@watchline/kit/errors'
import { readCursor, writeCursor } from './rules/cursor.ts'
import type { Page, PageRequest } from './store/page.ts'

/** The page that was asked for; refuses a cursor that no list gave out. */
export function pageRequest(query: { limit: number; cursor?: string | undefined }): PageRequest {
  if (query.cursor === undefined) return { limit: query.limit }
  return { limit: query.limit, after: readCursor(query.cursor) ?? wrongCursor() }
}

export function pageHeaders({ total, next }: Pick<Page<unknown>, 'total' | 'next'>): Record<string, string> {
  return { 'X-Total-Count': String(total), ...(next && { 'X-Next-Cursor': writeCursor(next) }) }
}

export function wrongCursor(): never {
  const message = 'is not the cursor of a page'
  fail('invalid', { detail: `cursor ${message}`, errors: [{ path: 'cursor', message }] })
}
