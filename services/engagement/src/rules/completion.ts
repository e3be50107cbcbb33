import { limits } from '@watchline/contracts/limits'
import { clip, type Intervals, tolerance, totalLength } from './intervals.ts'

/** A player may report up to this many seconds past the end of a video. They mean the end. */
export const endTolerance = limits.positionToleranceS

/** Moves a position within the end tolerance to the end. Undefined if it is not in the video. */
export function clampPosition(position: number, duration: number | null): number | undefined {
  if (!(position >= 0) || !Number.isFinite(position)) return undefined
  if (!isKnownDuration(duration)) return position
  return position <= duration + endTolerance ? Math.min(position, duration) : undefined
}

/** The watched share of the video, 0 to 100, not rounded; 0 while the duration is unknown. */
export function completionRate(watched: Intervals, duration: number | null): number {
  if (!isKnownDuration(duration)) return 0
  return Math.min(100, (totalLength(clip(watched, 0, duration)) / duration) * 100)
}

export function isComplete(watched: Intervals, duration: number | null): boolean {
  if (!isKnownDuration(duration)) return false
  return totalLength(clip(watched, 0, duration)) + tolerance >= (duration * limits.completedRate) / 100
}

/**
 * Whether a video meets the required percentage of its task. `isCompleted` says that it counts as
 * completed, at `limits.completedRate`; that never ends, also if the video grows longer. Above that
 * rate, at most one percent may be missing, because a player pauses and resumes at rounded
 * positions.
 */
export function meetsPercent(
  { watched, isCompleted }: { watched: Intervals; isCompleted: boolean },
  duration: number | null,
  percent: number,
): boolean {
  if (percent === limits.completedRate || (percent < limits.completedRate && isCompleted)) return isCompleted
  if (!isKnownDuration(duration)) return false
  const needed = (duration * percent) / 100
  const least = Math.max(
    needed - Math.min(limits.jointToleranceS, duration / 100),
    (duration * limits.completedRate) / 100,
  )
  const credited = totalLength(clip(watched, 0, duration)) + tolerance
  return credited >= (percent > limits.completedRate ? least : needed)
}

export function isKnownDuration(duration: number | null): duration is number {
  return duration !== null && duration > 0 && Number.isFinite(duration)
}
