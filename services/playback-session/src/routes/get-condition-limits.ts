import { getConditionLimits as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { highestConditionRate } from '../rules/condition-limits.ts'

export const getConditionLimits = defineRoute(operation, async (_input, ctx: PlaybackContext) => ({
  max_rate: highestConditionRate(ctx.maxPlaybackRate),
}))
