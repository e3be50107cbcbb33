import type { ReportChoice, ReportSchedule } from '@watchline/contracts/saved-reports'
import type { Person } from '@watchline/identity/people'
import { failField, ServiceError } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import { findNextSending } from '../rules/report-schedule.ts'
import { mayReceiveReports } from '../rules/rights.ts'
import type { SavedReportFields } from '../store/saved-reports.ts'
import { createTimeZoneConverter } from './create-time-zone-converter.ts'
import { findScope } from './find-scope.ts'

type Deps = Pick<EngagementContext, 'people' | 'teams' | 'projections' | 'groupMembers'>

/** The fields of a saved report, as the body of a call names them. */
interface SavedReportInput extends ReportChoice {
  name: string
  schedule: ReportSchedule | null
  recipient_ids?: string[] | undefined
}

/**
 * The fields of a report that the owner saves, except its next sending. Throws `forbidden` outside
 * of the owner's scope, and `invalid` for what the owner may not see. `keptRecipientIds` are not
 * checked again, so that a former member of a team does not block a change.
 */
export async function checkSavedReport(
  ctx: Deps,
  owner: Person,
  { name, schedule, recipient_ids = [owner.id], ...input }: SavedReportInput,
  keptRecipientIds: readonly string[] = [],
): Promise<Omit<SavedReportFields, 'nextSendAt'>> {
  const { by, period, playlist_id, status, group_id, supervisor_id, manager_id } = input
  await findScope(ctx, owner, { supervisor_id, manager_id })
  for (const [path, id] of Object.entries({ supervisor_id, manager_id }))
    if (id !== undefined && !(await ctx.people.find(id, 0))) failField(path, 'is not known')
  if (playlist_id !== undefined && !(await ctx.projections.findPlaylist(playlist_id)))
    failField('playlist_id', 'is not known')
  if (group_id !== undefined) await requireVisibleGroup(ctx, owner, group_id)
  for (const [index, id] of recipient_ids.entries()) {
    if (keptRecipientIds.includes(id)) continue
    const recipient = await ctx.people.find(id, 0)
    if (!recipient || recipient.deactivatedAt || !mayReceiveReports(owner, recipient))
      failField(`recipient_ids.${index}`, 'is nobody to whom you may send reports')
  }
  const choice = { by, period, playlist_id, status, group_id, supervisor_id, manager_id }
  return { name, schedule, recipientIds: recipient_ids, choice: withoutAbsent(choice) }
}

/** The next time of a schedule, after now; null without one. */
export function planSending(ctx: Pick<EngagementContext, 'clock' | 'calendar'>, schedule: ReportSchedule | null) {
  return schedule && new Date(findNextSending(schedule, ctx.clock.now(), createTimeZoneConverter(ctx)))
}

async function requireVisibleGroup({ groupMembers }: Deps, owner: Person, groupId: string): Promise<void> {
  try {
    await groupMembers.list(groupId, owner.id)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') failField('group_id', 'is not known')
    throw error
  }
}

/** MongoDB would store an absent filter as null. */
function withoutAbsent(choice: { [Field in keyof ReportChoice]: ReportChoice[Field] }): ReportChoice {
  return Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined)) as ReportChoice
}
