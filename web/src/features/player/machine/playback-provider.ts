import { limits } from '@watchline/contracts/limits'
import type { ProviderEvent } from '../adapters/adapter.ts'
import { changePlayback, changeState, type Draft } from './playback-draft.ts'
import { extendReach, isAhead } from './playback-reach.ts'
import { currentVideo, isNearEnd, isRunning } from './playback-state.ts'
import {
  closeReportedPlay,
  endVideo,
  enterPlaying,
  playWhenReady,
  reportEvent,
  resume,
  returnToReach,
  startCountdownOrComplete,
  startSettling,
  stopPlaybackTimers,
} from './playback-steps.ts'
import type { Reading, SessionState } from './playback-types.ts'

/** A larger step between two readings (s) is a jump, not playback. */
const maxTickS = 5

export function applyProviderEvent(draft: Draft, event: ProviderEvent, reading: Reading): void {
  switch (event.type) {
    case 'ready':
      return
    case 'cued':
      if (draft.state.cued) return
      changeState(draft, { cued: true, running: false })
      if (reading.duration > 0) changePlayback(draft, { duration: reading.duration })
      playWhenReady(draft)
      return
    case 'playing':
      applyPlaying(draft)
      return
    case 'paused':
      changeState(draft, { running: false })
      if (!isRunning(draft.state) || draft.state.settling === 'seek') return
      if (isJumpAhead(draft.state, reading.position)) {
        returnToReach(draft)
        return
      }
      applyReading(draft, reading)
      if (isNearEnd(draft.state)) endVideo(draft)
      else startSettling(draft, 'pause')
      return
    case 'buffering':
      if (!isRunning(draft.state)) return
      changeState(draft, { phase: 'buffering', running: true })
      return
    case 'ended':
      applyEnded(draft, reading)
      return
    case 'blocked':
      changeState(draft, { running: false })
      if (draft.state.phase !== 'starting' && !isRunning(draft.state)) return
      closeReportedPlay(draft)
      stopPlaybackTimers(draft)
      changeState(draft, { phase: 'blocked', settling: undefined, note: undefined })
      return
    case 'error':
      applyError(draft, event)
  }
}

function applyPlaying(draft: Draft): void {
  const { phase, running, intent, lock, hidden, settling } = draft.state
  changeState(draft, { cued: true })
  const isExpected = isRunning(draft.state) || phase === 'starting' || phase === 'blocked'
  if (isExpected && intent === 'play' && lock === 'held' && !hidden) {
    enterPlaying(draft)
    return
  }
  // The video may not play yet. If it was paused, the viewer pressed play inside the provider's
  // frame, which counts as the wish to play.
  const isViewerPlay = phase === 'paused' && !running && !hidden && settling === undefined
  changeState(draft, { running: true })
  draft.effects.push({ type: 'pause' })
  if (isViewerPlay) resume(draft)
}

function applyEnded(draft: Draft, reading: Reading): void {
  changeState(draft, { running: false })
  const { phase, intent, cued, playback, unexpectedEnds } = draft.state
  const furthest = Math.max(playback.position, reading.position)
  const duration = reading.duration || playback.duration
  if (!isRunning(draft.state)) {
    // The viewer may have paused just before the end was reported.
    if (cued && (phase === 'paused' || phase === 'starting') && isNearEnd(draft.state)) endVideo(draft)
    return
  }
  if (isJumpAhead(draft.state, furthest)) {
    returnToReach(draft)
    return
  }
  if (intent === 'play' && duration > 0 && furthest < duration - limits.positionToleranceS && unexpectedEnds === 0) {
    // An advertisement ended, not the video. The second early end is accepted.
    changeState(draft, { unexpectedEnds: unexpectedEnds + 1, phase: 'buffering' })
    draft.effects.push({ type: 'play' })
    return
  }
  changePlayback(draft, { position: Math.min(furthest, duration || furthest), duration })
  endVideo(draft)
}

function applyError(draft: Draft, error: Extract<ProviderEvent, { type: 'error' }>): void {
  const { phase, index, online, failures } = draft.state
  const video = currentVideo(draft.state)
  if (!video || phase === 'countdown') return
  if (['elsewhere', 'playlist-changed', 'refused', 'unassigned', 'checking'].includes(phase)) {
    changeState(draft, { running: false, cued: false, reloading: true, failures: failures + 1 })
    return
  }
  stopPlaybackTimers(draft)
  closeReportedPlay(draft)
  changeState(draft, { running: false, cued: false, settling: undefined })
  if (!error.unavailable && (error.network || !online || failures < 1)) {
    const count = failures + 1
    changeState(draft, {
      failures: count,
      reloading: true,
      note: error.network || !online ? 'unreachable' : 'failing',
      phase: phase === 'paused' ? 'paused' : 'starting',
    })
    const ms = Math.min(30_000, 1_000 * 2 ** Math.min(count - 1, 5))
    draft.effects.push({ type: 'start-timer', name: 'reload', ms, repeat: false, jitter: true })
    return
  }
  changeState(draft, {
    unavailable: draft.state.unavailable.includes(video.id)
      ? draft.state.unavailable
      : [...draft.state.unavailable, video.id],
    note: 'unavailable',
    reason: error.reason,
  })
  draft.effects.push({ type: 'unavailable', index, code: error.code, reason: error.reason })
  startCountdownOrComplete(draft)
}

export function applyReading(draft: Draft, reading: Reading): void {
  if (!isRunning(draft.state) || draft.state.settling === 'seek') return
  if (isJumpAhead(draft.state, reading.position)) {
    returnToReach(draft)
    return
  }
  const delta = reading.position - draft.state.playback.position
  const { watched, sinceReport, duration, furthest } = draft.state.playback
  const isPlayback = delta > 0 && delta <= maxTickS
  const hasNewRate = reading.rate !== draft.state.playback.rate && draft.state.playback.playReported
  changePlayback(draft, {
    position: reading.position,
    duration: reading.duration || duration,
    // A report may cover both speeds. The server credits no more than the faster one allows.
    rate: Math.max(draft.state.playback.rate, reading.rate),
    watched: isPlayback ? watched + delta : watched,
    sinceReport: isPlayback ? sinceReport + delta : sinceReport,
    furthest: isPlayback ? Math.max(furthest, extendReach(draft.state, reading.position)) : furthest,
  })
  if (hasNewRate) reportEvent(draft, 'playing')
  changePlayback(draft, { rate: reading.rate })
  if (!isPlayback) return
  if (draft.state.failures > 0 || draft.state.note === 'stalled') changeState(draft, { failures: 0, note: undefined })
  // YouTube does not always report the end of buffering.
  if (draft.state.phase === 'buffering') enterPlaying(draft)
  if (draft.state.playback.sinceReport >= limits.playingEventS && draft.state.playback.playReported)
    reportEvent(draft, 'playing')
}

/**
 * Playback skipped ahead without an event of this page, for example by keys inside YouTube's frame.
 */
function isJumpAhead(state: SessionState, position: number): boolean {
  return position - state.playback.position > maxTickS && isAhead(state, position)
}
