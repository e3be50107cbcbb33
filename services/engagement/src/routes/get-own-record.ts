import { getOwnRecord as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { loadMembers } from '../actions/load-members.ts'
import { loadRecordedPlaylists } from '../actions/load-recorded-playlists.ts'
import { loadTaskHistory } from '../actions/load-task-history.ts'
import type { EngagementContext } from '../context.ts'
import { presentMemberPlaylist } from './presenters.ts'

export const getOwnRecord = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  const [[member], comments] = await Promise.all([loadMembers(ctx, [person]), ctx.comments.countBy(person.id)])
  const [playlists, history] = await Promise.all([loadRecordedPlaylists(ctx, member!), loadTaskHistory(ctx, member!)])
  return {
    playlists: playlists.map(playlist => presentMemberPlaylist(playlist, history)),
    comments,
  }
})
