/**
 * The highest credited speed that the conditions of a task may name: that of the installation. The
 * player always offers normal speed.
 */
export function highestConditionRate(maxPlaybackRate: number): number {
  return Math.max(1, maxPlaybackRate)
}
