import { recordUse } from '../../../api/idle-time.ts'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import { isRunning } from '../machine/playback-state.ts'
import type { Effect, SessionState } from '../machine/playback-types.ts'
import type { PlayerOutbox } from '../outbox/player-outbox.ts'
import type { SessionPlaylist } from '../session-playlist.ts'
import { createPlayedParts, type PlayedPart } from './played-parts.ts'
import { trackCall } from './session-calls.ts'

export interface PlaybackReports {
  /** The time of the latest report, in ms. */
  readonly reportedAt: Subscribable<number>
  /** All that this session has played. */
  readonly played: Subscribable<readonly PlayedPart[]>
  /** Call it after every event of the machine, before its effects. */
  observe(before: SessionState, after: SessionState): void
  send(report: Extract<Effect, { type: 'track' }>): void
}

export interface PlaybackReportsOptions {
  playlist: SessionPlaylist
  outbox: Pick<PlayerOutbox, 'add'>
  now: () => number
  newId: () => string
}

/** Reports what is played, with what a report must say about the playback since the last one. */
export function createPlaybackReports({ playlist, outbox, now, newId }: PlaybackReportsOptions): PlaybackReports {
  const reportedAt = createSubscribable(0)
  const played = createPlayedParts(now)
  let playedHidden = false

  return {
    reportedAt,
    played: played.parts,
    observe(before, after) {
      if (before.hidden && isRunning(before)) playedHidden = true
      played.observe(before, after)
    },
    send(report) {
      const at = now()
      // People watch a long video without any input.
      recordUse()
      reportedAt.set(at)
      played.closePart()
      outbox.add(trackCall(playlist, report, { id: newId(), now: at, playedHidden }))
      playedHidden = false
    },
  }
}
