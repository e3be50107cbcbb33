import type { ExplainedChange, PresentOccurrence } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { EngagementContext } from '../context.ts'
import { type EndedOccurrence, findPresentOccurrence, listOccurrences } from '../rules/record/occurrences.ts'
import type { TaskFact } from '../rules/record/task-history.ts'
import type { Member } from './load-members.ts'

type Deps = Pick<EngagementContext, 'taskFacts' | 'people'>
type Subject = Pick<Member, 'person' | 'tasks'>

/** The events of a person's tasks, by playlist. */
export interface TaskHistory {
  /** Ended ones, oldest first. */
  occurrences: ReadonlyMap<string, readonly EndedOccurrence[]>
  presentOccurrences: ReadonlyMap<string, PresentOccurrence>
  /** Latest first. */
  explainedChanges: ReadonlyMap<string, readonly ExplainedChange[]>
}

export async function loadTaskHistory(ctx: Deps, member: Subject): Promise<TaskHistory> {
  const [occurrences, explainedChanges] = await Promise.all([
    loadOccurrences(ctx, member),
    loadExplainedChanges(ctx, member),
  ])
  return { ...occurrences, explainedChanges }
}

/** Ended tasks count, too. Without recurring tasks it reads no history. */
async function loadOccurrences({ taskFacts }: Deps, { person, tasks }: Subject) {
  const occurrences = new Map<string, EndedOccurrence[]>()
  const presentOccurrences = new Map<string, PresentOccurrence>()
  const recurredIds = await taskFacts.listRecurredPlaylistIds(person.id)
  if (recurredIds.length === 0) return { occurrences, presentOccurrences }
  const facts = await taskFacts.listOf(person.id, recurredIds, limits.recordFactsMax)
  const presentTasks = new Map(tasks.map(task => [task.playlist.id, task]))
  for (const [playlistId, ofPlaylist] of Map.groupBy(facts, fact => fact.playlistId)) {
    occurrences.set(playlistId, listOccurrences(ofPlaylist))
    const present = findPresentOccurrence(ofPlaylist, presentTasks.get(playlistId))
    if (present) presentOccurrences.set(playlistId, present)
  }
  return { occurrences, presentOccurrences }
}

async function loadExplainedChanges(ctx: Deps, { person }: Subject) {
  const facts = await ctx.taskFacts.listExplainedChanges(person.id, limits.recordFactsMax)
  const changes = await Promise.all(
    facts.map(async fact => ({ playlistId: fact.playlistId, change: await presentChange(ctx, fact) })),
  )
  const byPlaylist = Map.groupBy(changes, ({ playlistId }) => playlistId)
  return new Map([...byPlaylist].map(([playlistId, list]) => [playlistId, list.map(({ change }) => change)]))
}

async function presentChange({ people }: Deps, { at, by, reason, due }: TaskFact): Promise<ExplainedChange> {
  const author = by === null ? undefined : await people.get(by)
  return {
    at: new Date(at).toISOString(),
    by: author ? { id: author.id, name: author.name, role: author.role } : null,
    ...{ reason, due },
  }
}
