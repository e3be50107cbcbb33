import type { DueDate as WireDueDate } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import { instantOf } from '@watchline/kit/core/calendar'
import { failField } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { DueDate } from '../rules/assignment.ts'

/** Fails if the due date has passed or is more than ten years ahead. */
export function readDueDate(
  { clock, calendar }: Pick<PlaybackContext, 'clock' | 'calendar'>,
  { local, time_zone: timeZone = calendar.timeZone }: WireDueDate,
): DueDate {
  const at = instantOf(local, timeZone)
  if (at <= clock.now()) failField('due.local', 'is in the past')
  if (at > clock.now() + limits.dueMaxAheadMs) failField('due.local', 'is more than ten years ahead')
  return { at: new Date(at), local, timeZone }
}
