import {
  askLock,
  change,
  closePlay,
  type Draft,
  load,
  playWhenReady,
  save,
  startCheck,
  stopPlaybackTimers,
} from './playback-steps.ts'
import type { SessionEvent } from './playback-types.ts'

export function lockAnswered(next: Draft, answer: Extract<SessionEvent, { type: 'lock-answered' }>): void {
  const { takeOver, regaining } = next.state
  switch (answer.outcome) {
    case 'held':
      change(next, { lock: 'held', askFailures: 0, takeOver: false, regaining: false })
      if (next.state.note === 'waiting-for-server')
        change(next, { note: next.state.reloading ? 'unreachable' : undefined })
      if (takeOver) {
        // The other session may have come further than this one.
        change(next, { phase: 'checking' })
        next.effects.push({ type: 'check-status' })
        return
      }
      if (regaining) save(next)
      playWhenReady(next)
      return
    case 'elsewhere':
    case 'unassigned':
      stand(next, answer.outcome)
      return
    case 'refused':
      stand(next, 'refused')
      change(next, { reason: answer.detail })
      return
    case 'unanswered': {
      const failures = next.state.askFailures + 1
      change(next, { askFailures: failures, note: 'waiting-for-server' })
      const ms = Math.max(answer.retryAfterMs ?? 0, Math.min(30_000, 1_000 * 2 ** Math.min(failures - 1, 5)))
      next.effects.push({ type: 'start-timer', name: 'lock-retry', ms, repeat: false, jitter: true })
    }
  }
}

function stand(next: Draft, phase: 'elsewhere' | 'refused' | 'unassigned'): void {
  next.effects.push({ type: 'pause' })
  next.effects.push({ type: 'stop-timer', name: 'lock-retry' }, { type: 'stop-timer', name: 'countdown' })
  stopPlaybackTimers(next)
  closePlay(next)
  change(next, {
    phase,
    want: 'pause',
    lock: 'none',
    takeOver: false,
    regaining: false,
    askFailures: 0,
    note: undefined,
  })
}

export function lockLost(next: Draft): void {
  if (next.state.lock !== 'held' || next.state.phase === 'countdown' || next.state.phase === 'checking') return
  next.effects.push({ type: 'pause' })
  stopPlaybackTimers(next)
  closePlay(next)
  change(next, { phase: 'starting', want: 'play', settling: undefined, regaining: true })
  startCheck(next)
  if (next.state.reloading) load(next)
  askLock(next, false)
}
