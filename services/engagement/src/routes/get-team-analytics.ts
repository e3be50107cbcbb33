import { getTeamAnalytics as operation } from '@watchline/contracts/engagement'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { membersOf, personPlace } from '../analytics.ts'
import type { EngagementContext } from '../context.ts'
import { presentMember } from '../presenters.ts'
import { recordsOf } from '../records.ts'
import { scopeOf, scopePage } from '../scope.ts'

/** The manager's dashboard: the people of their teams with their figures, and what each of them watched. */
export const getTeamAnalytics = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, personPlace)
  const page = await scopePage(ctx, person, { limit: query.limit, after })
  const everybody = ((await scopeOf(ctx, person)) ?? page.people).map(each => each.id)
  const [members, online] = await Promise.all([
    membersOf(ctx, page.people),
    ctx.live.presence.of(everybody, ctx.clock.now()),
  ])
  return new Reply(
    {
      users: members.map(member => ({
        ...presentMember(member),
        id: member.person.id,
        role: member.person.role,
        manager_id: member.person.managerId,
        created_at: member.person.createdAt,
        is_active: online.has(member.person.id),
      })),
      engagements: await recordsOf(
        ctx,
        members.map(each => ({ personId: each.person.id, watches: each.watches })),
      ),
      total_users: page.total,
      active_users: online.size,
    },
    { headers: pageHeaders(page) },
  )
})
