import { getTeam as operation } from '@watchline/contracts/engagement'
import type { QueryOf } from '@watchline/contracts/operation'
import { compareByName, nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { pageListed, pageScope, personCursor, pickFromScope, pickInOrder } from '../actions/find-scope.ts'
import { loadMembers, type Member } from '../actions/load-members.ts'
import { summariseScope } from '../actions/summarise-scope.ts'
import type { EngagementContext } from '../context.ts'
import { isListedAs } from '../rules/member-progress.ts'
import { pageRanking } from '../rules/member-ranking.ts'
import { averageOf, type ScopeFigures } from '../rules/team-figures.ts'
import { presentMember } from './presenters.ts'

const rankCursor = personCursor.extend({ value: z.number() })

/** Size and average are those of the whole or narrowed scope, on every page and in every search. */
export const getTeam = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const summary = summariseScope(ctx, person, query)
  const [page, { totals, risks, members: scopeMembers }] = await Promise.all([
    findPage(ctx, person, query, summary),
    summary,
  ])
  const members = await loadMissing(ctx, page.people, scopeMembers)
  // The list by state comes from the sums, which may be older than the members.
  const shown = query.progress ? members.filter(member => isListedAs(member, query.progress!)) : members
  return new Reply(
    {
      team_count: totals.members,
      average_completion: averageOf(totals),
      assignments: totals.assignments,
      finished_count: totals.finished,
      finished_by_hand_count: totals.finishedByHand,
      stalled_count: totals.stalled,
      overdue_count: totals.overdue,
      tasks_at_risk: risks,
      members: shown.map(presentMember),
    },
    { headers: pageHeaders(page) },
  )
})

/** The members of a page. Somebody may have joined the scope since its members were loaded. */
async function loadMissing(ctx: EngagementContext, people: readonly Person[], loaded: readonly Member[] = []) {
  const byId = new Map(loaded.map(member => [member.person.id, member]))
  const missing = people.filter(({ id }) => !byId.has(id))
  for (const member of await loadMembers(ctx, missing)) byId.set(member.person.id, member)
  return people.flatMap(({ id }) => byId.get(id) ?? [])
}

async function findPage(
  ctx: EngagementContext,
  person: Person,
  query: QueryOf<typeof operation>,
  summary: Promise<ScopeFigures>,
) {
  if (query.user_ids) {
    const people = await pickFromScope(ctx, person, query.user_ids, query)
    return { people, total: people.length }
  }
  if (query.sort !== 'name' || query.order !== 'asc') return findRankedPage(ctx, person, query, await summary)
  const after = readCursor(query.cursor, personCursor)
  const pageQuery = { limit: query.limit, search: query.search, after, filter: query }
  if (!query.progress) return pageScope(ctx, person, pageQuery)
  return pageListed(ctx, person, (await summary).listed[query.progress], pageQuery)
}

/** The order comes from the sums, which may be older than the members. */
async function findRankedPage(
  ctx: EngagementContext,
  person: Person,
  { sort, order, limit, cursor, search, progress, ...filter }: QueryOf<typeof operation>,
  { ranking }: ScopeFigures,
) {
  const searchKey = search && nameKey(search)
  const page = pageRanking(ranking, {
    sort,
    order,
    limit,
    after: readCursor(cursor, rankCursor),
    compareByName,
    isListed:
      searchKey || progress
        ? member =>
            (!progress || isListedAs(member, progress)) && (!searchKey || nameKey(member.name).includes(searchKey))
        : undefined,
  })
  const ids = page.members.map(({ id }) => id)
  return {
    people: await pickInOrder(ctx, person, ids, filter),
    total: page.total,
    ...(page.next && { next: page.next }),
  }
}
