import { conditionsOf } from '@watchline/contracts/conditions'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { recordCompletion } from '../actions/publish-completion.ts'
import { readDueTerms } from '../actions/read-due-terms.ts'
import { recalculateCompletion } from '../actions/recalculate-completion.ts'
import type { EngagementContext } from '../context.ts'
import { hasCompletionSince, isPlaylistComplete } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import { playlistVersion } from '../rules/versions.ts'
import type { Watches } from '../rules/watch-state.ts'

/** A person who completed the playlist earlier has completed the new assignment, too. */
export const onPlaylistAssigned = defineConsumer('playlist.assigned', async ({ event, tx }, ctx: EngagementContext) => {
  const {
    playlist_id: playlistId,
    title,
    by,
    assigned,
    assigned_date: assignedDate,
    due,
    recurrence,
    conditions,
  } = event.data
  const at = new Date(assignedDate)
  const percent = conditionsOf(conditions).required_percent
  const terms = { at, ...readDueTerms(ctx, due, conditions), dueChangedAt: at, override: null, overrideChangedAt: at }
  tx.bumpVersions(playlistVersion(playlistId))
  // `playlist.deleted` may have arrived first. If it arrives now, it waits for this transaction.
  const isDeleted = await ctx.projections.playlists.isDeleted(playlistId, tx.session)
  const playlist = (await ctx.projections.loadKnown([playlistId])).get(playlistId)
  await ctx.projections.assignments.put(
    assigned.map(personId => ({ personId, playlistId, assigned: !isDeleted, ...terms })),
    tx.session,
  )
  const fact = { kind: 'assigned', playlistId, at, by, due, recurrence, conditions } as const
  await ctx.taskFacts.add({ sourceId: event.id, personIds: assigned, ...fact }, tx.session)
  for (const { personId, watches } of await ctx.watchers.findCompletedBy(playlistId, assigned, tx.session)) {
    // This event is late: the completion is of this assignment, and its event is published.
    if (hasCompletionSince(watches, playlistId, Date.parse(assignedDate))) continue
    if (!(await meetsNewTerms(ctx, { personId, watches, playlistId, playlist, percent }))) {
      await withdrawCompletion(ctx, tx, personId, playlistId)
      continue
    }
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: assignedDate,
      playlist_title: title,
    })
    await recordCompletion(ctx, tx, { personId, playlistId, at, percent })
  }
  // The playlist may have shrunk while these people did not have it.
  if (playlist && !isDeleted) await recalculateCompletion(ctx, playlist, assigned, percent)
})

interface EarlierCompletion {
  personId: string
  watches: Watches
  playlistId: string
  playlist: Playlist | undefined
  percent: number
}

/**
 * Whether an earlier completion counts for a new assignment, which may require a higher percentage.
 */
async function meetsNewTerms(
  { taskFacts }: Pick<EngagementContext, 'taskFacts'>,
  { personId, watches, playlistId, playlist, percent }: EarlierCompletion,
): Promise<boolean> {
  const facts = await taskFacts.listOf(personId, [playlistId], maxFacts)
  const completion = facts.findLast(({ kind }) => kind === 'completed')
  if (conditionsOf(completion?.conditions).required_percent >= percent) return true
  return playlist !== undefined && isPlaylistComplete(playlist, watches, percent)
}

/** As many facts as a record reads. */
const maxFacts = 10_000

/** The playlist can be completed again. The watch credit stays. */
async function withdrawCompletion(
  { watchers }: Pick<EngagementContext, 'watchers'>,
  tx: Transaction,
  personId: string,
  playlistId: string,
): Promise<void> {
  const before = (await watchers.load([personId], tx.session)).get(personId)!
  const completedPlaylists = before.completedPlaylists.filter(id => id !== playlistId)
  const { state, unpublishedKeys } = before
  await watchers.writeInTransaction(
    [{ before, state, completedPlaylists, unpublishedKeys, touched: new Set() }],
    tx.session,
  )
}
