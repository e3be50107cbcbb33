import { recordUse } from '../../../api/idle-time.ts'
import { newUuid } from '../../../api/new-uuid.ts'
import { scheduleTimeout } from '../../../api/schedule.ts'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { CaptionChoice, Captions } from '../adapters/captions.ts'
import { applySessionEvent } from '../machine/playback-machine.ts'
import { initialState, isRunning } from '../machine/playback-state.ts'
import type { Effect, Playback, Reading, SessionEvent, SessionState, TimerName } from '../machine/playback-types.ts'
import { isMonitoringElsewhere, type PlayerOutbox, readUnsentProgress } from '../outbox/player-outbox.ts'
import type { PlayerApi } from '../player-api.ts'
import type { SessionBegin, SessionLaunch, SessionPlaylist } from '../session-playlist.ts'
import { createPlayedParts, type PlayedPart } from './played-parts.ts'
import {
  findChosenStart,
  monitoringCall,
  readSessionStatus,
  saveProgressCall,
  sendLockRequest,
  trackCall,
} from './session-calls.ts'
import { type CreateAdapter, createSessionPlayer } from './session-player.ts'
import { createTabMemory } from './tab-memory.ts'
import { createUnavailableReports } from './unavailable-reports.ts'
import type { WindowLock, WindowPlayback } from './window-lock.ts'

/** The state of the screens, without the values that change every second. */
export type SessionView = Omit<SessionState, 'playback'>

export interface SessionRunner {
  readonly view: Subscribable<SessionView>
  /** The values that change every second. */
  readonly clock: Subscribable<Playback>
  /** The time of the latest report of playback, in ms. */
  readonly reportedAt: Subscribable<number>
  /** The time of the next try to load a video that failed, in ms; 0 without one. */
  readonly retryAt: Subscribable<number>
  /** All that this session has played. */
  readonly played: Subscribable<readonly PlayedPart[]>
  start(): void
  send(event: SessionEvent): void
  /** The position at this moment, in seconds. */
  position(): number
  /** Loudness from 0 to 1, of this and all later videos. */
  setSound(volume: number, muted: boolean): void
  /** Playback speed of this and all later videos, 1 is normal. */
  setRate(rate: number): void
  /** The captions of the current video. */
  readonly captions: Subscribable<Captions>
  setCaptions(choice: CaptionChoice): void
  /** Loads a video that cannot be reached again, without waiting for the next try. */
  retryLoad(): void
  /** Checks with the server at once whether this session still holds the lock. */
  confirmLock(): void
}

export interface RunnerOptions {
  playlist: SessionPlaylist
  launch?: SessionLaunch | undefined
  begin?: SessionBegin | undefined
  api: Pick<PlayerApi, 'getSessionStatus' | 'getWatched' | 'heartbeat' | 'reportUnavailable'>
  outbox: PlayerOutbox
  createAdapter: CreateAdapter
  /** Keeps two windows of this browser from playing at the same time. */
  openWindowLock?: ((playback: WindowPlayback) => WindowLock) | undefined
  /** `sessionStorage`: it keeps through a reload that the tab was playing. */
  tabMemory?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  online?: boolean
  hidden?: boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: (ms: number, run: () => void) => () => void
  log?: (message: string, detail: unknown) => void
}

/** The viewer's actions take effect at the present position, not at that of the latest tick. */
const viewerActions: readonly SessionEvent['type'][] = ['toggle', 'seek', 'skip', 'suspend', 'hidden', 'leave']
const noReading: Reading = { position: 0, duration: 0, rate: 1 }

/** Connects the machine to a player, the server, the outbox and the clock. */
export function createSessionRunner(options: RunnerOptions): SessionRunner {
  const { playlist, api, outbox } = options
  const now = options.now ?? Date.now
  const newId = options.newId ?? newUuid
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const log = options.log ?? ((message, detail) => console.warn(`player: ${message}`, detail))
  const memory = createTabMemory(options.tabMemory, playlist.id, now)
  const reportUnavailable = createUnavailableReports(api, playlist.id, log)

  let state: SessionState = {
    ...initialState(playlist, options.launch),
    online: options.online ?? true,
    hidden: options.hidden ?? false,
  }
  let begin = options.begin
  const player = createSessionPlayer(options.createAdapter, (event, load) =>
    send({ type: 'provider', load, event, reading: reading() }),
  )
  const timers = new Map<TimerName, () => void>()
  const queue: SessionEvent[] = []
  let isHandling = false
  /** The lock may have expired without a network. A heartbeat is under way to check it. */
  let confirmation: PromiseWithResolvers<void> | undefined
  let playedHidden = false
  const view = createSubscribable<SessionView>(state)
  const clock = createSubscribable<Playback>(state.playback)
  const reportedAt = createSubscribable(0)
  const retryAt = createSubscribable(0)
  const played = createPlayedParts(now)
  const windowLock = options.openWindowLock?.({
    handOver,
    showOtherWindowPlays: () => send({ type: 'other-window-plays' }),
  })
  const stopListening = outbox.onAnswered((_call, answer) => {
    if (isMonitoringElsewhere(answer)) send({ type: 'lock-lost' })
  })
  outbox.setPaused(true)

  /**
   * An effect may send an event before it returns. Each event is finished before the next begins.
   */
  function send(event: SessionEvent): void {
    queue.push(event)
    if (isHandling) return
    isHandling = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const before = state
        if (before.hidden && isRunning(before)) playedHidden = true
        const { state: after, effects } = applySessionEvent(before, next)
        state = after
        played.observe(before, after)
        for (const effect of effects) runEffect(effect)
        clock.set(after.playback)
        if (hasViewChanged(before, after)) view.set(after)
        if (before.lock !== 'none' && after.lock === 'none') windowLock?.release()
      }
    } finally {
      isHandling = false
    }
    pauseOutbox()
  }

  /** Unsent reports wait for the lock's answer: without the lock they are not credited. */
  function pauseOutbox(): void {
    outbox.setPaused(state.phase === 'checking' || state.lock === 'requested' || confirmation !== undefined)
  }

  function reading(): Reading {
    return player.reading() ?? { ...noReading, position: state.playback.position }
  }

  function runEffect(effect: Effect): void {
    switch (effect.type) {
      case 'check-status':
        void checkStatus()
        return
      case 'load-reach':
        void loadReach()
        return
      case 'request-lock':
        void acquireLock(effect).then(send)
        return
      case 'release-lock':
        outbox.add(monitoringCall(playlist, effect.index, effect.position, false))
        return
      case 'load':
        player.load(playlist.videos[effect.index]!, effect.startAt, effect.load)
        return
      case 'play':
        player.play()
        return
      case 'pause':
        player.pause()
        return
      case 'seek':
        player.seek(effect.to)
        return
      case 'save-progress':
        outbox.add(saveProgressCall(playlist, effect.index, effect.position))
        return
      case 'heartbeat':
        void sendHeartbeat()
        return
      case 'track': {
        const at = now()
        // People watch a long video without any input.
        recordUse()
        reportedAt.set(at)
        played.closePart()
        outbox.add(trackCall(playlist, effect, { id: newId(), now: at, playedHidden }))
        playedHidden = false
        return
      }
      case 'unavailable': {
        const video = playlist.videos[effect.index]!
        log('video cannot be played, skipping it', { videoId: video.id, reason: effect.reason })
        reportUnavailable(video.id, effect.code)
        return
      }
      case 'start-timer':
        startTimer(effect.name, effect.jitter ? effect.ms * (0.75 + random() / 2) : effect.ms, effect.repeat)
        return
      case 'stop-timer':
        timers.get(effect.name)?.()
        timers.delete(effect.name)
        if (effect.name === 'reload') retryAt.set(0)
        return
      case 'flush':
        outbox.sendOnHide()
        return
      case 'destroy':
        stopListening()
        for (const cancel of timers.values()) cancel()
        timers.clear()
        player.destroy()
        windowLock?.close()
    }
  }

  async function acquireLock(effect: Extract<Effect, { type: 'request-lock' }>): Promise<SessionEvent> {
    if (windowLock && !(await windowLock.acquire(effect.takeOver)))
      return { type: 'lock-answered', request: effect.request, outcome: 'elsewhere' }
    return sendLockRequest(playlist, effect, outbox)
  }

  /** Another window of this browser takes over: the last seconds must arrive before it begins. */
  async function handOver(): Promise<void> {
    readPosition()
    send({ type: 'suspend' })
    send({ type: 'other-window-plays' })
    // The outbox is paused until the lock is confirmed, and a flush would send nothing.
    await confirmation?.promise
    await outbox.flush()
  }

  /** The next event must see the present position, or the seconds before it are not counted. */
  function readPosition(): void {
    if (isRunning(state)) send({ type: 'timer', name: 'tick', reading: reading() })
  }

  function startTimer(name: TimerName, ms: number, repeat: boolean): void {
    timers.get(name)?.()
    if (name === 'reload') retryAt.set(now() + ms)
    timers.set(
      name,
      schedule(ms, () => {
        if (repeat) startTimer(name, ms, repeat)
        else timers.delete(name)
        send({ type: 'timer', name, reading: reading() })
      }),
    )
  }

  async function checkStatus(): Promise<void> {
    const wasPlaying = memory.readAndClear() || begin !== undefined
    const first = begin
    // It holds for the first check only: a later one follows a takeover.
    begin = undefined
    const chosen = typeof first === 'object' ? await findChosenStart(playlist, first.videoId, api, log) : undefined
    if (chosen) {
      send({ type: 'video-chosen', ...chosen })
      return
    }
    const status = first === 'start-over' ? undefined : await readSessionStatus(playlist, api, outbox, log)
    send({ type: 'status-answered', status, wasPlaying })
  }

  /**
   * Parts watched without a connection are not credited yet, so their limits come with the answers.
   */
  async function loadReach(): Promise<void> {
    const isUnsent = state.phase === 'checking' && (await readUnsentProgress(outbox, playlist.id)) !== undefined
    const answer = isUnsent ? undefined : await api.getWatched(playlist.id)
    if (answer && !answer.ok) log('credited ranges unknown, playing on without their limits', answer)
    send({ type: 'reach-loaded', watch: answer?.ok ? answer.data : undefined, at: now() })
  }

  async function sendHeartbeat(): Promise<void> {
    const answer = await api.heartbeat()
    if (confirmation) {
      confirmation.resolve()
      confirmation = undefined
      if (answer.ok || answer.status !== 409) pauseOutbox()
    }
    if (answer.ok) return
    log('heartbeat failed', answer)
    if (answer.status === 409) send({ type: 'lock-lost' })
  }

  function confirmLock(): void {
    if (state.lock !== 'held' || confirmation) return
    confirmation = Promise.withResolvers()
    pauseOutbox()
    void sendHeartbeat()
  }

  return {
    view,
    clock,
    reportedAt,
    retryAt,
    played: played.parts,
    start: () => send({ type: 'start' }),
    send(event) {
      if (
        event.type === 'hidden' &&
        state.intent === 'play' &&
        (state.phase === 'playing' || state.phase === 'buffering')
      )
        memory.store()
      if (event.type === 'visible') memory.clear()
      if (event.type === 'online' && isRunning(state) && state.lock === 'held') {
        confirmation ??= Promise.withResolvers()
        pauseOutbox()
      }
      if (viewerActions.includes(event.type)) readPosition()
      send(event)
    },
    position: () => reading().position,
    setSound: player.setSound,
    setRate(rate) {
      // The part that has played until now belongs to the earlier speed.
      readPosition()
      player.setRate(rate)
      readPosition()
    },
    captions: player.captions,
    setCaptions: player.setCaptions,
    retryLoad: () => send({ type: 'timer', name: 'reload', reading: reading() }),
    confirmLock,
  }
}

function hasViewChanged(before: SessionState, after: SessionState): boolean {
  return (Object.keys(after) as (keyof SessionState)[]).some(key => key !== 'playback' && before[key] !== after[key])
}
