import type { DueDate } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { type EarlierCompletionEffect, judgeEarlierCompletion } from '../rules/record/earlier-completion.ts'
import type { Watcher } from '../rules/watcher-update.ts'
import type { EarlierFact } from '../store/task-facts.ts'
import { createNextDueSearch } from './load-record.ts'
import { presentReset } from './publish-completion.ts'
import { readDueTerms } from './read-due-terms.ts'
import { resetWatching } from './reset-watching.ts'

/** A new assignment of a playlist to people. */
export interface AssignedPlaylist {
  playlistId: string
  title: string
  /** Undefined if it is unknown. */
  playlist: Playlist | undefined
  personIds: readonly string[]
  at: Date
  due: DueDate | null
  recurrence: Recurrence | null
  requiredPercent: number
}

/** A person’s earlier completion of a playlist that is assigned again. */
export interface EarlierCompletionOf {
  watcher: Watcher
  effect: EarlierCompletionEffect
}

/** By person. People without a completion of the present attempt are not in the answer. */
export async function findEarlierCompletions(
  { watchers, taskFacts, calendar }: Pick<EngagementContext, 'watchers' | 'taskFacts' | 'calendar'>,
  tx: Transaction,
  { playlistId, playlist, personIds, at, ...terms }: AssignedPlaylist,
): Promise<Map<string, EarlierCompletionOf>> {
  const factsOf = await taskFacts.listOfMany(personIds, { playlistIds: [playlistId], session: tx.session })
  const completed = await watchers.findCompletedBy(playlistId, personIds, tx.session)
  const completedIds = new Set(completed.map(({ personId }) => personId))
  const candidates = personIds.filter(
    personId => completedIds.has(personId) || factsOf.get(personId)?.some(({ kind }) => kind === 'completed'),
  )
  const findNextDue = createNextDueSearch(calendar.timeZone)
  const found = new Map<string, EarlierCompletionOf>()
  for (const [personId, watcher] of await watchers.load(candidates, tx.session)) {
    const { videos: watches, resets } = watcher.state
    const attempt = { playlistId, playlist, watches, resetAt: resets?.[playlistId] }
    const effect = judgeEarlierCompletion(
      { ...attempt, isCompleted: completedIds.has(personId), facts: factsOf.get(personId) ?? [] },
      { at: at.getTime(), ...terms },
      findNextDue,
    )
    if (effect) found.set(personId, { watcher, effect })
  }
  return found
}

/**
 * Completes the assignment with the time of an earlier completion that counts, without a new
 * certificate. After an expired one, the person starts from zero. With a higher percentage, the
 * playlist can be completed again, and the watch credit stays.
 */
export async function applyEarlierCompletion(
  ctx: EngagementContext,
  tx: Transaction,
  { playlistId, title, at }: AssignedPlaylist,
  { watcher, effect }: EarlierCompletionOf,
): Promise<void> {
  const { personId } = watcher
  if (effect.kind === 'below_percent') await setCompleted(ctx, tx, watcher, playlistId, false)
  else if (effect.kind === 'restarted') {
    const reset = { by: null, at, reason: '', ...(effect.ended && { endedDue: effect.ended.due }) }
    await ctx.projections.assignments.addReset(playlistId, [personId], reset, tx.session)
    await resetWatching(ctx, tx, { playlistId, personIds: [personId], at })
  } else {
    await setCompleted(ctx, tx, watcher, playlistId, true)
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: new Date(effect.completion.completedAt).toISOString(),
      playlist_title: title,
      ...presentReset(watcher.state.resets?.[playlistId]),
      assigned_date: at.toISOString(),
    })
  }
}

/** The part of the history of the task that these completions add, by person. */
export function describeEarlierCompletions(
  ctx: Pick<EngagementContext, 'calendar'>,
  earlier: ReadonlyMap<string, EarlierCompletionOf>,
): Map<string, EarlierFact> {
  const facts = new Map<string, EarlierFact>()
  for (const [personId, { effect }] of earlier) {
    if (effect.kind === 'below_percent') continue
    const ended = effect.kind === 'restarted' ? effect.ended : null
    const graceUntil = ended && readDueTerms(ctx, ended.due, ended.conditions).graceUntil
    facts.set(personId, { completion: effect.completion, ...(ended && { ended: { due: ended.due, graceUntil } }) })
  }
  return facts
}

async function setCompleted(
  { watchers }: Pick<EngagementContext, 'watchers'>,
  tx: Transaction,
  before: Watcher,
  playlistId: string,
  isCompleted: boolean,
): Promise<void> {
  if (before.completedPlaylists.includes(playlistId) === isCompleted) return
  const others = before.completedPlaylists.filter(id => id !== playlistId)
  const completedPlaylists = isCompleted ? [...others, playlistId] : others
  const { state, unpublishedKeys } = before
  await watchers.writeInTransaction(
    [{ before, state, completedPlaylists, unpublishedKeys, touched: new Set() }],
    tx.session,
  )
}
