import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

const assignmentsAtOnce = 500

/**
 * Ends the assignments; a job ends those beyond the first. Progress stays, with the title of the
 * playlist.
 */
export const onPlaylistDeleted = defineConsumer('playlist.deleted', async ({ event, tx }, ctx: EngagementContext) => {
  const { playlist_id: playlistId, deleted_at } = event.data
  tx.bumpVersions(playlistVersion(playlistId))
  const deletedAt = new Date(deleted_at ?? event.time)
  await ctx.projections.playlists.markDeleted(playlistId, deletedAt, tx.session)
  await ctx.projections.assignments.unassignBatch(playlistId, { at: deletedAt, limit: assignmentsAtOnce }, tx.session)
})
