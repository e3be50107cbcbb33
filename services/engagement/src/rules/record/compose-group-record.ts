import type { GroupRecord, MemberTask, RecordedReason, RecordedTask } from '@watchline/contracts/records'
import { sumHundredths } from '../summary.ts'
import { type ComposedRecord, sumAllAttempts } from './compose-record.ts'
import { findLastTerms, type TaskFact } from './task-history.ts'

/** A member with the calculated part of their own record, and the history that it was made from. */
export interface ComposedMember extends ComposedRecord {
  /** Oldest first. */
  facts: readonly TaskFact[]
}

/**
 * The calculated part of the record of a group, with the ids of the people in the order of their
 * indexes.
 */
export interface ComposedGroupRecord extends Pick<GroupRecord, 'records' | 'playlists' | 'totals'> {
  personIds: string[]
  /** Those of each member, in the order of the members. */
  reasons: RecordedReason[][]
}

/**
 * Sums up the records of people, so that the record of a group cannot differ from theirs. Reasons
 * stand apart from the tasks: they may be about people’s lives, and an erasure must remove them.
 */
export function composeGroupRecord(members: readonly ComposedMember[]): ComposedGroupRecord {
  const indexes = new Map(members.map(({ personIds: [memberId] }, index) => [memberId!, index]))
  const indexOf = (personId: string) => {
    if (!indexes.has(personId)) indexes.set(personId, indexes.size)
    return indexes.get(personId)!
  }
  const playlists = new Map<string, GroupRecord['playlists'][number]>()
  const reasons: RecordedReason[][] = []
  const records = members.map(({ personIds, facts, tasks, totals }, person) => {
    const factsOf = Map.groupBy(facts, ({ playlistId }) => playlistId)
    const toGroupIndex = (index: number | null) => (index === null ? null : indexOf(personIds[index]!))
    reasons.push(tasks.flatMap(task => listReasons(task, toGroupIndex)))
    for (const { playlist_id, title, deleted } of tasks) playlists.set(playlist_id, { playlist_id, title, deleted })
    return {
      person,
      ...{ watch_time: totals.watch_time, credited_seconds: totals.credited_seconds },
      credited_in_period: totals.credited_in_period,
      ...(tasks.some(task => task.all_attempts) && { all_attempts: totals.all_attempts }),
      tasks: tasks.map(task => summariseTask(task, factsOf.get(task.playlist_id) ?? [], toGroupIndex)),
    }
  })
  return {
    ...{ personIds: [...indexes.keys()], reasons, playlists: [...playlists.values()] },
    ...{ records, totals: sumTotals(members) },
  }
}

/** Oldest first. */
function listReasons(
  { playlist_id, assignments, exceptions, override }: RecordedTask,
  toGroupIndex: (index: number | null) => number | null,
): RecordedReason[] {
  const changes = assignments.flatMap(({ due_changes }) =>
    due_changes.map(({ at, by, reason = '' }) => ({ about: 'terms' as const, at, by, reason })),
  )
  const decisions = exceptions.map(({ action, ...decision }) => ({ about: action, ...decision }))
  // Versions before records kept no history of exceptions, only the present one.
  const isInHistory = exceptions.some(({ at, action }) => at === override?.at && action !== 'take_back')
  if (override && !isInHistory) {
    const { kind, ...present } = override
    decisions.push({ about: kind === 'exempt' ? 'exempt' : 'mark_done', ...present })
  }
  return [...changes, ...decisions]
    .filter(({ reason }) => reason !== '')
    .sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0))
    .map(({ about, at, by, reason }) => ({ playlist_id, about, at, by: toGroupIndex(by), reason }))
}

function summariseTask(
  task: RecordedTask,
  facts: readonly TaskFact[],
  toGroupIndex: (index: number | null) => number | null,
): MemberTask {
  const assignment = task.assignments.at(-1)
  const { override, valid_until, occurrences, present_occurrence, all_attempts } = task
  return {
    playlist_id: task.playlist_id,
    assigned_at: assignment?.assigned_at ?? null,
    assigned_by: toGroupIndex(assignment?.assigned_by ?? null),
    ...findPresentTerms(assignment, facts),
    ended_at: assignment?.ended_at ?? null,
    ...(assignment?.ended_cause && { ended_cause: assignment.ended_cause }),
    override: override && { kind: override.kind, at: override.at, by: toGroupIndex(override.by) },
    completed: task.completed,
    completed_at: task.completed_at,
    ...(valid_until !== undefined && { valid_until }),
    ...{ completion_rate: task.completion_rate, completed_videos: task.completed_videos },
    total_videos: task.total_videos,
    ...{ watch_time: task.watch_time, credited_seconds: task.credited_seconds },
    credited_in_period: task.credited_in_period,
    ...(occurrences && { occurrences }),
    ...(present_occurrence && { present_occurrence }),
    ...(all_attempts && { all_attempts }),
    sessions: task.sessions.length,
  }
}

/**
 * The terms after the last change. Occurrences that open by themselves have a due date of their
 * own.
 */
function findPresentTerms(
  assignment: RecordedTask['assignments'][number] | undefined,
  facts: readonly TaskFact[],
): Pick<MemberTask, 'due' | 'recurrence' | 'conditions'> {
  const latest = findLastTerms(facts)
  if (!latest) return { due: assignment?.due ?? null }
  const named = facts.findLast(({ kind, conditions }) => kind !== 'completed' && conditions !== undefined)
  return {
    due: latest.due,
    ...(latest.recurrence && { recurrence: latest.recurrence }),
    ...(named?.conditions && { conditions: named.conditions }),
  }
}

function sumTotals(members: readonly ComposedMember[]): GroupRecord['totals'] {
  type Count = Exclude<keyof GroupRecord['totals'], 'all_attempts'>
  const count = (name: Count) => members.reduce((sum, { totals }) => sum + totals[name], 0)
  const hundredths = (name: 'watch_time' | 'credited_seconds' | 'credited_in_period') =>
    sumHundredths(members.map(({ totals }) => totals[name]))
  return {
    ...{ tasks: count('tasks'), completed_tasks: count('completed_tasks') },
    ...{ marked_done_tasks: count('marked_done_tasks'), exempt_tasks: count('exempt_tasks') },
    ...{ videos: count('videos'), completed_videos: count('completed_videos'), sessions: count('sessions') },
    watch_time: hundredths('watch_time'),
    ...{ credited_seconds: hundredths('credited_seconds'), credited_in_period: hundredths('credited_in_period') },
    all_attempts: sumAllAttempts(members.map(({ totals }) => totals)),
  }
}
