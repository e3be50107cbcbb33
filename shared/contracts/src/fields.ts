import { z } from 'zod'
import { limits } from './limits.ts'

/** An opaque id in the form in which this system creates ids. */
export const id = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w-]+$/, 'is not an id')

/** The id of a chat room, made of the ids of its two people. */
export const roomId = z
  .string()
  .min(1)
  .max(129)
  .regex(/^[\w-]+$/, 'is not an id')

/** A time: ISO 8601, UTC. */
export const time = z.iso.datetime()

/** Seconds with fractions, finite and not negative. */
export const seconds = z.number().min(0).max(1e9)

/** The id of a video at its provider, or of the organisation's own file. */
export const videoId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:~-]+$/, 'is not a video id')

/**
 * Text that a person typed, trimmed, with `min` to `max` characters and any number of lines.
 * Control characters are refused, because they could hide text.
 */
export function text(max: number, min = 0) {
  return z
    .string()
    .transform(value => value.trim())
    .pipe(
      z
        .string()
        .min(min, min === 1 ? 'is required' : `must have at least ${min} characters`)
        .max(max, `must have at most ${max} characters`)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses control characters
        .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'has characters that cannot be shown'),
    )
}

/** Ids in a query, separated by commas. */
export const idList = z
  .string()
  .min(1)
  .transform(value => value.split(','))
  .pipe(z.array(id).max(limits.idListMax))

/** The parameters of a path with `{id}`. */
export const idParams = z.object({ id })

/** The query of paged lists: the page size, and `X-Next-Cursor` of the previous page. */
export const page = z.object({
  limit: z.coerce.number().int().min(1).max(limits.pageMax).default(limits.pageDefault),
  cursor: z.string().min(1).max(limits.cursorMaxLength).optional(),
})

/** The directions of an order. */
export const direction = z.enum(['asc', 'desc'])

export const success = z.object({ success: z.literal(true) })
