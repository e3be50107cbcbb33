import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { settleChanged } from '../settling.ts'
import { playlistVersion } from '../versions.ts'

/**
 * What people have watched stays theirs. The snapshot is taken before, and outside of, the transaction of the event: reports that
 * come while completions are settled see the playlist as it is now. Each step may be repeated; what was not settled is marked.
 */
export const onPlaylistChanged = defineConsumer('playlist.changed', async ({ event, tx }, ctx: EngagementContext) => {
  tx.bumpVersions(playlistVersion(event.data.playlist_id))
  await ctx.projections.take([event.data], Date.parse(event.time))
  await settleChanged(ctx, event.data.playlist_id)
})
