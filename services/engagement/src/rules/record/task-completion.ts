import type { Attempt } from '../overview.ts'
import { findCompletion, type TaskFact } from './task-history.ts'

/** Whether a task is completed by watching. `completedAt` is in ms; null if the time is unknown. */
export interface TaskCompletion {
  completed: boolean
  completedAt: number | null
}

/**
 * The completion of a task, for records and reports. Earlier versions stored no completion: then
 * the last video's completion counts.
 */
export function findTaskCompletion(facts: readonly TaskFact[], attempt: Attempt): TaskCompletion {
  const completedAt = findCompletion(facts) ?? (attempt.completed ? findLastCompletion(attempt) : null)
  return { completed: completedAt !== null || attempt.completed, completedAt }
}

/**
 * The time at which the last playable video was completed, ms; null if that is not known of each.
 */
function findLastCompletion({ videos }: Attempt): number | null {
  const times = videos.filter(({ video }) => !video.unavailable).map(({ completedAt }) => completedAt)
  return times.reduce((latest, at) => (latest === null || at === null ? null : Math.max(latest, at)), times[0] ?? null)
}
