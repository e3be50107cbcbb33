import { z } from 'zod'
import { failField } from '../core/errors.ts'

/** Encodes the end of a page as a cursor, which is opaque to callers. */
export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Decodes a cursor. Throws 422 `invalid` if it does not fit the schema. */
export function readCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (cursor === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    failField('cursor', 'is not the cursor of a page')
  }
}

/** The end of a page of a list by time: time (ms) and id of its last item. */
export const timeCursor = z.object({
  at: z.number().int().min(0).max(8.64e15),
  id: z.string().regex(/^[\w:-]{1,150}$/),
})
export type TimeCursor = z.infer<typeof timeCursor>

/**
 * The page of a list that was read up to one item beyond `limit`. That item only shows that another
 * page follows; `next` is the cursor of it.
 */
export function cutPage<T, C>(
  items: readonly T[],
  limit: number,
  cursorOf: (lastItem: T) => C,
): { items: T[]; next?: C } {
  const page = items.slice(0, limit)
  const last = page.at(-1)
  return { items: page, ...(items.length > limit && last !== undefined && { next: cursorOf(last) }) }
}

/** The headers `X-Total-Count` and `X-Next-Cursor`, as far as they are known. */
export function pageHeaders({ total, next }: { total?: number | undefined; next?: unknown }): Record<string, string> {
  return {
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
    ...(next !== undefined && { 'X-Next-Cursor': writeCursor(next) }),
  }
}
