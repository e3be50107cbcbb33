import type { SessionStatus } from '@watchline/contracts/playback'
import { changePlayback, changeState, createDraft, type Draft, finishDraft } from './playback-draft.ts'
import { applyLockAnswer, requestLostLock } from './playback-lock.ts'
import { applyProviderEvent } from './playback-provider.ts'
import { endToleranceS, isRunning, nextIndex, nextPlayableIndex } from './playback-state.ts'
import {
  beginVideo,
  closeReportedPlay,
  completePlaylist,
  loadVideo,
  pausePlayback,
  playWhenReady,
  releaseLock,
  reportPosition,
  requestLock,
  resume,
  startProgressCheck,
  startSettling,
  stopPlaybackTimers,
} from './playback-steps.ts'
import { applyTimer, playNextVideo, retryLoad } from './playback-timers.ts'
import type { SessionEvent, SessionState, Transition } from './playback-types.ts'

const finalPhases: readonly SessionState['phase'][] = ['empty', 'completed', 'unplayable', 'left']

/**
 * One monitored session as a pure function, without player, clock and network. Invariants: the
 * effect `play` occurs only while the lock is held and the page is visible. A video ends at most
 * once. Events of a replaced load change nothing.
 */
export function applySessionEvent(before: SessionState, event: SessionEvent): Transition {
  const draft = createDraft(before)
  const reopens = event.type === 'go-to' && before.phase === 'completed'
  if (finalPhases.includes(before.phase) && !reopens) {
    if (before.phase !== 'left' && event.type === 'leave') leaveSession(draft)
    else if (event.type === 'hidden') draft.effects.push({ type: 'flush' })
    return finishDraft(draft)
  }
  switch (event.type) {
    case 'start':
      startSession(draft)
      break
    case 'status-answered':
      if (before.phase === 'checking') applyStatus(draft, event.status, event.wasPlaying ?? false)
      break
    case 'video-chosen':
      if (before.phase === 'checking') beginVideo(draft, event.index, event.position, 'play')
      break
    case 'lock-answered':
      if (event.request === before.lockRequest && before.lock === 'requested') applyLockAnswer(draft, event)
      break
    case 'lock-lost':
      requestLostLock(draft)
      break
    case 'provider':
      if (event.load === before.load) applyProviderEvent(draft, event.event, event.reading)
      break
    case 'timer':
      applyTimer(draft, event.name, event.reading)
      break
    case 'toggle':
      toggle(draft)
      break
    case 'seek':
      seek(draft, event.to)
      break
    case 'skip':
      skip(draft)
      break
    case 'go-to':
      goTo(draft, event.index, event.to)
      break
    case 'finish':
      if (leaveVideo(draft)) completePlaylist(draft)
      break
    case 'suspend':
      suspend(draft)
      break
    case 'continue-here':
      if (before.phase === 'elsewhere') {
        changeState(draft, { phase: 'starting', intent: 'play' })
        startProgressCheck(draft)
        requestLock(draft, true)
      }
      break
    case 'try-again':
      if (before.phase === 'refused') resume(draft)
      break
    case 'dismiss-banner':
      changeState(draft, { banner: undefined })
      break
    case 'hidden':
      hidePage(draft)
      break
    case 'visible':
      changeState(draft, { hidden: false })
      playWhenReady(draft)
      break
    case 'online':
      goOnline(draft)
      break
    case 'offline':
      changeState(draft, { online: false })
      break
    case 'leave':
      leaveSession(draft)
      break
  }
  return finishDraft(draft)
}

function startSession(draft: Draft): void {
  const { playlist, launch } = draft.state
  if (playlist.videos.length === 0) {
    changeState(draft, { phase: 'empty' })
    return
  }
  const first = nextPlayableIndex(draft.state, 0)
  if (first < 0) {
    changeState(draft, { phase: 'unplayable' })
    return
  }
  const launchIndex = launch?.startVideoId
    ? playlist.videos.findIndex(video => video.id === launch.startVideoId)
    : launch?.startTimestamp === undefined
      ? -1
      : first
  if (launch && launchIndex >= 0) {
    changeState(draft, { banner: launch.notificationAction ?? 'view' })
    const { duration } = playlist.videos[launchIndex]!
    beginVideo(draft, launchIndex, clipPosition(launch.startTimestamp ?? 0, duration), 'play')
    return
  }
  draft.effects.push({ type: 'check-status' })
}

function applyStatus(draft: Draft, status: SessionStatus | undefined, wasPlaying: boolean): void {
  const { playlist } = draft.state
  const hasTakenOver = draft.state.lock === 'held'
  const index = status?.current_video_index ?? -1
  const video = playlist.videos[index]
  if (!status?.can_resume || status.current_playlist_id !== playlist.id || !video) {
    if (hasTakenOver) beginVideo(draft, draft.state.index, draft.state.playback.position, 'play')
    else beginVideo(draft, nextPlayableIndex(draft.state, 0), 0, 'play')
    return
  }
  const intent = hasTakenOver || status.is_monitoring || wasPlaying ? 'play' : 'pause'
  const progress = status.video_progress ?? 0
  const isAtEnd = progress >= video.duration - endToleranceS
  changeState(draft, {
    index,
    banner: index > 0 || progress > 0 ? 'resumed' : undefined,
  })
  const following = nextIndex(draft.state)
  if (isAtEnd && following >= 0) beginVideo(draft, following, 0, intent)
  else beginVideo(draft, index, isAtEnd ? 0 : progress, intent)
}

function toggle(draft: Draft): void {
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || (phase === 'starting' && intent === 'play')) pausePlayback(draft)
  else if (phase === 'paused' || phase === 'blocked') resume(draft)
}

function seek(draft: Draft, to: number): void {
  const { phase, cued, playback } = draft.state
  if (!isRunning(draft.state) && !['starting', 'paused', 'blocked'].includes(phase)) return
  const target = clipPosition(to, playback.duration)
  closeReportedPlay(draft)
  changePlayback(draft, { position: target, sinceReport: 0, lastChecked: -1, stalledChecks: 0 })
  changeState(draft, { unexpectedEnds: 0 })
  if (cued) {
    draft.effects.push({ type: 'seek', to: target })
    startSettling(draft, 'seek')
  } else loadVideo(draft)
  reportPosition(draft)
}

function skip(draft: Draft): void {
  if (nextIndex(draft.state) >= 0 && leaveVideo(draft)) playNextVideo(draft)
}

function goTo(draft: Draft, index: number, to: number): void {
  const video = draft.state.playlist.videos[index]
  if (!video) return
  const { phase, cued, ended, intent } = draft.state
  if (index === draft.state.index && cued && !ended && (isRunning(draft.state) || phase === 'paused')) {
    seek(draft, to)
    if (intent !== 'play') resume(draft)
    return
  }
  if (phase !== 'completed' && !leaveVideo(draft)) return
  changeState(draft, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  beginVideo(draft, index, clipPosition(to, video.duration), 'play')
}

/** Ends the play of this video, or the countdown after it. False: there is nothing to leave. */
function leaveVideo(draft: Draft): boolean {
  const { phase } = draft.state
  draft.effects.push({ type: 'stop-timer', name: 'countdown' })
  if (phase === 'countdown') return true
  if (!isRunning(draft.state) && !['starting', 'paused', 'blocked'].includes(phase)) return false
  draft.effects.push({ type: 'pause' })
  stopPlaybackTimers(draft)
  closeReportedPlay(draft)
  if (draft.state.playback.position !== draft.state.playback.lastSaved) reportPosition(draft)
  return true
}

function hidePage(draft: Draft): void {
  changeState(draft, { hidden: true })
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || phase === 'blocked' || (phase === 'starting' && intent === 'play'))
    pausePlayback(draft, 'hidden')
  else if (phase === 'countdown') releaseLock(draft)
  else if (phase === 'paused' && draft.state.playback.position !== draft.state.playback.lastSaved) reportPosition(draft)
  draft.effects.push({ type: 'flush' })
}

function suspend(draft: Draft): void {
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || phase === 'blocked' || (phase === 'starting' && intent === 'play')) pausePlayback(draft)
  else if (phase === 'countdown') {
    draft.effects.push({ type: 'stop-timer', name: 'countdown' })
    releaseLock(draft)
    changeState(draft, { phase: 'paused', intent: 'pause', countdown: 0 })
  } else if (phase === 'paused' && draft.state.playback.position !== draft.state.playback.lastSaved)
    reportPosition(draft)
}

function goOnline(draft: Draft): void {
  changeState(draft, { online: true })
  if (draft.state.lock === 'requested' && draft.state.lockFailures > 0) requestLock(draft)
  retryLoad(draft)
  if (isRunning(draft.state) && draft.state.lock === 'held') draft.effects.push({ type: 'heartbeat' })
}

function leaveSession(draft: Draft): void {
  if (isRunning(draft.state) || ['starting', 'blocked'].includes(draft.state.phase)) pausePlayback(draft)
  else {
    stopPlaybackTimers(draft)
    releaseLock(draft)
  }
  for (const name of ['lock-retry', 'countdown'] as const) draft.effects.push({ type: 'stop-timer', name })
  draft.effects.push({ type: 'flush' }, { type: 'destroy' })
  changeState(draft, { phase: 'left' })
}

function clipPosition(position: number, duration: number): number {
  const end = duration > 0 ? duration : position
  return Number.isFinite(position) ? Math.max(0, Math.min(position, end)) : 0
}
