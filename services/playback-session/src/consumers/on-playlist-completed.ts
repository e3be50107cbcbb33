import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

/**
 * A completed assignment stays completed and keeps its first time of completion. A person who
 * completes a task that was overridden has completed it. A completion from before a reset counts
 * for the history only.
 */
export const onPlaylistCompleted = defineConsumer('playlist.completed', async ({ event, tx }, ctx: PlaybackContext) => {
  const { person_id: personId, playlist_id: playlistId, completed_at, reset_at, assigned_date } = event.data
  const completion = {
    at: new Date(completed_at),
    resetAt: reset_at ? new Date(reset_at) : null,
    // An earlier completion counts for this assignment only, and not for one that came after it.
    assignedDate: assigned_date ? new Date(assigned_date) : null,
  }
  await ctx.assignments.complete({ personId, playlistId }, completion, tx.session)
})
