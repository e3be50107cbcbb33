import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { recordCompletion } from '../actions/publish-completion.ts'
import { readDueTerms } from '../actions/read-due-terms.ts'
import { recalculateCompletion } from '../actions/recalculate-completion.ts'
import type { EngagementContext } from '../context.ts'
import { hasCompletionSince } from '../rules/overview.ts'
import { playlistVersion } from '../rules/versions.ts'

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
  const terms = { at, ...readDueTerms(due, conditions), dueChangedAt: at, override: null, overrideChangedAt: at }
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
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: assignedDate,
      playlist_title: title,
    })
    await recordCompletion(ctx, tx, { personId, playlistId, at })
  }
  // The playlist may have shrunk while these people did not have it.
  if (playlist && !isDeleted) await recalculateCompletion(ctx, playlist, assigned)
})
