import type { SessionStatus } from '@watchline/contracts/playback'
import { lockAnswered, lockLost } from './playback-lock.ts'
import { fromProvider } from './playback-provider.ts'
import {
  askLock,
  begin,
  change,
  changePlayback,
  closePlay,
  type Draft,
  done,
  draft,
  endToleranceS,
  isRunning,
  load,
  nextIndex,
  pausePlayback,
  playableFrom,
  playWhenReady,
  releaseLock,
  resume,
  save,
  settle,
  startCheck,
  stopPlaybackTimers,
} from './playback-steps.ts'
import { advance, onTimer, reload } from './playback-timers.ts'
import type { SessionEvent, SessionState, Step } from './playback-types.ts'

/** Between two readings of a playing video; more is a jump and no playback. */
const _longestTickS = 5
const finalPhases: readonly SessionState['phase'][] = ['empty', 'completed', 'unplayable', 'left']

/**
 * One monitored session as a pure function: nothing here touches a player, a clock or the network. What must hold:
 * `play` is only ordered while the lock is held and the page is seen; a video ends at most once; a load that has been
 * replaced has no say any more.
 */
export function step(before: SessionState, event: SessionEvent): Step {
  const next = draft(before)
  if (finalPhases.includes(before.phase)) {
    if (before.phase !== 'left' && event.type === 'leave') leave(next)
    else if (event.type === 'hidden') next.effects.push({ type: 'flush' })
    return done(next)
  }
  switch (event.type) {
    case 'start':
      start(next)
      break
    case 'status-answered':
      if (before.phase === 'checking') statusAnswered(next, event.status, event.wasPlaying ?? false)
      break
    case 'lock-answered':
      if (event.ask === before.ask && before.lock === 'asking') lockAnswered(next, event)
      break
    case 'lock-lost':
      lockLost(next)
      break
    case 'provider':
      if (event.load === before.load) fromProvider(next, event.event, event.reading)
      break
    case 'timer':
      onTimer(next, event.name, event.reading)
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
        change(next, { phase: 'starting', want: 'play' })
        startCheck(next)
        askLock(next, true)
      }
      break
    case 'try-again':
      if (before.phase === 'refused') resume(next)
      break
    case 'dismiss-banner':
      change(next, { banner: undefined })
      break
    case 'hidden':
      hidden(next)
      break
    case 'visible':
      change(next, { hidden: false })
      playWhenReady(next)
      break
    case 'online':
      online(next)
      break
    case 'offline':
      change(next, { online: false })
      break
    case 'leave':
      leave(next)
      break
  }
  return done(next)
}

function start(next: Draft): void {
  const { playlist, launch } = next.state
  if (playlist.videos.length === 0) {
    change(next, { phase: 'empty' })
    return
  }
  const first = playableFrom(next.state, 0)
  if (first < 0) {
    change(next, { phase: 'unplayable' })
    return
  }
  const asked = launch?.startVideoId
    ? playlist.videos.findIndex(video => video.id === launch.startVideoId)
    : launch?.startTimestamp === undefined
      ? -1
      : first
  if (launch && asked >= 0) {
    change(next, { banner: launch.notificationAction ?? 'view' })
    begin(next, asked, clipped(launch.startTimestamp ?? 0, playlist.videos[asked]!.duration), 'play')
    return
  }
  next.effects.push({ type: 'check-status' })
}

function statusAnswered(next: Draft, status: SessionStatus | undefined, wasPlaying: boolean): void {
  const { playlist } = next.state
  const tookOver = next.state.lock === 'held'
  const index = status?.current_video_index ?? -1
  const video = playlist.videos[index]
  if (!status?.can_resume || status.current_playlist_id !== playlist.id || !video) {
    if (tookOver) begin(next, next.state.index, next.state.playback.position, 'play')
    else begin(next, playableFrom(next.state, 0), 0, 'play')
    return
  }
  const want = tookOver || status.is_monitoring || wasPlaying ? 'play' : 'pause'
  const before = playlist.videos.slice(0, index).reduce((sum, each) => sum + each.duration, 0)
  const progress = status.video_progress ?? 0
  const atItsEnd = progress >= video.duration - endToleranceS
  change(next, {
    index,
    watchedBefore: before + Math.min(progress, video.duration),
    banner: index > 0 || progress > 0 ? 'resumed' : undefined,
  })
  const following = nextIndex(next.state)
  if (atItsEnd && following >= 0) begin(next, following, 0, want)
  else begin(next, index, atItsEnd ? 0 : progress, want)
}

function toggle(next: Draft): void {
  const { phase, want } = next.state
  if (isRunning(next.state) || (phase === 'starting' && want === 'play')) pausePlayback(next)
  else if (phase === 'paused' || phase === 'blocked') resume(next)
}

function seek(next: Draft, to: number): void {
  const { phase, cued, playback } = next.state
  if (!isRunning(next.state) && !['starting', 'paused', 'blocked'].includes(phase)) return
  const target = clipped(to, playback.duration)
  closePlay(next)
  changePlayback(next, { position: target, sinceReport: 0, lastChecked: -1, stalledChecks: 0 })
  change(next, { strangeEnds: 0 })
  if (cued) {
    next.effects.push({ type: 'seek', to: target })
    settle(next, 'seek')
  } else load(next)
  save(next)
}

function skip(next: Draft): void {
  const { phase } = next.state
  if (nextIndex(next.state) < 0) return
  if (phase === 'countdown') {
    advance(next)
    return
  }
  if (!isRunning(next.state) && !['starting', 'paused', 'blocked'].includes(phase)) return
  next.effects.push({ type: 'pause' })
  stopPlaybackTimers(next)
  closePlay(next)
  if (next.state.playback.position !== next.state.playback.lastSaved) save(next)
  advance(next)
}

function hidden(next: Draft): void {
  change(next, { hidden: true })
  const { phase, want } = next.state
  if (isRunning(next.state) || phase === 'blocked' || (phase === 'starting' && want === 'play'))
    pausePlayback(next, 'hidden')
  else if (phase === 'countdown') releaseLock(next)
  else if (phase === 'paused' && next.state.playback.position !== next.state.playback.lastSaved) save(next)
  next.effects.push({ type: 'flush' })
}

function online(next: Draft): void {
  change(next, { online: true })
  if (next.state.lock === 'asking' && next.state.askFailures > 0) askLock(next)
  reload(next)
  if (isRunning(next.state) && next.state.lock === 'held') next.effects.push({ type: 'heartbeat' })
}

function leave(next: Draft): void {
  if (isRunning(next.state) || ['starting', 'blocked'].includes(next.state.phase)) pausePlayback(next)
  else {
    stopPlaybackTimers(next)
    releaseLock(next)
  }
  for (const name of ['lock-retry', 'countdown'] as const) next.effects.push({ type: 'stop-timer', name })
  next.effects.push({ type: 'flush' }, { type: 'destroy' })
  change(next, { phase: 'left' })
}

function clipped(position: number, duration: number): number {
  const most = duration > 0 ? duration : position
  return Number.isFinite(position) ? Math.max(0, Math.min(position, most)) : 0
}
