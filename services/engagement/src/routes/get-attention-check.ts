import { getAttentionCheck as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { presentOpenCheck } from './presenters.ts'

export const getAttentionCheck = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  const { state } = (await ctx.watchers.loadPart([person.id], new Set())).get(person.id)!
  return presentOpenCheck(state.attention?.open, ctx.clock.now())
})
