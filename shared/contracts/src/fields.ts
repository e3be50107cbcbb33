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

const localTimeProblem = 'is not a date and time, such as 2027-01-31T17:00'

/** A date and time on a clock, to the minute, without a time zone: ISO 8601. */
export const localTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/, { error: localTimeProblem, abort: true })
  .refine(value => {
    const at = Date.parse(`${value}Z`)
    // Date.parse turns 30 February into 2 March.
    return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value)
  }, localTimeProblem)

/** Whether this is the name of an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The name of an IANA time zone, such as `Europe/Berlin`. */
export const timeZone = z.string().max(64).refine(isTimeZone, 'is not an IANA time zone')

/** A local time at a quarter of an hour: every change of a time zone is at one. */
export const quarterHour = z
  .string()
  .regex(/^([01]\d|2[0-3]):(00|15|30|45)$/, 'is not a quarter of an hour, such as 08:15')

/** The owner of a due date's time zone: `person` is the person who has the task. */
export const timeZoneOwner = z.literal('person')

/** A due date with its instant `at`; `local` is the local time in the time zone. */
export const dueDate = z.object({
  at: time,
  local: z.string(),
  time_zone: z.string(),
  /**
   * `person`: the local time counts in the time zone of each person. `time_zone` is that of the
   * person who has the task, and of a group that of the organisation. Absent: one time zone counts
   * for everybody, as in earlier versions.
   */
  time_zone_of: timeZoneOwner.optional(),
})
export type DueDate = z.infer<typeof dueDate>

/**
 * `exempt`: the task is not required. `marked_done`: it counts as completed, but not as watched.
 */
export const overrideKind = z.enum(['exempt', 'marked_done'])
export type OverrideKind = z.infer<typeof overrideKind>

export const overrideAction = z.enum(['exempt', 'mark_done', 'take_back', 'reset'])
export type OverrideAction = z.infer<typeof overrideAction>

/** The reason why a person lost a task without a decision about this person. */
export const taskEndCause = z.enum(['withdrawn_from_group', 'left_group', 'group_deleted', 'role_changed'])
export type TaskEndCause = z.infer<typeof taskEndCause>

/** The overrides that these actions set; the other actions remove one. */
export const overrideKinds = { exempt: 'exempt', mark_done: 'marked_done' } as const satisfies Partial<
  Record<OverrideAction, OverrideKind>
>

/** A superior's decision that closes a task without its videos; `by` is the superior's id. */
export const assignmentOverride = z.object({ kind: overrideKind, by: id, at: time, reason: z.string() })
export type AssignmentOverride = z.infer<typeof assignmentOverride>

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

/** As `text`, of one line that is not empty. */
export const line = (max: number) => text(max, 1).pipe(z.string().regex(/^[^\r\n]*$/, 'must be one line'))

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

/** The token of an invitation of an administrator, from the answer that created it. */
export const invitationToken = z.string().min(1).max(limits.invitationTokenMaxLength)

export const success = z.object({ success: z.literal(true) })
