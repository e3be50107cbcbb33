import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

/** A completed assignment stays completed and keeps its first time of completion. */
export const onPlaylistCompleted = defineConsumer('playlist.completed', async ({ event, tx }, ctx: PlaybackContext) => {
  const { person_id: personId, playlist_id: playlistId, completed_at: at } = event.data
  await ctx.assignments.complete(personId, playlistId, new Date(at), tx.session)
})
