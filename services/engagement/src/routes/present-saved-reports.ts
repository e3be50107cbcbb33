import { erasedName } from '@watchline/contracts/people'
import type { SavedReport as PresentedReport } from '@watchline/contracts/saved-reports'
import { sortByName } from '@watchline/identity/name-key'
import { replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import type { EngagementContext } from '../context.ts'
import type { SavedReport } from '../store/saved-reports.ts'

type Deps = Pick<EngagementContext, 'people' | 'calendar'>

/** By name. */
export function presentSavedReports(ctx: Deps, reports: readonly SavedReport[]): Promise<PresentedReport[]> {
  return Promise.all(sortByName(reports).map(report => presentSavedReport(ctx, report)))
}

export async function presentSavedReport(
  { people, calendar }: Deps,
  { id, name, ownerId, choice, schedule, recipientIds, nextSendAt, version }: SavedReport,
): Promise<PresentedReport> {
  const nameOf = async (personId: string) => (await people.get(personId))?.name
  const recipients = await Promise.all(
    recipientIds.map(async personId => ({ id: personId, name: await nameOf(personId) })),
  )
  const supervisor_name = choice.supervisor_id && (await nameOf(choice.supervisor_id))
  const manager_name = choice.manager_id && (await nameOf(choice.manager_id))
  return {
    ...{ id, name, ...choice, version },
    // The zone in which the report is sent. Clients may refuse a name that they do not know.
    schedule: schedule && { ...schedule, time_zone: replaceUnknownTimeZone(schedule.time_zone, calendar.timeZone) },
    ...(supervisor_name && { supervisor_name }),
    ...(manager_name && { manager_name }),
    owner: { id: ownerId, name: (await nameOf(ownerId)) ?? erasedName },
    recipients: recipients.flatMap(person => (person.name === undefined ? [] : { id: person.id, name: person.name })),
    next_send_at: nextSendAt?.toISOString() ?? null,
  }
}
