import { type EngagementRecord, getEngagementDashboard as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { cutPage, pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { findScope } from '../actions/find-scope.ts'
import { compareLatestFirst, loadWatchRecords } from '../actions/load-watch-records.ts'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'
import { findPastVideo } from '../rules/playlist.ts'

const recordCursor = z.object({ last_updated: z.string().max(40), id: z.string().max(64) })
/** `done`: number of the person's records that earlier pages contain. */
const watcherCursor = z.object({ person: z.string().max(64), done: z.number().int().min(0) })
const watchersAtOnce = 100

/**
 * Records of the caller's people, latest first. Callers who see everybody get them person by
 * person.
 */
export const getEngagementDashboard = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const scope = await findScope(ctx, person, query)
  const { records, headers } = await (scope ? pageOfScope(ctx, scope, query) : pageOfEverybody(ctx, query))
  const listed = new Set(records.map(({ user_id }) => user_id))
  await recordDetailView(
    ctx,
    person,
    [...listed].map(id => ({ id })),
    'record',
  )
  return new Reply(await addNames(ctx, records), { headers })
})

interface PageQuery {
  limit: number
  cursor?: string | undefined
}

async function pageOfScope(ctx: EngagementContext, scope: readonly Person[], query: PageQuery) {
  const after = readCursor(query.cursor, recordCursor)
  const watches = await ctx.watchers.loadWatches(scope.map(({ id }) => id))
  const records = await loadWatchRecords(
    ctx,
    [...watches].map(([personId, own]) => ({ personId, watches: own })),
  )
  records.sort(compareLatestFirst)
  const remaining = after ? records.filter(record => compareLatestFirst(after, record) < 0) : records
  const { items, next } = cutPage(remaining, query.limit, ({ last_updated, id }) => ({ last_updated, id }))
  return { records: items, headers: pageHeaders({ total: records.length, next }) }
}

/** Reads the watchers in the order of person ids. */
async function pageOfEverybody(ctx: EngagementContext, query: PageQuery) {
  const cursor = readCursor(query.cursor, watcherCursor)
  const records: EngagementRecord[] = []
  const resumedWatches = cursor && (await ctx.watchers.loadWatches([cursor.person])).get(cursor.person)
  if (cursor && resumedWatches) {
    const own = await loadWatchRecords(ctx, [{ personId: cursor.person, watches: resumedWatches }])
    records.push(...own.slice(cursor.done))
  }
  let after = cursor?.person ?? ''
  while (records.length <= query.limit) {
    const batch = await ctx.watchers.pageWatches(after, watchersAtOnce)
    const people = await Promise.all(batch.map(({ personId }) => ctx.people.get(personId)))
    const trainees = batch.filter((_, index) => people[index]?.role === 'user')
    records.push(...(await loadWatchRecords(ctx, trainees)))
    if (batch.length < watchersAtOnce) break
    after = batch.at(-1)!.personId
  }
  const page = records.slice(0, query.limit)
  const person = page.at(-1)?.user_id
  const doneBefore = cursor && cursor.person === person ? cursor.done : 0
  const done = doneBefore + page.filter(({ user_id }) => user_id === person).length
  const next = records.length > page.length && person !== undefined ? { person, done } : undefined
  return { records: page, headers: pageHeaders({ next }) }
}

/** A screen with a page of records shows names; it does not know every person and playlist. */
async function addNames(ctx: EngagementContext, page: readonly EngagementRecord[]): Promise<EngagementRecord[]> {
  const playlists = await ctx.projections.loadKnown(page.flatMap(({ playlist_id }) => playlist_id ?? []))
  return Promise.all(
    page.map(async record => {
      const playlist = playlists.get(record.playlist_id ?? '')
      const video = playlist && findPastVideo(playlist, record.video_id)
      const person = await ctx.people.get(record.user_id)
      return { ...record, ...(person && { user_name: person.name }), ...(video && { video_title: video.title }) }
    }),
  )
}
