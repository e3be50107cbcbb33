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
 * `openSince`: the earliest start of an open task, ms; null if unknown. A task that is added later
 * does not restart the time to act on the earlier one.
 */
export function findMemberProgress(
  { completedVideos, totalVideos, lastActivity, hasOpenTasks, needsMore }: MemberFigures,
  openSince: number | null,
  now: number,
): MemberProgress {
  if (totalVideos === 0) return 'nothing_assigned'
  if ((completedVideos === totalVideos && !needsMore) || !hasOpenTasks) return 'finished'
  const lastStepAt = Math.max(lastActivity ?? 0, openSince ?? 0)
  return now - lastStepAt > limits.stalledAfterMs ? 'stalled' : 'under_way'
}

/** Whether the member belongs to the list of this state. */
export function isListedAs(
  { progress, overdueTasks }: { progress: MemberProgress; overdueTasks: number },
  state: ListedProgress,
): boolean {
  return state === 'overdue' ? overdueTasks > 0 : progress === state
}
