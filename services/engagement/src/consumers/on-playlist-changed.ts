import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { recalculateShrunkPlaylist } from '../actions/recalculate-completion.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

/**
 * Applies the snapshot outside the event's transaction and before the recalculation, so that
 * concurrent reports see the new playlist. Each step may be repeated: the playlist stays marked as
 * shrunk until the recalculation is done.
 */
export const onPlaylistChanged = defineConsumer('playlist.changed', async ({ event, tx }, ctx: EngagementContext) => {
  tx.bumpVersions(playlistVersion(event.data.playlist_id))
  await ctx.projections.applySnapshots([event.data], Date.parse(event.time))
  await recalculateShrunkPlaylist(ctx, event.data.playlist_id)
})
