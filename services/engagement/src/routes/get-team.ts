import { getTeam as operation } from '@watchline/contracts/engagement'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { membersOf, personPlace } from '../analytics.ts'
import type { EngagementContext } from '../context.ts'
import { presentMember } from '../presenters.ts'
import { meanRate } from '../rules/overview.ts'
import { scopeOf, scopePage } from '../scope.ts'

/** The average is that of the whole team; for those who see everybody, that of the people on the page. */
export const getTeam = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, personPlace)
  const page = await scopePage(ctx, person, { limit: query.limit, search: query.search, after })
  const shown = await membersOf(ctx, page.people)
  const own = await scopeOf(ctx, person)
  const all = !own || own.length === shown.length ? shown : await membersOf(ctx, own)
  return new Reply(
    {
      team_count: page.total,
      average_completion: meanRate(all.map(each => each.overview.completionRate)),
      members: shown.map(presentMember),
    },
    { headers: pageHeaders(page) },
  )
})
