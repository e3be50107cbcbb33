import { setDueDate as operation } from '@watchline/contracts/assignments'
import { conditionsOf, isSameConditions } from '@watchline/contracts/conditions'
import { fail, failField } from '@watchline/kit/core/errors'
import { keepsNextOccurrence } from '@watchline/kit/core/recurrence'
import { defineRoute } from '@watchline/kit/http/route'
import { checkCreditedSpeed } from '../actions/check-credited-speed.ts'
import { requireChangeableAssignments } from '../actions/require-assignment-rights.ts'
import { requireGraceWithinPeriod } from '../actions/require-grace-within-period.ts'
import { groupByDue, resolveDueDate } from '../actions/resolve-due-date.ts'
import type { PlaybackContext } from '../context.ts'
import { presentNewTerms, presentTerms } from '../rules/playlist-events.ts'
import type { TermsChange } from '../store/assignments.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentPlaylistFor } from './presenters.ts'

function requireSameNextOccurrence({ before, after }: TermsChange): void {
  const { due, recurrence } = before
  if (!due || !recurrence || !after.due) return
  const { grace_days } = conditionsOf(after.conditions)
  if (!keepsNextOccurrence(recurrence, due, after.due.local, grace_days))
    failField(
      'due.local',
      'must not be before the date of the repetition, and must end, with its days of grace, before the next one',
    )
}

/** A repeated call changes nothing and publishes nothing. */
export const setDueDate = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { recurrence, conditions, only_present_occurrence: keepsSeries, reason } = body
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  checkCreditedSpeed(ctx, conditions)
  const due = body.due && (await resolveDueDate(ctx, body.due, { personIds }))
  const groups = await groupByDue(ctx, due, personIds)
  const changed = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const changes: TermsChange[] = []
    for (const group of groups) {
      const terms = { due: group.due, recurrence, conditions, keepsSeries, at }
      changes.push(...(await ctx.assignments.setDue(playlist.id, group.personIds, terms, tx.session)))
    }
    for (const { after } of changes) requireGraceWithinPeriod(after, body)
    if (keepsSeries) changes.forEach(requireSameNextOccurrence)
    await ctx.assignmentChanges.addDueDates(
      changes.map(({ personId, before, after }) => ({
        ...{ personId, playlistId: playlist.id, at, by: person.id },
        ...{ before: presentTerms(before), after: presentTerms(after), reason },
      })),
      tx.session,
    )
    // A closed occurrence keeps its due date, and the first date of a series may differ.
    const equalChanges = Map.groupBy(changes, ({ before, after, keepsDue }) =>
      JSON.stringify([after, keepsDue, isSameConditions(before.conditions, after.conditions)]),
    )
    for (const sameChange of equalChanges.values()) {
      const { before, after, keepsDue } = sameChange[0]!
      tx.publish('assignment.due_changed', playlist.id, {
        ...{ playlist_id: playlist.id, title: playlist.title, by: person.id },
        ...{
          changed: sameChange.map(({ personId }) => personId),
          changed_at: at.toISOString(),
          ...presentNewTerms(after),
        },
        ...(keepsDue && { keeps_due: true }),
        ...(!isSameConditions(before.conditions, after.conditions) && { changes_conditions: true }),
        ...(reason && { reason }),
      })
    }
    return changes.map(({ personId }) => personId)
  })
  for (const personId of changed) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  return {
    success: true as const,
    changed: changed.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
