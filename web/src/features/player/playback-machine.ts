import { limits } from '@watchline/contracts/limits'
import type { SessionStatus } from '@watchline/contracts/playback'
import type { ProviderEvent } from './adapters/adapter.ts'
import {
  askLock,
  begin,
  change,
  changePlayback,
  closePlay,
  currentVideo,
  type Draft,
  done,
  draft,
  endToleranceS,
  endVideo,
  isRunning,
  load,
  moveOn,
  nearEnd,
  nextIndex,
  pausePlayback,
  playableFrom,
  playing,
  playWhenReady,
  releaseLock,
  resume,
  save,
  settle,
  startCheck,
  stopPlaybackTimers,
  track,
} from './playback-steps.ts'
import type { Reading, SessionEvent, SessionState, Step, TimerName } from './playback-types.ts'

/** Between two readings of a playing video; more is a jump and no playback. */
const longestTickS = 5
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

function lockAnswered(next: Draft, answer: Extract<SessionEvent, { type: 'lock-answered' }>): void {
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

/** Stands still without the lock until the viewer does something about it. */
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

/**
 * A call was refused for want of the lock. It may have been taken, or only have run out while the machine slept: asking
 * tells. Nothing plays until then.
 */
function lockLost(next: Draft): void {
  if (next.state.lock !== 'held' || next.state.phase === 'countdown' || next.state.phase === 'checking') return
  next.effects.push({ type: 'pause' })
  stopPlaybackTimers(next)
  closePlay(next)
  change(next, { phase: 'starting', want: 'play', settling: undefined, regaining: true })
  startCheck(next)
  if (next.state.reloading) load(next)
  askLock(next, false)
}

function fromProvider(next: Draft, event: ProviderEvent, reading: Reading): void {
  switch (event.type) {
    case 'ready':
      return
    case 'cued':
      if (next.state.cued) return
      change(next, { cued: true, running: false })
      if (reading.duration > 0) changePlayback(next, { duration: reading.duration })
      playWhenReady(next)
      return
    case 'playing':
      providerPlays(next)
      return
    case 'paused':
      change(next, { running: false })
      if (!isRunning(next.state) || next.state.settling === 'seek') return
      takeReading(next, reading)
      if (nearEnd(next.state)) endVideo(next)
      else settle(next, 'pause')
      return
    case 'buffering':
      if (!isRunning(next.state)) return
      change(next, { phase: 'buffering', running: true })
      return
    case 'ended':
      providerEnds(next, reading)
      return
    case 'blocked':
      if (next.state.phase !== 'starting' && !isRunning(next.state)) return
      closePlay(next)
      stopPlaybackTimers(next)
      change(next, { phase: 'blocked', running: false, settling: undefined, note: undefined })
      return
    case 'error':
      providerFails(next, event)
  }
}

function providerPlays(next: Draft): void {
  const { phase, running, want, lock, hidden, settling } = next.state
  change(next, { cued: true })
  const expected = isRunning(next.state) || phase === 'starting' || phase === 'blocked'
  if (expected && want === 'play' && lock === 'held' && !hidden) {
    playing(next)
    return
  }
  // Whatever else started it, it may not run yet. The video was stopped and someone pressed play inside the frame: a wish.
  const pressed = phase === 'paused' && !running && !hidden && settling === undefined
  change(next, { running: true })
  next.effects.push({ type: 'pause' })
  if (pressed) resume(next)
}

function providerEnds(next: Draft, reading: Reading): void {
  change(next, { running: false })
  const { phase, want, cued, playback, strangeEnds } = next.state
  const furthest = Math.max(playback.position, reading.position)
  const duration = reading.duration || playback.duration
  if (!isRunning(next.state)) {
    // Stopped by the viewer in the very last moment: the end may still be told.
    if (cued && (phase === 'paused' || phase === 'starting') && nearEnd(next.state)) endVideo(next)
    return
  }
  if (want === 'play' && duration > 0 && furthest < duration - limits.positionToleranceS && strangeEnds === 0) {
    // An advertisement ended, not the video. Once: a video that insists is over.
    change(next, { strangeEnds: strangeEnds + 1, phase: 'buffering' })
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
    change(next, { running: false, cued: false, reloading: true, failures: failures + 1 })
    return
  }
  stopPlaybackTimers(next)
  closePlay(next)
  change(next, { running: false, cued: false, settling: undefined })
  if (!error.unavailable && (error.network || !online || failures < 1)) {
    const count = failures + 1
    change(next, {
      failures: count,
      reloading: true,
      note: 'unreachable',
      phase: phase === 'paused' ? 'paused' : 'starting',
    })
    const ms = Math.min(30_000, 1_000 * 2 ** Math.min(count - 1, 5))
    next.effects.push({ type: 'start-timer', name: 'reload', ms, repeat: false, jitter: true })
    return
  }
  change(next, {
    unavailable: next.state.unavailable.includes(video.id)
      ? next.state.unavailable
      : [...next.state.unavailable, video.id],
    note: 'unavailable',
    reason: error.reason,
  })
  next.effects.push({ type: 'unavailable', index, code: error.code, reason: error.reason })
  moveOn(next)
}

function onTimer(next: Draft, name: TimerName, reading: Reading): void {
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

/** Position, rate and length as the provider tells them; what was played since the last reading is counted. */
function takeReading(next: Draft, reading: Reading): void {
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
  if (next.state.failures > 0 || next.state.note === 'stalled') change(next, { failures: 0, note: undefined })
  // YouTube does not always say that buffering is over.
  if (next.state.phase === 'buffering') playing(next)
  if (next.state.playback.sinceReport >= limits.playingEventS && next.state.playback.playReported)
    track(next, 'playing')
}

/** Every 2 s: a video that stands still at its end is over; one that stands still elsewhere is nudged, then the viewer told. */
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

function advance(next: Draft): void {
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

function reload(next: Draft): void {
  const { reloading, phase } = next.state
  if (reloading && (phase === 'starting' || phase === 'paused')) load(next)
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
