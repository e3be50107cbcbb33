import { limits } from '@watchline/contracts/limits'
import { clip, type Intervals, length, same } from './intervals.ts'

/** Seconds past a video's end that a player may report: it is the end. */
export const endTolerance = limits.positionToleranceS

/** The position that was meant: up to the tolerance past the end is the end; undefined for what is not in the video. */
export function readPosition(position: number, duration: number | null): number | undefined {
  if (!(position >= 0) || !Number.isFinite(position)) return undefined
  if (!isKnown(duration)) return position
  return position <= duration + endTolerance ? Math.min(position, duration) : undefined
}

/** How much of the video was watched, 0 to 100, not rounded; 0 while nobody knows how long it is. */
export function completionRate(watched: Intervals, duration: number | null): number {
  if (!isKnown(duration)) return 0
  return Math.min(100, (length(clip(watched, 0, duration)) / duration) * 100)
}

export function isComplete(watched: Intervals, duration: number | null): boolean {
  return isKnown(duration) && length(clip(watched, 0, duration)) + same >= (duration * limits.completedRate) / 100
}

export function isKnown(duration: number | null): duration is number {
  return duration !== null && duration > 0 && Number.isFinite(duration)
}
