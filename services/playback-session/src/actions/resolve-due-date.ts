import type { DueDateInput } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import { instantOf } from '@watchline/kit/core/calendar'
import { failField } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { DueDate } from '../rules/assignment.ts'

/**
 * Adds the instant and the default time zone to a due date. Fails if it has passed or is more than
 * ten years ahead; `path` is where the input has it.
 */
export function resolveDueDate(
  { clock, calendar }: Pick<PlaybackContext, 'clock' | 'calendar'>,
  { local, time_zone: timeZone = calendar.timeZone }: DueDateInput,
  path = 'due',
): DueDate {
  const at = instantOf(local, timeZone)
  if (at <= clock.now()) failField(`${path}.local`, 'is in the past')
  if (at > clock.now() + limits.dueMaxAheadMs) failField(`${path}.local`, 'is more than ten years ahead')
  return { at: new Date(at), local, timeZone }
}
