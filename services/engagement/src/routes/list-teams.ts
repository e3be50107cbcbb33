import { listTeams as operation } from '@watchline/contracts/engagement'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageSupervisors, personCursor } from '../actions/find-scope.ts'
import { summariseScope } from '../actions/summarise-scope.ts'
import type { EngagementContext } from '../context.ts'
import { emptyTotals } from '../rules/team-figures.ts'
import { presentTeam } from './presenters.ts'

export const listTeams = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, personCursor)
  const [page, { teams }] = await Promise.all([
    pageSupervisors(ctx, person, { limit: query.limit, after }),
    summariseScope(ctx, person),
  ])
  return new Reply(
    page.people.map(supervisor => presentTeam(supervisor, teams.get(supervisor.id) ?? emptyTotals())),
    { headers: pageHeaders(page) },
  )
})
