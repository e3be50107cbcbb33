import { changePlayback, changeState, type Draft } from './playback-draft.ts'
import { applyReading } from './playback-provider.ts'
import { endToleranceS, isRunning, nextIndex } from './playback-state.ts'
import {
  beginReachable,
  endVideo,
  enterPlaying,
  loadVideo,
  pausePlayback,
  requestLock,
  savePositionOrReleaseLock,
} from './playback-steps.ts'
import type { Reading, TimerName } from './playback-types.ts'

export function applyTimer(draft: Draft, name: TimerName, reading: Reading): void {
  switch (name) {
    case 'tick':
      applyReading(draft, reading)
      return
    case 'save':
      if (isRunning(draft.state)) savePositionOrReleaseLock(draft)
      return
    case 'heartbeat':
      if (isRunning(draft.state) && draft.state.lock === 'held') draft.effects.push({ type: 'heartbeat' })
      return
    case 'check':
      checkProgress(draft, reading)
      return
    case 'countdown':
      countDown(draft)
      return
    case 'settle':
      finishSettling(draft)
      return
    case 'lock-retry':
      if (draft.state.lock === 'requested') requestLock(draft)
      return
    case 'refusal':
      changeState(draft, { refusal: undefined })
      return
    case 'reload':
      retryLoad(draft)
  }
}

function checkProgress(draft: Draft, reading: Reading): void {
  const { phase, settling } = draft.state
  if (settling !== undefined || (!isRunning(draft.state) && phase !== 'starting')) return
  const { position, duration } = reading
  const isStill = Math.abs(position - draft.state.playback.lastChecked) < 0.05
  const stalledChecks = isStill ? draft.state.playback.stalledChecks + 1 : 0
  if (isRunning(draft.state)) applyReading(draft, reading)
  if (draft.state.settling !== undefined) return
  changePlayback(draft, { lastChecked: position, stalledChecks })
  if (!isStill) return
  const mayEnd = isRunning(draft.state) || (draft.state.cued && draft.state.lock === 'held' && stalledChecks >= 2)
  if (mayEnd && duration > 0 && position >= duration - endToleranceS) {
    endVideo(draft)
    return
  }
  if (draft.state.lock !== 'held' || draft.state.hidden || stalledChecks < 2) return
  if (draft.state.note === undefined && stalledChecks >= 3) changeState(draft, { note: 'stalled' })
  if (!draft.state.reloading) draft.effects.push({ type: 'play' })
}

function countDown(draft: Draft): void {
  if (draft.state.phase !== 'countdown' || draft.state.hidden) return
  if (draft.state.countdown > 1) changeState(draft, { countdown: draft.state.countdown - 1 })
  else playNextVideo(draft)
}

export function playNextVideo(draft: Draft): void {
  draft.effects.push({ type: 'stop-timer', name: 'countdown' })
  changeState(draft, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  beginReachable(draft, nextIndex(draft.state), 0, { intent: 'play', isAttempt: true })
}

function finishSettling(draft: Draft): void {
  const { settling, running } = draft.state
  if (settling === undefined) return
  changeState(draft, { settling: undefined })
  if (!isRunning(draft.state)) return
  if (running) {
    if (!draft.state.playback.playReported) enterPlaying(draft)
  } else if (settling === 'pause') pausePlayback(draft)
  else draft.effects.push({ type: 'play' })
}

export function retryLoad(draft: Draft): void {
  const { reloading, phase } = draft.state
  if (reloading && (phase === 'starting' || phase === 'paused')) loadVideo(draft)
}
