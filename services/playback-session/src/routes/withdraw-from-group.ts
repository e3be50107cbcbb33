import { withdrawFromGroup as operation } from '@watchline/contracts/group-assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { requestGroupTaskUpdate } from '../actions/request-group-task-update.ts'
import { requireAssignableGroup } from '../actions/require-assignable-group.ts'
import type { PlaybackContext } from '../context.ts'
import { mayChangeGroupAssignment } from '../rules/rights.ts'
import { presentAssignableGroup } from './presenters.ts'

/** A group that does not have the playlist stays as it is. */
export const withdrawFromGroup = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const { playlist, group } = await requireAssignableGroup(ctx, person, params)
  const assignment = await ctx.outbox.transaction(async tx => {
    await ctx.playlists.nextChangeTime(playlist.id, new Date(ctx.clock.now()), tx.session)
    const current = await ctx.groupAssignments.find(playlist.id, group.id, tx.session)
    if (current?.status !== 'assigned') return current
    if (!mayChangeGroupAssignment(person, playlist, current)) fail('not_found')
    const update = { after: '', done: 0, total: group.size }
    const withdrawn = {
      ...{ ...current, status: 'withdrawn' as const, update, reminding: null },
      ...{ changedBy: person.id, note: undefined, changeReason: undefined },
    }
    await ctx.groupAssignments.put(withdrawn, tx.session)
    await requestGroupTaskUpdate(ctx, tx, group.id)
    return withdrawn
  })
  return { success: true as const, group: await presentAssignableGroup(ctx, group, assignment) }
})
