import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'

/** A later snapshot or a deletion may have arrived first. It stays. */
export const onPlaylistCreated = defineConsumer('playlist.created', async ({ event }, ctx: EngagementContext) => {
  await ctx.projections.applySnapshots([event.data], Date.parse(event.time))
})
