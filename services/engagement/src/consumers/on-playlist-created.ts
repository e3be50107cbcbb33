import { defineConsumer } from '@watchline/kit/consumer'
import type { EngagementContext } from '../context.ts'

export const onPlaylistCreated = defineConsumer('playlist.created', async ({ event, tx }, ctx: EngagementContext) => {
  await ctx.projections.playlists.putNew(event.data, tx.session)
})
