import type { RiskReason } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { ratePlaylist } from './overview.ts'
import type { Playlist } from './playlist.ts'
import { videoKey, type Watches } from './watch-state.ts'

/**
 * A task that is neither completed nor closed by an override. Times in ms; null: unknown, or none.
 */
export interface OpenTask {
  playlist: Playlist
  assignedAt: number | null
  /** The last reset, which may be older than the assignment. */
  resetAt: number | null
  dueAt: number | null
  /** The last change of the due date; null without one, or if unknown. */
  dueSetAt: number | null
  /** The due date, or the end of its grace period. */
  overdueAt: number | null
  requiredPercent: number
}

/** The one rule for lists, figures, reports and digests: an open task is overdue from then on. */
export function isOverdue({ overdueAt }: Pick<OpenTask, 'overdueAt'>, now: number): boolean {
  return overdueAt !== null && overdueAt <= now
}

/** The one rule for lists, figures and digests: due within days, or due already. */
export function isDueSoon({ dueAt }: Pick<OpenTask, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt - now <= limits.atRiskWithinMs
}

/** An open task at risk, as the figures of a scope keep it. */
export interface RiskyTask {
  personId: string
  name: string
  playlistId: string
  playlistTitle: string
  /** Whole percent. */
  completionRate: number
  assignedAt: number | null
  dueAt: number | null
  reasons: RiskReason[]
}

/**
 * The reasons why the task is at risk, by the rules of {@link RiskReason}, and the credited share
 * in percent, to one decimal. Undefined if the task is not at risk.
 */
export function findRisks(
  task: OpenTask,
  watches: Watches,
  now: number,
): { reasons: RiskReason[]; completionRate: number } | undefined {
  const { playlist } = task
  const reasons: RiskReason[] = []
  const isPaced = isDueSoon(task, now) && !isOverdue(task, now)
  const expectedRate = isPaced ? findExpectedRate(task, findPaceStart(task), now) : undefined
  // The rate of a playlist is expensive, and most tasks are neither overdue nor due soon.
  let completionRate = expectedRate === undefined ? undefined : ratePlaylist(playlist, watches)
  if (isOverdue(task, now)) reasons.push('overdue')
  else if (expectedRate !== undefined && completionRate! < expectedRate) reasons.push('behind')
  if (!isStarted(playlist, watches)) {
    const startAt = findStart(task)
    if (startAt !== null && now - startAt >= limits.notStartedAfterMs) reasons.push('not_started')
  }
  if (reasons.length === 0) return undefined
  completionRate ??= ratePlaylist(playlist, watches)
  return { reasons, completionRate }
}

/**
 * The credited share below which a task is behind; undefined at the beginning of its time, because
 * nobody can be expected to start at once. It grows towards the required percentage, as that of a
 * video towards completion.
 */
function findExpectedRate(
  { dueAt, requiredPercent }: OpenTask,
  startAt: number | null,
  now: number,
): number | undefined {
  if (dueAt === null || startAt === null) return undefined
  const passedShare = now >= dueAt ? 1 : (now - startAt) / (dueAt - startAt)
  if (passedShare < limits.paceFromShare) return undefined
  return Math.min(100, (100 * passedShare * requiredPercent) / limits.completedRate)
}

/** The time from which the person could work on the task: its assignment, or a later reset. */
export function findStart({ assignedAt, resetAt }: Pick<OpenTask, 'assignedAt' | 'resetAt'>): number | null {
  return assignedAt === null ? null : Math.max(assignedAt, resetAt ?? assignedAt)
}

/**
 * The pace counts from the moment at which the due date was set, because nobody can keep a pace
 * towards a date that does not exist yet.
 */
function findPaceStart(task: OpenTask): number | null {
  const startAt = findStart(task)
  return startAt === null ? null : Math.max(startAt, task.dueSetAt ?? startAt)
}

function isStarted(playlist: Playlist, watches: Watches): boolean {
  return playlist.videos.some(({ id }) => (watches[videoKey(playlist.id, id)]?.watchTime ?? 0) > 0)
}

/** Orders tasks by their due date, those without one last, then by their assignment. */
export function compareUrgency(left: UrgencyKey, right: UrgencyKey): number {
  return (
    (left.dueAt ?? Number.MAX_VALUE) - (right.dueAt ?? Number.MAX_VALUE) ||
    (left.assignedAt ?? 0) - (right.assignedAt ?? 0) ||
    compareText(left.personId, right.personId) ||
    compareText(left.playlistId, right.playlistId)
  )
}

export type UrgencyKey = Pick<RiskyTask, 'personId' | 'playlistId' | 'assignedAt' | 'dueAt'>

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
