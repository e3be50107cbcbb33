import { remindGroup as operation } from '@watchline/contracts/group-assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { requestGroupTaskUpdate } from '../actions/request-group-task-update.ts'
import { requireAssignableGroup } from '../actions/require-assignable-group.ts'
import type { PlaybackContext } from '../context.ts'
import { mayChangeGroupAssignment } from '../rules/rights.ts'
import { presentAssignableGroup } from './presenters.ts'

/** While reminders are under way, a repeated call changes nothing. */
export const remindGroup = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const { playlist, group } = await requireAssignableGroup(ctx, person, params)
  const assignment = await ctx.outbox.transaction(async tx => {
    const current = await ctx.groupAssignments.find(playlist.id, group.id, tx.session)
    if (current?.status !== 'assigned') fail('not_found', { detail: 'The group does not have this playlist.' })
    if (!mayChangeGroupAssignment(person, playlist, current)) fail('not_found')
    if (current.reminding) return current
    const reminding = { after: '', done: 0, total: group.size, by: person.id }
    await ctx.groupAssignments.put({ ...current, reminding }, tx.session)
    await requestGroupTaskUpdate(ctx, tx, group.id)
    return { ...current, reminding }
  })
  return { success: true as const, group: await presentAssignableGroup(ctx, group, assignment) }
})
