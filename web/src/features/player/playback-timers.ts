import { takeReading } from './playback-provider.ts'
import {
  askLock,
  begin,
  change,
  changePlayback,
  type Draft,
  endToleranceS,
  endVideo,
  isRunning,
  load,
  nextIndex,
  pausePlayback,
  playing,
  save,
} from './playback-steps.ts'
import type { Reading, TimerName } from './playback-types.ts'

export function onTimer(next: Draft, name: TimerName, reading: Reading): void {
  switch (name) {
    case 'tick':
      takeReading(next, reading)
      return
    case 'save':
      if (isRunning(next.state)) save(next)
      return
    case 'heartbeat':
      if (isRunning(next.state) && next.state.lock === 'held') next.effects.push({ type: 'heartbeat' })
      return
    case 'check':
      check(next, reading)
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
      reload(next)
  }
}

function check(next: Draft, reading: Reading): void {
  const { phase, settling } = next.state
  if (settling !== undefined || (!isRunning(next.state) && phase !== 'starting')) return
  const { position, duration } = reading
  const still = Math.abs(position - next.state.playback.lastChecked) < 0.05
  const stalledChecks = still ? next.state.playback.stalledChecks + 1 : 0
  if (isRunning(next.state)) takeReading(next, reading)
  changePlayback(next, { lastChecked: position, stalledChecks })
  if (!still) return
  const expected = isRunning(next.state) || (next.state.cued && next.state.lock === 'held' && stalledChecks >= 2)
  if (expected && duration > 0 && position >= duration - endToleranceS) {
    endVideo(next)
    return
  }
  if (next.state.lock !== 'held' || next.state.hidden || stalledChecks < 2) return
  if (next.state.note === undefined && stalledChecks >= 3) change(next, { note: 'stalled' })
  if (!next.state.reloading) next.effects.push({ type: 'play' })
}

function countDown(next: Draft): void {
  if (next.state.phase !== 'countdown' || next.state.hidden) return
  if (next.state.countdown > 1) change(next, { countdown: next.state.countdown - 1 })
  else advance(next)
}

export function advance(next: Draft): void {
  next.effects.push({ type: 'stop-timer', name: 'countdown' })
  change(next, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  begin(next, nextIndex(next.state), 0, 'play')
}

function afterSettling(next: Draft): void {
  const { settling, running } = next.state
  if (settling === undefined) return
  change(next, { settling: undefined })
  if (!isRunning(next.state)) return
  if (running) {
    if (!next.state.playback.playReported) playing(next)
  } else if (settling === 'pause') pausePlayback(next)
  else next.effects.push({ type: 'play' })
}

export function reload(next: Draft): void {
  const { reloading, phase } = next.state
  if (reloading && (phase === 'starting' || phase === 'paused')) load(next)
}
