import { limits } from '@watchline/contracts/limits'
import type { ProviderEvent } from '../adapters/adapter.ts'
import {
  changePlayback,
  changeState,
  closeReportedPlay,
  currentVideo,
  type Draft,
  endVideo,
  enterPlaying,
  isNearEnd,
  isRunning,
  playWhenReady,
  reportEvent,
  resume,
  startCountdownOrComplete,
  startSettling,
  stopPlaybackTimers,
} from './playback-steps.ts'
import type { Reading } from './playback-types.ts'

/** Between two readings of a playing video; more is a jump and no playback. */
const longestTickS = 5

export function applyProviderEvent(next: Draft, event: ProviderEvent, reading: Reading): void {
  switch (event.type) {
    case 'ready':
      return
    case 'cued':
      if (next.state.cued) return
      changeState(next, { cued: true, running: false })
      if (reading.duration > 0) changePlayback(next, { duration: reading.duration })
      playWhenReady(next)
      return
    case 'playing':
      providerPlays(next)
      return
    case 'paused':
      changeState(next, { running: false })
      if (!isRunning(next.state) || next.state.settling === 'seek') return
      applyReading(next, reading)
      if (isNearEnd(next.state)) endVideo(next)
      else startSettling(next, 'pause')
      return
    case 'buffering':
      if (!isRunning(next.state)) return
      changeState(next, { phase: 'buffering', running: true })
      return
    case 'ended':
      providerEnds(next, reading)
      return
    case 'blocked':
      if (next.state.phase !== 'starting' && !isRunning(next.state)) return
      closeReportedPlay(next)
      stopPlaybackTimers(next)
      changeState(next, { phase: 'blocked', running: false, settling: undefined, note: undefined })
      return
    case 'error':
      providerFails(next, event)
  }
}

function providerPlays(next: Draft): void {
  const { phase, running, intent: want, lock, hidden, settling } = next.state
  changeState(next, { cued: true })
  const expected = isRunning(next.state) || phase === 'starting' || phase === 'blocked'
  if (expected && want === 'play' && lock === 'held' && !hidden) {
    enterPlaying(next)
    return
  }
  // Whatever else started it, it may not run yet. The video was stopped and someone pressed play inside the frame: a wish.
  const pressed = phase === 'paused' && !running && !hidden && settling === undefined
  changeState(next, { running: true })
  next.effects.push({ type: 'pause' })
  if (pressed) resume(next)
}

function providerEnds(next: Draft, reading: Reading): void {
  changeState(next, { running: false })
  const { phase, intent: want, cued, playback, strangeEnds } = next.state
  const furthest = Math.max(playback.position, reading.position)
  const duration = reading.duration || playback.duration
  if (!isRunning(next.state)) {
    // Stopped by the viewer in the very last moment: the end may still be told.
    if (cued && (phase === 'paused' || phase === 'starting') && isNearEnd(next.state)) endVideo(next)
    return
  }
  if (want === 'play' && duration > 0 && furthest < duration - limits.positionToleranceS && strangeEnds === 0) {
    // An advertisement ended, not the video. Once: a video that insists is over.
    changeState(next, { strangeEnds: strangeEnds + 1, phase: 'buffering' })
    next.effects.push({ type: 'play' })
    return
  }
  changePlayback(next, { position: Math.min(furthest, duration || furthest), duration })
  endVideo(next)
}

function providerFails(next: Draft, error: Extract<ProviderEvent, { type: 'error' }>): void {
  const { phase, index, online, failures } = next.state
  const video = currentVideo(next.state)
  if (!video || phase === 'countdown') return
  if (phase === 'elsewhere' || phase === 'refused' || phase === 'unassigned' || phase === 'checking') {
    changeState(next, { running: false, cued: false, reloading: true, failures: failures + 1 })
    return
  }
  stopPlaybackTimers(next)
  closeReportedPlay(next)
  changeState(next, { running: false, cued: false, settling: undefined })
  if (!error.unavailable && (error.network || !online || failures < 1)) {
    const count = failures + 1
    changeState(next, {
      failures: count,
      reloading: true,
      note: 'unreachable',
      phase: phase === 'paused' ? 'paused' : 'starting',
    })
    const ms = Math.min(30_000, 1_000 * 2 ** Math.min(count - 1, 5))
    next.effects.push({ type: 'start-timer', name: 'reload', ms, repeat: false, jitter: true })
    return
  }
  changeState(next, {
    unavailable: next.state.unavailable.includes(video.id)
      ? next.state.unavailable
      : [...next.state.unavailable, video.id],
    note: 'unavailable',
    reason: error.reason,
  })
  next.effects.push({ type: 'unavailable', index, code: error.code, reason: error.reason })
  startCountdownOrComplete(next)
}

export function applyReading(next: Draft, reading: Reading): void {
  if (!isRunning(next.state) || next.state.settling === 'seek') return
  const delta = reading.position - next.state.playback.position
  const { watched, sinceReport, duration } = next.state.playback
  const moved = delta > 0 && delta <= longestTickS
  changePlayback(next, {
    position: reading.position,
    duration: reading.duration || duration,
    rate: reading.rate,
    watched: moved ? watched + delta : watched,
    sinceReport: moved ? sinceReport + delta : sinceReport,
  })
  if (!moved) return
  if (next.state.failures > 0 || next.state.note === 'stalled') changeState(next, { failures: 0, note: undefined })
  // YouTube does not always say that buffering is over.
  if (next.state.phase === 'buffering') enterPlaying(next)
  if (next.state.playback.sinceReport >= limits.playingEventS && next.state.playback.playReported)
    reportEvent(next, 'playing')
}
