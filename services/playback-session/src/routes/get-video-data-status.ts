import { getVideoDataStatus as operation } from '@watchline/contracts/playlist-imports'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'

export const getVideoDataStatus = defineRoute(operation, async (_input, ctx: PlaybackContext) => ({
  status: ctx.youtube.configured ? ('active' as const) : ('not_configured' as const),
}))
