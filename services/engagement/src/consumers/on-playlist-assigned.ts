import { conditionsOf } from '@watchline/contracts/conditions'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import {
  applyEarlierCompletion,
  describeEarlierCompletions,
  findEarlierCompletions,
} from '../actions/apply-earlier-completions.ts'
import { readDueTerms } from '../actions/read-due-terms.ts'
import { recalculateCompletion } from '../actions/recalculate-completion.ts'
import type { EngagementContext } from '../context.ts'
import { playlistVersion } from '../rules/versions.ts'

/** A person who completed the playlist earlier may have completed the new assignment, too. */
export const onPlaylistAssigned = defineConsumer('playlist.assigned', async ({ event, tx }, ctx: EngagementContext) => {
  const { playlist_id: playlistId, title, by, assigned, assigned_date, due, recurrence, conditions } = event.data
  const at = new Date(assigned_date)
  const percent = conditionsOf(conditions).required_percent
  const terms = { at, ...readDueTerms(ctx, due, conditions), dueChangedAt: at, override: null, overrideChangedAt: at }
  tx.bumpVersions(playlistVersion(playlistId))
  // `playlist.deleted` may have arrived first. If it arrives now, it waits for this transaction.
  const isDeleted = await ctx.projections.playlists.isDeleted(playlistId, tx.session)
  const playlist = (await ctx.projections.loadKnown([playlistId])).get(playlistId)
  const assignment = {
    ...{ playlistId, title, playlist, personIds: assigned, at, requiredPercent: percent },
    ...{ due: due ?? null, recurrence: recurrence ?? null },
  }
  const earlier = await findEarlierCompletions(ctx, tx, assignment)
  const earlierByPerson = describeEarlierCompletions(ctx, earlier)
  await ctx.projections.assignments.put(
    assigned.map(personId => ({
      ...{ personId, playlistId, assigned: !isDeleted, ...terms },
      ...(earlierByPerson.get(personId)?.ended && { openedAt: at }),
    })),
    tx.session,
  )
  const fact = { kind: 'assigned', playlistId, at, by, due, recurrence, conditions } as const
  await ctx.taskFacts.add({ sourceId: event.id, personIds: assigned, ...fact, earlierByPerson }, tx.session)
  for (const found of earlier.values()) await applyEarlierCompletion(ctx, tx, assignment, found)
  if (!playlist || isDeleted) return
  // The playlist may have shrunk while these people did not have it.
  const others = assigned.filter(personId => !earlier.has(personId))
  const affectedIds = await ctx.projections.assignments.findWithTermsOf(playlistId, others, at, tx.session)
  await recalculateCompletion(ctx, playlist, affectedIds, percent)
})
