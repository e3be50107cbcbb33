import { newUuid } from '../../../api/new-uuid.ts'
import { scheduleTimeout } from '../../../api/schedule.ts'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { CaptionChoice, Captions } from '../adapters/captions.ts'
import { applySessionEvent } from '../machine/playback-machine.ts'
import { initialState, isRunning } from '../machine/playback-state.ts'
import type { Effect, Playback, Reading, SessionEvent, SessionState } from '../machine/playback-types.ts'
import type { PlayerOutbox } from '../outbox/player-outbox.ts'
import type { PlayerApi } from '../player-api.ts'
import type { SessionBegin, SessionLaunch, SessionPlaylist } from '../session-playlist.ts'
import { createEventQueue } from './event-queue.ts'
import { loadReach } from './load-reach.ts'
import { createPlaybackReports } from './playback-reports.ts'
import type { PlayedPart } from './played-parts.ts'
import { monitoringCall, saveProgressCall } from './session-calls.ts'
import { createSessionLock } from './session-lock.ts'
import { type CreateAdapter, createSessionPlayer } from './session-player.ts'
import { createSessionStart } from './session-start.ts'
import { createSessionTimers } from './session-timers.ts'
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
  /** A clock that nobody sets, in ms. */
  monotonicNow?: () => number
  newId?: () => string
  random?: () => number
  schedule?: (ms: number, run: () => void) => () => void
  log?: (message: string, detail: unknown) => void
}

type EffectHandlers = { [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>) => void }

/** The viewer's actions take effect at the present position, not at that of the latest tick. */
const viewerActions: readonly SessionEvent['type'][] = ['toggle', 'seek', 'skip', 'suspend', 'hidden', 'leave']

/** Connects the machine to a player, the server, the outbox and the clock. */
export function createSessionRunner(options: RunnerOptions): SessionRunner {
  const { playlist, api, outbox } = options
  const { now = Date.now, newId = newUuid, random = Math.random, schedule = scheduleTimeout } = options
  const { monotonicNow = () => performance.now() } = options
  const log = options.log ?? ((message, detail) => console.warn(`player: ${message}`, detail))
  const connection = { playlist, api, outbox, log }

  let state: SessionState = {
    ...initialState(playlist, options.launch),
    online: options.online ?? true,
    hidden: options.hidden ?? false,
  }
  const view = createSubscribable<SessionView>(state)
  const clock = createSubscribable<Playback>(state.playback)
  const enqueue = createEventQueue(handle, () => lock.pauseOrResumeOutbox())
  const memory = createTabMemory(options.tabMemory, playlist.id, now)
  const start = createSessionStart({ ...connection, begin: options.begin, memory, now })
  const player = createSessionPlayer(options.createAdapter, (event, load) =>
    send({ type: 'provider', load, event, reading: reading() }),
  )
  const timers = createSessionTimers({ now, random, schedule }, name =>
    send({ type: 'timer', name, reading: reading() }),
  )
  const reports = createPlaybackReports({ playlist, outbox, now, newId })
  const reportUnavailable = createUnavailableReports(api, playlist.id, log)
  const { openWindowLock } = options
  const lock = createSessionLock({ ...connection, openWindowLock, monotonicNow, getState: () => state, send })

  const effectHandlers: EffectHandlers = {
    'check-status': () => void start.find(state.lock === 'held').then(send),
    'load-reach': () => void loadReach({ ...connection, isStarting: state.phase === 'checking', now }).then(send),
    'request-lock': effect => void lock.acquire(effect).then(send),
    'release-lock': ({ index, position }) => outbox.add(monitoringCall(playlist, index, position, false)),
    heartbeat: () => void lock.sendHeartbeat(),
    load: ({ index, startAt, load }) => player.load(playlist.videos[index]!, startAt, load),
    play: player.play,
    pause: player.pause,
    seek: ({ to }) => player.seek(to),
    'save-progress': ({ index, position }) => outbox.add(saveProgressCall(playlist, index, position)),
    track: reports.send,
    unavailable: effect => reportUnavailable(playlist.videos[effect.index]!.id, effect),
    'start-timer': timers.start,
    'stop-timer': ({ name }) => timers.stop(name),
    flush: () => outbox.sendOnHide(),
    destroy() {
      timers.stopAll()
      player.destroy()
      lock.close()
    },
  }

  function send(event: SessionEvent): void {
    if (event.type === 'hidden' && state.intent === 'play' && ['playing', 'buffering'].includes(state.phase))
      memory.store()
    if (event.type === 'visible') memory.clear()
    if (event.type === 'online') lock.expectConfirmation()
    if (viewerActions.includes(event.type)) readPosition()
    enqueue(event)
  }

  function handle(event: SessionEvent): void {
    const before = state
    const { state: after, effects } = applySessionEvent(before, event)
    state = after
    reports.observe(before, after)
    for (const effect of effects) runEffect(effectHandlers, effect)
    clock.set(after.playback)
    if (hasViewChanged(before, after)) view.set(after)
    lock.observe(before, after)
  }

  function reading(): Reading {
    return player.reading() ?? { position: state.playback.position, duration: 0, rate: 1 }
  }

  /** The next event must see the present position, or the seconds before it are not counted. */
  function readPosition(): void {
    if (isRunning(state)) send({ type: 'timer', name: 'tick', reading: reading() })
  }

  return {
    view,
    clock,
    reportedAt: reports.reportedAt,
    retryAt: timers.retryAt,
    played: reports.played,
    start: () => send({ type: 'start' }),
    send,
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
    confirmLock: lock.confirm,
  }
}

function runEffect(handlers: EffectHandlers, effect: Effect): void {
  const handler = handlers[effect.type] as (effect: Effect) => void
  handler(effect)
}

function hasViewChanged(before: SessionState, after: SessionState): boolean {
  return (Object.keys(after) as (keyof SessionState)[]).some(key => key !== 'playback' && before[key] !== after[key])
}
