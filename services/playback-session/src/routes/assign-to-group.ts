import type { DueDateInput } from '@watchline/contracts/assignments'
import { assignToGroup as operation } from '@watchline/contracts/group-assignments'
import { replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import { fail, failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { checkCreditedSpeed } from '../actions/check-credited-speed.ts'
import { requestGroupTaskUpdate } from '../actions/request-group-task-update.ts'
import { requireAssignableGroup } from '../actions/require-assignable-group.ts'
import { requireGraceWithinPeriod } from '../actions/require-grace-within-period.ts'
import { resolveDueDate } from '../actions/resolve-due-date.ts'
import type { PlaybackContext } from '../context.ts'
import { type DueDate, isSameDue, isSameTerms } from '../rules/assignment.ts'
import { findPresentLocalDue, replaceUnknownZone } from '../rules/due-date.ts'
import { changeGroupTerms, type GroupTerms } from '../rules/group-terms.ts'
import { mayChangeGroupAssignment } from '../rules/rights.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import { presentAssignableGroup } from './presenters.ts'

/** Stores what the group has from now on. The job changes the tasks of the members. */
export const assignToGroup = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const { playlist, group, assignment: earlier } = await requireAssignableGroup(ctx, person, params)
  const dueChange = await readDue(ctx, body.terms?.due, earlier)
  checkCreditedSpeed(ctx, body.terms?.conditions, 'terms.conditions')
  const assignment = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const current = await ctx.groupAssignments.find(playlist.id, group.id, tx.session)
    const isAssigned = current?.status === 'assigned'
    if (!mayChangeGroupAssignment(person, playlist, isAssigned ? current : undefined)) fail('not_found')
    const before: GroupTerms = isAssigned ? current.terms : { due: null }
    const change = { due: dueChange, recurrence: body.terms?.recurrence, conditions: body.terms?.conditions }
    const terms = changeGroupTerms(before, change, (due, recurrence) =>
      findPresentLocalDue(replaceUnknownZone(due, ctx.calendar.timeZone), recurrence, now.getTime()),
    )
    if (!terms.due && change.conditions?.grace_days) failField('terms.conditions.grace_days', 'needs a due date')
    if (!terms.due && change.recurrence) failField('terms.recurrence', 'needs a due date')
    const isUnchanged = isAssigned && isSameTerms(terms, { recurrence: null, conditions: null, ...before })
    if (isUnchanged) return current
    requireGraceWithinPeriod(terms, change, 'terms.conditions')
    const keepsDue = isAssigned && isSameDue(before.due, terms.due)
    const next: GroupAssignment = {
      ...{ playlistId: playlist.id, groupId: group.id, status: 'assigned', terms },
      assignedBy: isAssigned ? current.assignedBy : person.id,
      assignedAt: isAssigned ? current.assignedAt : at,
      dueSetAt: keepsDue ? current.dueSetAt : terms.due ? at : undefined,
      note: isAssigned ? current.note : body.note,
      changedBy: person.id,
      changeReason: body.reason,
      update: { after: '', done: 0, total: group.size },
      reminding: current?.reminding ?? null,
    }
    await ctx.groupAssignments.put(next, tx.session)
    await requestGroupTaskUpdate(ctx, tx, group.id)
    return next
  })
  return { success: true as const, group: await presentAssignableGroup(ctx, group, assignment) }
})

/** Accepts an unchanged due date although it has passed: a retry may arrive late. */
async function readDue(
  ctx: PlaybackContext,
  input: DueDateInput | null | undefined,
  earlier: GroupAssignment | undefined,
): Promise<DueDate | null | undefined> {
  if (!input) return input
  const current = earlier?.status === 'assigned' ? earlier.terms.due : null
  const timeZone = input.time_zone ?? ctx.calendar.timeZone
  // The answer names the zone in which the due date counts, which a client may send back.
  const isCurrent =
    current?.local === input.local && replaceUnknownTimeZone(current.timeZone, ctx.calendar.timeZone) === timeZone
  if (isCurrent && current.zoneOf === input.time_zone_of) return current
  return resolveDueDate(ctx, input, { personIds: 'anybody', path: 'terms.due' })
}
