import { getOwnRecord as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { loadMembers, loadRecordedPlaylists } from '../actions/load-members.ts'
import type { EngagementContext } from '../context.ts'
import { summarisePlaylist } from '../rules/overview.ts'
import { presentMemberPlaylist } from './presenters.ts'

export const getOwnRecord = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  const [[member], comments] = await Promise.all([loadMembers(ctx, [person]), ctx.comments.countBy(person.id)])
  const playlists = await loadRecordedPlaylists(ctx, member!)
  return {
    playlists: playlists.map(playlist => presentMemberPlaylist(summarisePlaylist(playlist, member!.watches))),
    comments,
  }
})
