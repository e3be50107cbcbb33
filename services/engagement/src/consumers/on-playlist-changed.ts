import { defineConsumer } from '@watchline/kit/consumer'
import type { EngagementContext } from '../context.ts'
import { settle } from '../settling.ts'
import { playlistVersion } from '../versions.ts'

/**
 * What people have watched stays theirs. The snapshot is taken before, and outside of, the transaction of the event: reports that
 * come while completions are settled see the playlist as it is now. Each step may be repeated; what was not settled is marked.
 */
export const onPlaylistChanged = defineConsumer('playlist.changed', async ({ event, tx }, ctx: EngagementContext) => {
  tx.raise(playlistVersion(event.data.playlist_id))
  const { playlists, assignments, take } = ctx.projections
  await take([event.data], Date.parse(event.time))
  const playlist = await playlists.unsettled(event.data.playlist_id)
  if (!playlist) return
  if (playlist.deletedAt === null) await settle(ctx, playlist, await assignments.peopleOf(playlist.id))
  await playlists.markSettled(playlist)
})
