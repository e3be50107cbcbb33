import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { settle } from '../settling.ts'
import { playlistVersion } from '../versions.ts'

/** Whoever has completed the playlist before has completed it now: what is completed stays so. */
export const onPlaylistAssigned = defineConsumer('playlist.assigned', async ({ event, tx }, ctx: EngagementContext) => {
  const { playlist_id: playlistId, title, assigned, assigned_date: at } = event.data
  tx.bumpVersions(playlistVersion(playlistId))
  // Deleted meanwhile, and the news of it came first; or comes in this moment, and then waits for this.
  const isThere = !(await ctx.projections.playlists.isDeleted(playlistId, tx.session))
  const playlist = (await ctx.projections.known([playlistId])).get(playlistId)
  await ctx.projections.assignments.put(
    assigned.map(personId => ({ personId, playlistId, assigned: isThere, at: new Date(at) })),
    tx.session,
  )
  for (const personId of await ctx.watchers.completedBy(playlistId, assigned, tx.session)) {
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: at,
      playlist_title: title,
    })
  }
  // It may have shrunk while they did not have it.
  if (playlist && isThere) await settle(ctx, playlist, assigned)
})
