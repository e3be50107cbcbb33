import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../versions.ts'

/** It is nobody's task any more. What people have watched of it stays theirs, and its name with it. */
export const onPlaylistDeleted = defineConsumer('playlist.deleted', async ({ event, tx }, ctx: EngagementContext) => {
  const { playlist_id: playlistId, deleted_at } = event.data
  tx.bumpVersions(playlistVersion(playlistId))
  const at = new Date(deleted_at ?? event.time)
  await ctx.projections.playlists.markDeleted(playlistId, at, tx.session)
  await ctx.projections.assignments.dropAll(playlistId, at, tx.session)
})
