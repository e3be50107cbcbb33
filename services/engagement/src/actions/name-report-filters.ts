import type { ReportMail } from '@watchline/contracts/internal-operations'
import type { ReportFigures } from '@watchline/contracts/reports'
import type { ReportChoice } from '@watchline/contracts/saved-reports'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { mayUseAsOwn } from '../rules/rights.ts'
import { ignoreRefusal } from './ignore-refusal.ts'

/**
 * The filters of a report that the recipient may see, with their names. A playlist of which the
 * recipient sees no task and which is not theirs has no name for them.
 */
export async function nameReportFilters(
  ctx: Pick<EngagementContext, 'people' | 'projections' | 'groupMembers'>,
  recipient: Person,
  { status, playlist_id, group_id, supervisor_id, manager_id }: ReportChoice,
  { tasks }: ReportFigures,
): Promise<NonNullable<ReportMail['filters']>> {
  const nameOf = async (id: string) => (await ctx.people.get(id))?.name ?? null
  const playlist = playlist_id === undefined ? undefined : await ctx.projections.findPlaylist(playlist_id)
  const hasTitle = playlist && (tasks > 0 || mayUseAsOwn(recipient, playlist))
  return {
    ...(status !== undefined && { status }),
    ...(playlist_id !== undefined && { playlist_title: hasTitle ? playlist.title : null }),
    ...(group_id !== undefined && {
      group_name: (await ignoreRefusal(ctx.groupMembers.findGroup(group_id, recipient.id)))?.name ?? null,
    }),
    ...(supervisor_id !== undefined && { supervisor_name: await nameOf(supervisor_id) }),
    ...(manager_id !== undefined && { manager_name: await nameOf(manager_id) }),
  }
}
