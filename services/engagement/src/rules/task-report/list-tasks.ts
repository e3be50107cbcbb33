import type { OverrideKind } from '@watchline/contracts/fields'
import type { ReportStatus } from '@watchline/contracts/reports'
import { type Attempt, summarisePlaylist } from '../overview.ts'
import { creditedWithin, isTaskIn, type RecordPeriod } from '../record/compose-record.ts'
import { type EndedOccurrence, listOccurrences } from '../record/occurrences.ts'
import { findTaskCompletion } from '../record/task-completion.ts'
import type { TaskFact } from '../record/task-history.ts'
import { isOverdue, type OpenTask } from '../risk.ts'
import { creditedSeconds } from '../summary.ts'
import { readVideoKey, type VideoWatch, type Watches } from '../watch-state.ts'

/** A task that a person has now. */
export interface AssignedTask extends OpenTask {
  state: 'completed' | OverrideKind | null
}

/** A task as reports count it. Instants in ms. */
export interface CountedTask {
  playlist: { id: string; title: string }
  status: ReportStatus
  /** Null if unknown. */
  startedAt: number | null
  /** Null if the task is not closed, or if the time is unknown. */
  closedAt: number | null
  /** In hundredths of a second, so that sums have no rounding error. */
  creditedHundredths: number
  /** Those of them that were credited in the period of the report. */
  creditedInPeriodHundredths: number
}

export interface TaskReportSource {
  tasks: readonly AssignedTask[]
  watches: Watches
  /** Oldest first. */
  facts: readonly TaskFact[]
}

/** The tasks that count in a report. */
export interface TaskSelection {
  period: RecordPeriod
  /** Undefined for all. */
  playlistIds?: ReadonlySet<string> | undefined
  status?: ReportStatus | undefined
}

/**
 * The tasks that a person has now, each with the ended occurrences before it. State and credited
 * seconds of each are those of the record. The record also has withdrawn tasks and attempts before
 * a reset, and stays when the person is deactivated or no longer a trainee. Reports leave these
 * out.
 */
export function listCountedTasks(
  { tasks, watches, facts }: TaskReportSource,
  period: RecordPeriod,
  now: number,
): CountedTask[] {
  const factsOf = Map.groupBy(facts, ({ playlistId }) => playlistId)
  const watchesOf = groupByPlaylist(watches)
  return tasks.flatMap(task => {
    const { id, title } = task.playlist
    const taskFacts = factsOf.get(id) ?? []
    const { playlist, requiredPercent, state } = task
    const overview = summarisePlaylist(playlist, watchesOf.get(id) ?? {}, requiredPercent, state === 'completed')
    const occurrences = listOccurrences(taskFacts).map(occurrence => {
      const isAttempt = ({ endedAt }: { endedAt: number }) => !occurrence.isSkipped && endedAt === occurrence.endedAt
      return { ...describeOccurrence(occurrence), ...creditOf(overview.earlierAttempts.find(isAttempt), period) }
    })
    return [...occurrences, { ...describeTask(task, taskFacts, overview, now), ...creditOf(overview, period) }].map(
      described => ({ playlist: { id, title }, ...described }),
    )
  })
}

/** Whether the task was open or was closed at any moment of the period, and passes the filters. */
export function isSelected(
  { playlist, status, startedAt, closedAt }: CountedTask,
  { period, playlistIds, status: onlyStatus }: TaskSelection,
): boolean {
  if (playlistIds && !playlistIds.has(playlist.id)) return false
  if (onlyStatus !== undefined && status !== onlyStatus) return false
  return isTaskIn(period, startedAt, closedAt)
}

type TaskState = Pick<CountedTask, 'status' | 'startedAt' | 'closedAt'>

function describeTask(task: AssignedTask, facts: readonly TaskFact[], attempt: Attempt, now: number): TaskState {
  const { assignedAt: startedAt, overdueAt, state } = task
  const { completed, completedAt } = findTaskCompletion(facts, attempt)
  if (completed)
    return {
      status: gradeCompletion(completedAt ?? findLastWatchReport(attempt), overdueAt),
      startedAt,
      closedAt: completedAt,
    }
  if (state === 'exempt' || state === 'marked_done') return { status: state, startedAt, closedAt: findOverride(facts) }
  return { status: isOverdue(task, now) ? 'overdue' : 'open', startedAt, closedAt: null }
}

function describeOccurrence({ due, graceUntil, openedAt, endedAt, outcome, closedAt }: EndedOccurrence): TaskState {
  const dueAt = Date.parse(due.at)
  const status = outcome === 'completed' ? gradeCompletion(closedAt, graceUntil ?? dueAt) : outcome
  // An occurrence that never opened belongs to the time of its due date, as in records.
  if (openedAt === null) return { status, startedAt: dueAt, closedAt: dueAt }
  return { status, startedAt: openedAt, closedAt: closedAt ?? endedAt }
}

/** A completion in the grace period is in time. */
function gradeCompletion(completedAt: number | null, overdueAt: number | null): ReportStatus {
  if (overdueAt === null) return 'completed_without_due'
  return completedAt !== null && completedAt <= overdueAt ? 'completed_in_time' : 'completed_late'
}

/** A completion of unknown time is not later than the last watch report. */
function findLastWatchReport({ videos }: Attempt): number | null {
  const times = videos.flatMap(({ lastReportAt }) => (lastReportAt === null ? [] : [lastReportAt]))
  return times.length > 0 ? Math.max(...times) : null
}

/** Versions before records kept no facts: then the time is unknown. */
function findOverride(facts: readonly TaskFact[]): number | null {
  return facts.findLast(({ kind }) => kind === 'exempt' || kind === 'mark_done')?.at ?? null
}

type TaskCredit = Pick<CountedTask, 'creditedHundredths' | 'creditedInPeriodHundredths'>

function creditOf(attempt: Attempt | undefined, period: RecordPeriod): TaskCredit {
  const credit: TaskCredit = { creditedHundredths: 0, creditedInPeriodHundredths: 0 }
  for (const { watched, creditHistory } of attempt ? [...attempt.videos, ...attempt.removed] : []) {
    const credited = creditedSeconds(watched)
    credit.creditedHundredths += Math.round(credited * 100)
    credit.creditedInPeriodHundredths += Math.round(creditedWithin(period, credited, creditHistory) * 100)
  }
  return credit
}

function groupByPlaylist(watches: Watches): Map<string, Watches> {
  const groups = new Map<string, Record<string, VideoWatch>>()
  for (const [key, watch] of Object.entries(watches)) {
    const { playlistId } = readVideoKey(key)
    const group = groups.get(playlistId)
    if (group) group[key] = watch
    else groups.set(playlistId, { [key]: watch })
  }
  return groups
}
