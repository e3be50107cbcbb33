import { getTeam as operation } from '@watchline/contracts/engagement'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findScope, pageScope, personCursor } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import type { EngagementContext } from '../context.ts'
import { meanRate } from '../rules/overview.ts'
import { presentMember } from './presenters.ts'

/** Averages the whole team; for callers who see everybody, the people on the page. */
export const getTeam = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, personCursor)
  const page = await pageScope(ctx, person, { limit: query.limit, search: query.search, after })
  const members = await loadMembers(ctx, page.people)
  const scope = await findScope(ctx, person)
  const averaged = !scope || scope.length === members.length ? members : await loadMembers(ctx, scope)
  return new Reply(
    {
      team_count: page.total,
      average_completion: meanRate(averaged.map(({ overview }) => overview.completionRate)),
      members: members.map(presentMember),
    },
    { headers: pageHeaders(page) },
  )
})
