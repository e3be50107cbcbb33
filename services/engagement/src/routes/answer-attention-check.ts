import { answerAttentionCheck as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { loadUpdatedPlaylists, publishCompletion } from '../actions/publish-completion.ts'
import type { EngagementContext } from '../context.ts'
import { answerCheck } from '../rules/attention-check.ts'
import { prepareUpdate } from '../rules/watcher-update.ts'
import { presentOpenCheck } from './presenters.ts'

/**
 * Reports of the same person may change the watcher meanwhile; the transaction then starts again.
 */
export const answerAttentionCheck = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  const now = ctx.clock.now()
  const answeredAt = now - (body.age_s ?? 0) * 1_000
  const answer = { id: params.id, action: body.action, answeredAt, random: Math.random() }
  const openCheck = await ctx.outbox.transaction(async tx => {
    const before = (await ctx.watchers.load([person.id], tx.session)).get(person.id)!
    const effect = answerCheck(before.state, answer) ?? fail('not_found')
    if (effect.state === before.state) return undefined
    const { state, completed } = effect
    const update = prepareUpdate({ before, state, touched: new Set(effect.touched), completed }, now)
    await publishCompletion(ctx, tx, [update], await loadUpdatedPlaylists(ctx.projections, [update]))
    return state.attention?.open
  })
  return { success: true as const, ...presentOpenCheck(openCheck, now) }
})
