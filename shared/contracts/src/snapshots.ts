import { z } from 'zod'
import { conditions } from './conditions.ts'
import { assignmentOverride, id, seconds, time } from './fields.ts'

// The data of an owning service as others receive it, in events and from internal operations.

export const playlistSnapshot = z.object({
  playlist_id: id,
  title: z.string(),
  created_by: id,
  shared_with: z.array(id).default([]),
  /** Grows by one with every change, so that a consumer can tell which snapshot is newer. */
  revision: z.number().int().min(1).default(1),
  videos: z.array(
    z.object({ id: z.string(), title: z.string(), duration: seconds, unavailable: z.boolean().default(false) }),
  ),
})
export type PlaylistSnapshot = z.infer<typeof playlistSnapshot>

export const assignmentSnapshot = z.object({
  person_id: id,
  playlist_id: id,
  assigned_date: time,
  /** The due date, and when it was last changed. Absent in earlier versions. */
  due: z
    .object({
      at: time.nullable(),
      changed_at: time,
      /**
       * The time of the last change of the due date after the assignment. Absent if it never
       * changed, or changed in an earlier version.
       */
      set_at: time.optional(),
      /** The conditions change with the due date. Absent or null for the default ones. */
      conditions: conditions.nullable().optional(),
      /** The end of the grace period. Absent or null without one. */
      grace_until: time.nullable().optional(),
    })
    .optional(),
  /** The override, and when it was last set or taken back. Absent in earlier versions. */
  override: z.object({ value: assignmentOverride.nullable(), changed_at: time }).optional(),
  /** The start of the present attempt, by a reset or a recurrence. Absent in earlier versions. */
  reset_at: time.nullable().optional(),
})
export type AssignmentSnapshot = z.infer<typeof assignmentSnapshot>

/** The time during which one login session owned a person's lock; `to` is null until it ends. */
export const lockIntervalSnapshot = z.object({ fence: z.number().int(), sid: id, from: time, to: time.nullable() })
export type LockIntervalSnapshot = z.infer<typeof lockIntervalSnapshot>
