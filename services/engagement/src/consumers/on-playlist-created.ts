import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'

/** What is known already is as new or newer; what was deleted stays so. */
export const onPlaylistCreated = defineConsumer('playlist.created', async ({ event }, ctx: EngagementContext) => {
  await ctx.projections.take([event.data], Date.parse(event.time))
})
