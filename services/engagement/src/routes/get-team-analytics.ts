import { getTeamAnalytics as operation } from '@watchline/contracts/engagement'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findScope, pageScope, personCursor } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import { loadWatchRecords } from '../actions/load-watch-records.ts'
import { recordDetailView } from '../actions/record-detail-view.ts'
import { summariseScope } from '../actions/summarise-scope.ts'
import type { EngagementContext } from '../context.ts'
import { averageOf } from '../rules/team-figures.ts'
import { presentMember } from './presenters.ts'

/** The manager's dashboard: the people of their teams, with figures and records. */
export const getTeamAnalytics = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, personCursor)
  const page = await pageScope(ctx, person, { limit: query.limit, after })
  const scopeIds = ((await findScope(ctx, person)) ?? page.people).map(({ id }) => id)
  const [members, online, { totals }] = await Promise.all([
    loadMembers(ctx, page.people),
    ctx.live.presence.of(scopeIds, ctx.clock.now()),
    summariseScope(ctx, person),
  ])
  const recorded = query.engagements === 'all' ? members : []
  await recordDetailView(
    ctx,
    person,
    recorded.map(member => member.person),
    'record',
  )
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
      engagements: await loadWatchRecords(
        ctx,
        recorded.map(member => ({ personId: member.person.id, watches: member.watches })),
      ),
      total_users: page.total,
      active_users: online.size,
      average_completion: averageOf(totals),
    },
    { headers: pageHeaders(page) },
  )
})
