import { getMember as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { membersOf } from '../analytics.ts'
import type { EngagementContext } from '../context.ts'
import { presentMember, presentMemberPlaylist } from '../presenters.ts'
import { overviewOfPlaylist, watchedPlaylists } from '../rules/overview.ts'
import { scopeOf } from '../scope.ts'

export const getMember = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const scope = await scopeOf(ctx, person)
  const found = scope ? scope.find(each => each.id === params.userId) : await ctx.people.get(params.userId)
  if (found?.role !== 'user') fail('not_found')
  const [member] = await membersOf(ctx, [found])
  const { assigned, watches } = member!
  const others = watchedPlaylists(watches).filter(id => !assigned.some(each => each.id === id))
  const besides = await ctx.projections.known(others)
  return {
    member: presentMember(member!),
    playlists: [...assigned, ...besides.values()].map(each => presentMemberPlaylist(overviewOfPlaylist(each, watches))),
  }
})
