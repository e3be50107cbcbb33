import type { DueDateInput } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import { instantOf } from '@watchline/kit/core/calendar'
import { failField } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { DueDate } from '../rules/assignment.ts'
import { findPersonalDue } from '../rules/due-date.ts'

type Deps = Pick<PlaybackContext, 'clock' | 'calendar' | 'timeZones'>

/**
 * The due date of an input for these people, or for a group of any people. Adds the instant and the
 * default time zone. Fails if it has passed for one of them, or is more than ten years ahead;
 * `path` is where the input has it.
 */
export async function resolveDueDate(
  { clock, calendar, timeZones }: Deps,
  { local, time_zone: timeZone = calendar.timeZone, time_zone_of: zoneOf }: DueDateInput,
  { personIds, path = 'due' }: { personIds: readonly string[] | 'anybody'; path?: string },
): Promise<DueDate> {
  const due = { at: new Date(instantOf(local, timeZone)), local, timeZone, ...(zoneOf && { zoneOf }) }
  const personalZones = async () =>
    personIds === 'anybody' ? timeZones.findAll() : new Set((await timeZones.ofPeople(personIds)).values())
  for (const zone of zoneOf ? await personalZones() : [timeZone]) {
    const at = findPersonalDue(due, zone).at.getTime()
    if (at <= clock.now()) failField(`${path}.local`, zoneOf ? `is in the past in ${zone}` : 'is in the past')
    if (at > clock.now() + limits.dueMaxAheadMs) failField(`${path}.local`, 'is more than ten years ahead')
  }
  return due
}

/** People with the same due date. */
interface DueGroup<Due extends DueDate | null | undefined> {
  due: Due
  personIds: string[]
}

/** Divides people by their due date: only one that counts in their own time zones may differ. */
export async function groupByDue<Due extends DueDate | null | undefined>(
  { timeZones }: Pick<PlaybackContext, 'timeZones'>,
  due: Due,
  personIds: readonly string[],
): Promise<DueGroup<DueDate | Due>[]> {
  if (due?.zoneOf !== 'person') return [{ due, personIds: [...personIds] }]
  const zones = await timeZones.ofPeople(personIds)
  const groups = Map.groupBy(personIds, personId => zones.get(personId)!)
  return [...groups].map(([zone, ids]) => ({ due: findPersonalDue(due, zone), personIds: ids }))
}
