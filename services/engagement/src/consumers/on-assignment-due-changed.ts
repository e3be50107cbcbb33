import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { readDueTerms } from '../actions/read-due-terms.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

export const onAssignmentDueChanged = defineConsumer(
  'assignment.due_changed',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { playlist_id: playlistId, by, changed, due, recurrence, conditions, changed_at } = event.data
    tx.bumpVersions(playlistVersion(playlistId))
    const change = { ...readDueTerms(due, conditions), conditions, at: new Date(changed_at) }
    await ctx.projections.assignments.setDue(playlistId, changed, change, tx.session)
    const fact = { kind: 'due_changed', playlistId, at: change.at, by, due, recurrence, conditions } as const
    await ctx.taskFacts.add({ sourceId: event.id, personIds: changed, ...fact }, tx.session)
  },
)
