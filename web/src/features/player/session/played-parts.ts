import { limits } from '@watchline/contracts/limits'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import { isRunning } from '../machine/playback-state.ts'
import type { SessionState } from '../machine/playback-types.ts'

/** A part of a video that has really been played. Positions in seconds. */
export interface PlayedPart {
  videoId: string
  from: number
  to: number
  /** The time at which its last second was played, in ms. The next report covers it. */
  at: number
}

export interface PlayedParts {
  readonly parts: Subscribable<readonly PlayedPart[]>
  /** Call it after every event of the machine, before its effects. */
  observe(before: SessionState, after: SessionState): void
  /** Call it for every report: what is played from now on belongs to the next one. */
  closePart(): void
}

/**
 * Records what this session plays, second by second. A step that is longer than the time that has
 * passed is a jump, and does not count. Playback on a hidden page does not count either.
 */
export function createPlayedParts(now: () => number): PlayedParts {
  const parts = createSubscribable<readonly PlayedPart[]>([])
  let isOpen = false
  let readAt = now()

  return {
    parts,
    observe(before, after) {
      if (isRunning(before) && before.playback.position === after.playback.position) return
      const at = now()
      const passedS = (at - readAt) / 1_000
      readAt = at
      const advance = after.playback.watched - before.playback.watched
      const { position: to, rate } = after.playback
      if (!isRunning(before) || before.hidden || before.load !== after.load || advance <= 0) return
      if (advance > passedS * rate + limits.candidateToleranceS) {
        isOpen = false
        return
      }
      const from = to - advance
      const videoId = after.playlist.videos[after.index]!.id
      const last = parts.get().at(-1)
      const continues = isOpen && last?.videoId === videoId && Math.abs(last.to - from) < 0.001
      parts.set(
        continues ? [...parts.get().slice(0, -1), { ...last, to, at }] : [...parts.get(), { videoId, from, to, at }],
      )
      isOpen = true
    },
    closePart() {
      isOpen = false
    },
  }
}
