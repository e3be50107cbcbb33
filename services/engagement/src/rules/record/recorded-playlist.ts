import type { TaskOverride } from '@watchline/contracts/assignments'
import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate } from '@watchline/contracts/fields'
import type { EarlierAttempt, PlaylistOverview } from '../overview.ts'

/** A playlist of a person's record; `override` is null of a task that is open or completed. */
export interface RecordedPlaylist {
  overview: PlaylistOverview
  /** The person has or had it as a task. */
  wasAssigned: boolean
  override: TaskOverride | null
  /** The present ones, or the last ones of an ended assignment; null for the default. */
  conditions: Conditions | null
  /** The due date of an open task; null without one. */
  due: { dueAt: Date; graceUntil: Date | null } | null
  earlierAttempts: RecordedAttempt[]
}

/** An earlier attempt, with the author and the reason of the reset that ended it. */
export interface RecordedAttempt extends EarlierAttempt, Pick<TaskOverride, 'by' | 'reason'> {
  /** The due date of the occurrence, if it ended because the next one opened. */
  endedDue?: DueDate
}
