import { type OverrideAction, type OverrideKind, overrideKinds } from '@watchline/contracts/fields'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { resetWatching } from '../actions/reset-watching.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

/** A reset also ends an override. */
export const onAssignmentOverridden = defineConsumer(
  'assignment.overridden',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { playlist_id: playlistId, changed, action, by, reason, changed_at } = event.data
    const at = new Date(changed_at)
    tx.bumpVersions(playlistVersion(playlistId))
    const kinds: Partial<Record<OverrideAction, OverrideKind>> = overrideKinds
    const kind = kinds[action]
    const override = kind ? { kind, by, at, reason } : null
    await ctx.projections.assignments.setOverride(playlistId, changed, { override, at }, tx.session)
    const fact = { kind: action, playlistId, at, by, reason } as const
    await ctx.taskFacts.add({ sourceId: event.id, personIds: changed, ...fact }, tx.session)
    if (action !== 'reset') return
    await ctx.projections.assignments.addReset(playlistId, changed, { by, at, reason }, tx.session)
    await resetWatching(ctx, tx, { playlistId, personIds: changed, at })
  },
)
