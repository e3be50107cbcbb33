import type { ListedProgress, MemberProgress } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { MemberOverview } from './overview.ts'

/** A task that was marked as done by hand is not open any more, whatever of it was watched. */
interface MemberFigures extends Pick<MemberOverview, 'completedVideos' | 'totalVideos' | 'lastActivity'> {
  hasOpenTasks: boolean
  /** An open task requires more than the rate that completes a video. */
  needsMore: boolean
}

/**
 * `assignedAt`: the latest assignment, ms; null if unknown. A new task restarts the time to act.
 */
export function findMemberProgress(
  { completedVideos, totalVideos, lastActivity, hasOpenTasks, needsMore }: MemberFigures,
  assignedAt: number | null,
  now: number,
): MemberProgress {
  if (totalVideos === 0) return 'nothing_assigned'
  if ((completedVideos === totalVideos && !needsMore) || !hasOpenTasks) return 'finished'
  const lastStepAt = Math.max(lastActivity ?? 0, assignedAt ?? 0)
  return now - lastStepAt > limits.stalledAfterMs ? 'stalled' : 'under_way'
}

/** Whether the member belongs to the list of this state. */
export function isListedAs(
  { progress, overdueTasks }: { progress: MemberProgress; overdueTasks: number },
  state: ListedProgress,
): boolean {
  return state === 'overdue' ? overdueTasks > 0 : progress === state
}
