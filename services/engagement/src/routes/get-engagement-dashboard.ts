import { type EngagementRecord, getEngagementDashboard as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import type { EngagementContext } from '../context.ts'
import { latestFirst, recordsOf } from '../records.ts'
import { scopeOf } from '../scope.ts'

const recordPlace = z.object({ last_updated: z.string().max(40), id: z.string().max(64) })
const everybodyPlace = z.object({ person: z.string().max(64), done: z.number().int().min(0) })
const watchersAtOnce = 100

/** The records of the caller's people, latest first; for those who see everybody person by person. */
export const getEngagementDashboard = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const scope = await scopeOf(ctx, person)
  return scope ? ofScope(ctx, scope, query) : ofEverybody(ctx, query)
})

interface Query {
  limit: number
  cursor?: string | undefined
}

async function ofScope(ctx: EngagementContext, scope: readonly Person[], query: Query) {
  const after = readCursor(query.cursor, recordPlace)
  const watches = await ctx.watchers.watches(scope.map(each => each.id))
  const all = await recordsOf(
    ctx,
    [...watches].map(([personId, own]) => ({ personId, watches: own })),
  )
  const sorted = all.sort(latestFirst)
  const rest = after ? sorted.filter(each => latestFirst(after, each) < 0) : sorted
  const records = rest.slice(0, query.limit)
  const last = records.at(-1)
  const next = rest.length > records.length && last ? { last_updated: last.last_updated, id: last.id } : undefined
  return new Reply(records, { headers: pageHeaders({ total: all.length, next }) })
}

/** Walks the watchers by id: `done` records of the person the page before ended at were shown already. */
async function ofEverybody(ctx: EngagementContext, query: Query) {
  const from = readCursor(query.cursor, everybodyPlace)
  const records: EngagementRecord[] = []
  const resumed = from && (await ctx.watchers.watches([from.person])).get(from.person)
  if (from && resumed) {
    const own = await recordsOf(ctx, [{ personId: from.person, watches: resumed }])
    records.push(...own.slice(from.done))
  }
  let after = from?.person ?? ''
  while (records.length <= query.limit) {
    const some = await ctx.watchers.afterId(after, watchersAtOnce)
    const known = await Promise.all(some.map(each => ctx.people.get(each.personId)))
    const trainees = some.filter((_, index) => known[index]?.role === 'user')
    records.push(...(await recordsOf(ctx, trainees)))
    if (some.length < watchersAtOnce) break
    after = some.at(-1)!.personId
  }
  const shown = records.slice(0, query.limit)
  const person = shown.at(-1)?.user_id
  const before = from && from.person === person ? from.done : 0
  const done = before + shown.filter(each => each.user_id === person).length
  const next = records.length > shown.length && person !== undefined ? { person, done } : undefined
  return new Reply(shown, { headers: pageHeaders({ next }) })
}
