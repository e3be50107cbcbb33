import {
  askLock,
  changeState,
  closeReportedPlay,
  type Draft,
  loadVideo,
  playWhenReady,
  reportPosition,
  startProgressCheck,
  stopPlaybackTimers,
} from './playback-steps.ts'
import type { SessionEvent } from './playback-types.ts'

export function applyLockAnswer(next: Draft, answer: Extract<SessionEvent, { type: 'lock-answered' }>): void {
  const { takeOver, regaining } = next.state
  switch (answer.outcome) {
    case 'held':
      changeState(next, { lock: 'held', lockFailures: 0, takeOver: false, regaining: false })
      if (next.state.note === 'waiting-for-server')
        changeState(next, { note: next.state.reloading ? 'unreachable' : undefined })
      if (takeOver) {
        // The other session may have come further than this one.
        changeState(next, { phase: 'checking' })
        next.effects.push({ type: 'check-status' })
        return
      }
      if (regaining) reportPosition(next)
      playWhenReady(next)
      return
    case 'elsewhere':
    case 'unassigned':
      stopWithoutLock(next, answer.outcome)
      return
    case 'refused':
      stopWithoutLock(next, 'refused')
      changeState(next, { reason: answer.detail })
      return
    case 'unanswered': {
      const failures = next.state.lockFailures + 1
      changeState(next, { lockFailures: failures, note: 'waiting-for-server' })
      const ms = Math.max(answer.retryAfterMs ?? 0, Math.min(30_000, 1_000 * 2 ** Math.min(failures - 1, 5)))
      next.effects.push({ type: 'start-timer', name: 'lock-retry', ms, repeat: false, jitter: true })
    }
  }
}

function stopWithoutLock(next: Draft, phase: 'elsewhere' | 'refused' | 'unassigned'): void {
  next.effects.push({ type: 'pause' })
  next.effects.push({ type: 'stop-timer', name: 'lock-retry' }, { type: 'stop-timer', name: 'countdown' })
  stopPlaybackTimers(next)
  closeReportedPlay(next)
  changeState(next, {
    phase,
    intent: 'pause',
    lock: 'none',
    takeOver: false,
    regaining: false,
    lockFailures: 0,
    note: undefined,
  })
}

export function requestLostLock(next: Draft): void {
  if (next.state.lock !== 'held' || next.state.phase === 'countdown' || next.state.phase === 'checking') return
  next.effects.push({ type: 'pause' })
  stopPlaybackTimers(next)
  closeReportedPlay(next)
  changeState(next, { phase: 'starting', intent: 'play', settling: undefined, regaining: true })
  startProgressCheck(next)
  if (next.state.reloading) loadVideo(next)
  askLock(next, false)
}
