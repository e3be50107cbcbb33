import { applyReading } from './playback-provider.ts'
import {
  askLock,
  beginVideo,
  changePlayback,
  changeState,
  type Draft,
  endToleranceS,
  endVideo,
  enterPlaying,
  isRunning,
  loadVideo,
  nextIndex,
  pausePlayback,
  reportPosition,
} from './playback-steps.ts'
import type { Reading, TimerName } from './playback-types.ts'

export function applyTimer(next: Draft, name: TimerName, reading: Reading): void {
  switch (name) {
    case 'tick':
      applyReading(next, reading)
      return
    case 'save':
      if (isRunning(next.state)) reportPosition(next)
      return
    case 'heartbeat':
      if (isRunning(next.state) && next.state.lock === 'held') next.effects.push({ type: 'heartbeat' })
      return
    case 'check':
      checkProgress(next, reading)
      return
    case 'countdown':
      countDown(next)
      return
    case 'settle':
      afterSettling(next)
      return
    case 'lock-retry':
      if (next.state.lock === 'asking') askLock(next)
      return
    case 'reload':
      retryLoad(next)
  }
}

function checkProgress(next: Draft, reading: Reading): void {
  const { phase, settling } = next.state
  if (settling !== undefined || (!isRunning(next.state) && phase !== 'starting')) return
  const { position, duration } = reading
  const still = Math.abs(position - next.state.playback.lastChecked) < 0.05
  const stalledChecks = still ? next.state.playback.stalledChecks + 1 : 0
  if (isRunning(next.state)) applyReading(next, reading)
  changePlayback(next, { lastChecked: position, stalledChecks })
  if (!still) return
  const expected = isRunning(next.state) || (next.state.cued && next.state.lock === 'held' && stalledChecks >= 2)
  if (expected && duration > 0 && position >= duration - endToleranceS) {
    endVideo(next)
    return
  }
  if (next.state.lock !== 'held' || next.state.hidden || stalledChecks < 2) return
  if (next.state.note === undefined && stalledChecks >= 3) changeState(next, { note: 'stalled' })
  if (!next.state.reloading) next.effects.push({ type: 'play' })
}

function countDown(next: Draft): void {
  if (next.state.phase !== 'countdown' || next.state.hidden) return
  if (next.state.countdown > 1) changeState(next, { countdown: next.state.countdown - 1 })
  else playNextVideo(next)
}

export function playNextVideo(next: Draft): void {
  next.effects.push({ type: 'stop-timer', name: 'countdown' })
  changeState(next, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  beginVideo(next, nextIndex(next.state), 0, 'play')
}

function afterSettling(next: Draft): void {
  const { settling, running } = next.state
  if (settling === undefined) return
  changeState(next, { settling: undefined })
  if (!isRunning(next.state)) return
  if (running) {
    if (!next.state.playback.playReported) enterPlaying(next)
  } else if (settling === 'pause') pausePlayback(next)
  else next.effects.push({ type: 'play' })
}

export function retryLoad(next: Draft): void {
  const { reloading, phase } = next.state
  if (reloading && (phase === 'starting' || phase === 'paused')) loadVideo(next)
}
