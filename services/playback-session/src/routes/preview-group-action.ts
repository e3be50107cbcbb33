import { type GroupSkipReason, previewGroupAction as operation } from '@watchline/contracts/group-assignments'
import { limits } from '@watchline/contracts/limits'
import { compareByName } from '@watchline/identity/name-key'
import { defineRoute } from '@watchline/kit/http/route'
import { requireAssignableGroup } from '../actions/require-assignable-group.ts'
import type { PlaybackContext } from '../context.ts'
import { findSkipReason } from '../rules/group-preview.ts'
import { findUncompletable } from '../rules/uncompletable.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

export const previewGroupAction = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const { playlist, group } = await requireAssignableGroup(ctx, person, params)
  const page = await ctx.groups.membersAfter(group.id, body.after ?? '', limits.groupPreviewMembers)
  const memberIds = page.filter(({ isMember }) => isMember).map(({ personId }) => personId)
  const [people, tasks, reminders] = await Promise.all([
    ctx.people.byIds(memberIds),
    ctx.memberAssignments.find(playlist.id, memberIds),
    ctx.reminders.findSince(new Date(ctx.calendar.dayOf(ctx.clock.now()).start), memberIds),
  ])
  const peopleById = new Map(people.map(member => [member.id, member]))
  const outcomes = memberIds.map(id => {
    const member = peopleById.get(id)
    const facts = {
      isActive: member !== undefined && !member.deactivatedAt,
      isTrainee: member?.role === 'user',
      task: tasks.get(id),
      isUncompletable: findUncompletable(tasks.get(id), playlist, member) !== undefined,
      isRemindedToday: reminders.has(assignmentKey(id, playlist.id)),
    }
    return { id, name: member?.name ?? '', reason: findSkipReason(body.action, group.id, facts) }
  })
  const affected = outcomes.filter(({ reason }) => !reason)
  const skipped = Map.groupBy(
    outcomes.filter((outcome): outcome is typeof outcome & { reason: GroupSkipReason } => Boolean(outcome.reason)),
    ({ reason }) => reason,
  )
  return {
    affected: affected.length,
    skipped: [...skipped].map(([reason, members]) => ({ reason, count: members.length })),
    people: affected.sort(compareByName).map(({ id, name }) => ({ id, name })),
    next: page.length === limits.groupPreviewMembers ? (page.at(-1)?.personId ?? null) : null,
  }
})
