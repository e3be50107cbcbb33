import { z } from 'zod'
import { failField } from '../core/errors.ts'

/** A cursor: where a page ended, for whoever gave it out; opaque to callers. */
export function writeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The place a cursor stands for; refuses (422) one that no list gave out. */
export function readCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (cursor === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    failField('cursor', 'is not the cursor of a page')
  }
}

/** Where a page of a list by time ended: the time of its last row, in ms, and its id. */
export const timeCursor = z.object({
  at: z.number().int().min(0).max(8.64e15),
  id: z.string().regex(/^[\w:-]{1,150}$/),
})
export type TimeCursor = z.infer<typeof timeCursor>

/** `X-Total-Count` and `X-Next-Cursor`, each where it is known. */
export function pageHeaders({ total, next }: { total?: number | undefined; next?: unknown }): Record<string, string> {
  return {
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
    ...(next !== undefined && { 'X-Next-Cursor': writeCursor(next) }),
  }
}
