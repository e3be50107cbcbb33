import { requestReach } from './playback-credit.ts'
import { changeState, type Draft } from './playback-draft.ts'
import { forbidsSkipping } from './playback-reach.ts'
import {
  closeReportedPlay,
  loadVideo,
  playWhenReady,
  requestLock,
  savePositionOrReleaseLock,
  startProgressCheck,
  stopPlaybackTimers,
} from './playback-steps.ts'
import type { SessionEvent } from './playback-types.ts'

export function applyLockAnswer(draft: Draft, answer: Extract<SessionEvent, { type: 'lock-answered' }>): void {
  const { takeOver, regaining } = draft.state
  switch (answer.outcome) {
    case 'held':
      changeState(draft, { lock: 'held', lockFailures: 0, takeOver: false, regaining: false })
      if (draft.state.note === 'waiting-for-server')
        changeState(draft, { note: draft.state.reloading ? 'unreachable' : undefined })
      if (takeOver || answer.watchedElsewhere) {
        // The other session may have watched further than this one.
        changeState(draft, { phase: 'checking' })
        if (forbidsSkipping(draft.state)) requestReach(draft, 'requested')
        else draft.effects.push({ type: 'check-status' })
        return
      }
      if (regaining) savePositionOrReleaseLock(draft)
      playWhenReady(draft)
      return
    case 'elsewhere':
    case 'playlist-changed':
    case 'unassigned':
      stopWithoutLock(draft, answer.outcome)
      return
    case 'refused':
      stopWithoutLock(draft, 'refused')
      changeState(draft, { reason: answer.detail })
      return
    case 'unanswered': {
      const failures = draft.state.lockFailures + 1
      changeState(draft, { lockFailures: failures, note: 'waiting-for-server' })
      const ms = Math.max(answer.retryAfterMs ?? 0, Math.min(30_000, 1_000 * 2 ** Math.min(failures - 1, 5)))
      draft.effects.push({ type: 'start-timer', name: 'lock-retry', ms, repeat: false, jitter: true })
    }
  }
}

function stopWithoutLock(draft: Draft, phase: 'elsewhere' | 'playlist-changed' | 'refused' | 'unassigned'): void {
  draft.effects.push({ type: 'pause' })
  draft.effects.push({ type: 'stop-timer', name: 'lock-retry' }, { type: 'stop-timer', name: 'countdown' })
  stopPlaybackTimers(draft)
  closeReportedPlay(draft)
  changeState(draft, {
    phase,
    intent: 'pause',
    lock: 'none',
    takeOver: false,
    regaining: false,
    lockFailures: 0,
    note: undefined,
  })
}

/** Another window of this browser plays. A paused one stops, too: its position is outdated soon. */
export function stopForOtherWindow(draft: Draft): void {
  const { lock, phase } = draft.state
  if (lock !== 'none' || phase === 'paused' || phase === 'countdown') stopWithoutLock(draft, 'elsewhere')
}

export function requestLostLock(draft: Draft): void {
  if (draft.state.lock !== 'held' || draft.state.phase === 'countdown' || draft.state.phase === 'checking') return
  draft.effects.push({ type: 'pause' })
  stopPlaybackTimers(draft)
  closeReportedPlay(draft)
  changeState(draft, { phase: 'starting', intent: 'play', settling: undefined, regaining: true })
  startProgressCheck(draft)
  if (draft.state.reloading) loadVideo(draft)
  requestLock(draft, false)
}
