import { z } from 'zod'
import { limits } from './limits.ts'

/** An opaque id, as this system makes them. Anything longer or stranger is nobody's id. */
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

/** A time on the wire: ISO 8601, UTC. */
export const time = z.iso.datetime()

/** Seconds, fractions allowed, never negative and never infinite. */
export const seconds = z.number().min(0).max(1e9)

/** The id of a video at its provider, or of the organisation's own file. */
export const videoId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:~-]+$/, 'is not a video id')

/** Text a person typed, trimmed, on a line or several, without control characters that could hide something. */
export function text(max: number, min = 0) {
  return z
    .string()
    .transform(value => value.trim())
    .pipe(
      z
        .string()
        .min(min, min === 1 ? 'is required' : `must have at least ${min} characters`)
        .max(max, `must have at most ${max} characters`)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
        .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'has characters that cannot be shown'),
    )
}

/** The parameter of a path with `{id}`. */
export const byId = z.object({ id })

/** Paging of lists that can grow: a page's size and the `X-Next-Cursor` of the page before. */
export const page = z.object({
  limit: z.coerce.number().int().min(1).max(limits.pageMax).default(limits.pageDefault),
  cursor: z.string().min(1).max(500).optional(),
})

export const success = z.object({ success: z.literal(true) })
