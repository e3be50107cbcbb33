import { conditionsOf } from '@watchline/contracts/conditions'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { readDueTerms } from '../actions/read-due-terms.ts'
import { recalculateCompletion } from '../actions/recalculate-completion.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

export const onAssignmentDueChanged = defineConsumer(
  'assignment.due_changed',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { playlist_id: playlistId, by, changed: changedIds, due, recurrence, conditions } = event.data
    const { changed_at, keeps_due, reason } = event.data
    tx.bumpVersions(playlistVersion(playlistId))
    const terms = { ...readDueTerms(ctx, due, conditions), conditions, keepsDue: keeps_due === true }
    const change = { ...terms, at: new Date(changed_at) }
    const { assignments, playlists } = ctx.projections
    // A completion that was published meanwhile stays, under the conditions that it met.
    const completedIds = new Set(
      (await ctx.watchers.findCompletedBy(playlistId, changedIds, tx.session)).map(({ personId }) => personId),
    )
    const openIds = changedIds.filter(personId => !completedIds.has(personId))
    await assignments.setDue(playlistId, openIds, change, tx.session)
    await assignments.setDue(playlistId, [...completedIds], { ...change, conditions: undefined }, tx.session)
    const fact = { kind: 'due_changed', playlistId, at: change.at, by, due, recurrence, conditions } as const
    const explained = { ...fact, ...(reason && { reason }) }
    await ctx.taskFacts.add({ sourceId: event.id, personIds: changedIds, ...explained }, tx.session)
    // A lower percentage may be met already.
    const playlist = (await playlists.byIds([playlistId])).get(playlistId)
    if (conditions === undefined || playlist?.deletedAt !== null) return
    const affectedIds = await assignments.findWithTermsOf(playlistId, openIds, change.at, tx.session)
    await recalculateCompletion(ctx, playlist, affectedIds, conditionsOf(conditions).required_percent)
  },
)
