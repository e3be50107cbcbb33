import { fail } from '@watchline/kit/errors'
import { z } from 'zod'
import type { Position } from './store/newest-first.ts'

const position = z.tuple([z.number().int().min(0).max(8.64e15), z.string().regex(/^[\w-]{1,64}$/)])

/** The place after a page, as callers carry it; opaque to them. */
export function toCursor({ at, id }: Position): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url')
}

export function fromCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  try {
    const [at, id] = position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { at, id }
  } catch {
    fail('invalid', {
      detail: 'cursor is not one of ours',
      errors: [{ path: 'cursor', message: 'is not one of ours' }],
    })
  }
}

/** The headers of a page of a list. */
export function pageHeaders({ total, next }: { total: number; next: Position | undefined }): Record<string, string> {
  return { 'x-total-count': String(total), ...(next && { 'x-next-cursor': toCursor(next) }) }
}
