import { getMember as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findScope } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import { loadRecordedPlaylists } from '../actions/load-recorded-playlists.ts'
import { loadTaskHistory } from '../actions/load-task-history.ts'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'
import { presentMember, presentMemberPlaylist } from './presenters.ts'

export const getMember = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const scope = await findScope(ctx, person)
  const trainee = scope ? scope.find(({ id }) => id === params.userId) : await ctx.people.get(params.userId)
  if (trainee?.role !== 'user') fail('not_found')
  await recordDetailView(ctx, person, [trainee], 'record')
  const [member] = await loadMembers(ctx, [trainee])
  const [playlists, history] = await Promise.all([loadRecordedPlaylists(ctx, member!), loadTaskHistory(ctx, member!)])
  return {
    member: presentMember(member!),
    playlists: playlists.map(playlist => presentMemberPlaylist(playlist, history)),
  }
})
