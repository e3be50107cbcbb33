import type { SessionStatus } from '@watchline/contracts/playback'
import { applyLockAnswer, requestLostLock } from './playback-lock.ts'
import { applyProviderEvent } from './playback-provider.ts'
import {
  askLock,
  beginVideo,
  changePlayback,
  changeState,
  closeReportedPlay,
  createDraft,
  type Draft,
  endToleranceS,
  finishDraft,
  isRunning,
  loadVideo,
  nextIndex,
  nextPlayableIndex,
  pausePlayback,
  playWhenReady,
  releaseLock,
  reportPosition,
  resume,
  startProgressCheck,
  startSettling,
  stopPlaybackTimers,
} from './playback-steps.ts'
import { applyTimer, playNextVideo, retryLoad } from './playback-timers.ts'
import type { SessionEvent, SessionState, Step } from './playback-types.ts'

const finalPhases: readonly SessionState['phase'][] = ['empty', 'completed', 'unplayable', 'left']

/**
 * One monitored session as a pure function: nothing here touches a player, a clock or the network. What must hold:
 * `play` is only ordered while the lock is held and the page is seen; a video ends at most once; a load that has been
 * replaced has no say any more.
 */
export function step(before: SessionState, event: SessionEvent): Step {
  const next = createDraft(before)
  if (finalPhases.includes(before.phase)) {
    if (before.phase !== 'left' && event.type === 'leave') leaveSession(next)
    else if (event.type === 'hidden') next.effects.push({ type: 'flush' })
    return finishDraft(next)
  }
  switch (event.type) {
    case 'start':
      startSession(next)
      break
    case 'status-answered':
      if (before.phase === 'checking') applyStatus(next, event.status, event.wasPlaying ?? false)
      break
    case 'lock-answered':
      if (event.ask === before.lockRequest && before.lock === 'asking') applyLockAnswer(next, event)
      break
    case 'lock-lost':
      requestLostLock(next)
      break
    case 'provider':
      if (event.load === before.load) applyProviderEvent(next, event.event, event.reading)
      break
    case 'timer':
      applyTimer(next, event.name, event.reading)
      break
    case 'toggle':
      toggle(next)
      break
    case 'seek':
      seek(next, event.to)
      break
    case 'skip':
      skip(next)
      break
    case 'continue-here':
      if (before.phase === 'elsewhere') {
        changeState(next, { phase: 'starting', intent: 'play' })
        startProgressCheck(next)
        askLock(next, true)
      }
      break
    case 'try-again':
      if (before.phase === 'refused') resume(next)
      break
    case 'dismiss-banner':
      changeState(next, { banner: undefined })
      break
    case 'hidden':
      hidePage(next)
      break
    case 'visible':
      changeState(next, { hidden: false })
      playWhenReady(next)
      break
    case 'online':
      goOnline(next)
      break
    case 'offline':
      changeState(next, { online: false })
      break
    case 'leave':
      leaveSession(next)
      break
  }
  return finishDraft(next)
}

function startSession(next: Draft): void {
  const { playlist, launch } = next.state
  if (playlist.videos.length === 0) {
    changeState(next, { phase: 'empty' })
    return
  }
  const first = nextPlayableIndex(next.state, 0)
  if (first < 0) {
    changeState(next, { phase: 'unplayable' })
    return
  }
  const asked = launch?.startVideoId
    ? playlist.videos.findIndex(video => video.id === launch.startVideoId)
    : launch?.startTimestamp === undefined
      ? -1
      : first
  if (launch && asked >= 0) {
    changeState(next, { banner: launch.notificationAction ?? 'view' })
    beginVideo(next, asked, clipPosition(launch.startTimestamp ?? 0, playlist.videos[asked]!.duration), 'play')
    return
  }
  next.effects.push({ type: 'check-status' })
}

function applyStatus(next: Draft, status: SessionStatus | undefined, wasPlaying: boolean): void {
  const { playlist } = next.state
  const tookOver = next.state.lock === 'held'
  const index = status?.current_video_index ?? -1
  const video = playlist.videos[index]
  if (!status?.can_resume || status.current_playlist_id !== playlist.id || !video) {
    if (tookOver) beginVideo(next, next.state.index, next.state.playback.position, 'play')
    else beginVideo(next, nextPlayableIndex(next.state, 0), 0, 'play')
    return
  }
  const want = tookOver || status.is_monitoring || wasPlaying ? 'play' : 'pause'
  const before = playlist.videos.slice(0, index).reduce((sum, each) => sum + each.duration, 0)
  const progress = status.video_progress ?? 0
  const atItsEnd = progress >= video.duration - endToleranceS
  changeState(next, {
    index,
    watchedBefore: before + Math.min(progress, video.duration),
    banner: index > 0 || progress > 0 ? 'resumed' : undefined,
  })
  const following = nextIndex(next.state)
  if (atItsEnd && following >= 0) beginVideo(next, following, 0, want)
  else beginVideo(next, index, atItsEnd ? 0 : progress, want)
}

function toggle(next: Draft): void {
  const { phase, intent: want } = next.state
  if (isRunning(next.state) || (phase === 'starting' && want === 'play')) pausePlayback(next)
  else if (phase === 'paused' || phase === 'blocked') resume(next)
}

function seek(next: Draft, to: number): void {
  const { phase, cued, playback } = next.state
  if (!isRunning(next.state) && !['starting', 'paused', 'blocked'].includes(phase)) return
  const target = clipPosition(to, playback.duration)
  closeReportedPlay(next)
  changePlayback(next, { position: target, sinceReport: 0, lastChecked: -1, stalledChecks: 0 })
  changeState(next, { strangeEnds: 0 })
  if (cued) {
    next.effects.push({ type: 'seek', to: target })
    startSettling(next, 'seek')
  } else loadVideo(next)
  reportPosition(next)
}

function skip(next: Draft): void {
  const { phase } = next.state
  if (nextIndex(next.state) < 0) return
  if (phase === 'countdown') {
    playNextVideo(next)
    return
  }
  if (!isRunning(next.state) && !['starting', 'paused', 'blocked'].includes(phase)) return
  next.effects.push({ type: 'pause' })
  stopPlaybackTimers(next)
  closeReportedPlay(next)
  if (next.state.playback.position !== next.state.playback.lastSaved) reportPosition(next)
  playNextVideo(next)
}

function hidePage(next: Draft): void {
  changeState(next, { hidden: true })
  const { phase, intent: want } = next.state
  if (isRunning(next.state) || phase === 'blocked' || (phase === 'starting' && want === 'play'))
    pausePlayback(next, 'hidden')
  else if (phase === 'countdown') releaseLock(next)
  else if (phase === 'paused' && next.state.playback.position !== next.state.playback.lastSaved) reportPosition(next)
  next.effects.push({ type: 'flush' })
}

function goOnline(next: Draft): void {
  changeState(next, { online: true })
  if (next.state.lock === 'asking' && next.state.lockFailures > 0) askLock(next)
  retryLoad(next)
  if (isRunning(next.state) && next.state.lock === 'held') next.effects.push({ type: 'heartbeat' })
}

function leaveSession(next: Draft): void {
  if (isRunning(next.state) || ['starting', 'blocked'].includes(next.state.phase)) pausePlayback(next)
  else {
    stopPlaybackTimers(next)
    releaseLock(next)
  }
  for (const name of ['lock-retry', 'countdown'] as const) next.effects.push({ type: 'stop-timer', name })
  next.effects.push({ type: 'flush' }, { type: 'destroy' })
  changeState(next, { phase: 'left' })
}

function clipPosition(position: number, duration: number): number {
  const most = duration > 0 ? duration : position
  return Number.isFinite(position) ? Math.max(0, Math.min(position, most)) : 0
}
