import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { readDueTerms } from '../actions/read-due-terms.ts'
import { resetWatching } from '../actions/reset-watching.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

/** The next occurrence starts from zero, as after a reset. */
export const onAssignmentRecurred = defineConsumer(
  'assignment.recurred',
  async ({ event, tx }, ctx: EngagementContext) => {
    const {
      playlist_id: playlistId,
      people,
      due,
      previous_due,
      skipped,
      recurrence,
      conditions,
      recurred_at,
    } = event.data
    const at = new Date(recurred_at)
    const { assignments } = ctx.projections
    tx.bumpVersions(playlistVersion(playlistId))
    await assignments.openOccurrence(playlistId, people, { ...readDueTerms(ctx, due, conditions), at }, tx.session)
    const fact = {
      kind: 'recurred',
      playlistId,
      at,
      by: null,
      due,
      recurrence,
      conditions,
      previousDue: previous_due,
      graceUntil: readDueTerms(ctx, previous_due, conditions).graceUntil,
      skipped,
    } as const
    await ctx.taskFacts.add({ sourceId: event.id, personIds: people, ...fact }, tx.session)
    await assignments.addReset(playlistId, people, { by: null, at, reason: '', endedDue: previous_due }, tx.session)
    await resetWatching(ctx, tx, { playlistId, personIds: people, at })
  },
)
