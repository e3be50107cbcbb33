import { limits } from '@watchline/contracts/limits'
import type { Answer } from '../../api/call-operation.ts'
import { networkFailure } from '../../api/failure.ts'
import { scheduleTimeout } from '../../api/schedule.ts'
import { retryAfterMs } from '../../outbox/retry-policy.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import { createSubscribable, type Subscribable } from '../../ui/subscribable.ts'
import type { PlayerAdapter, ProviderListener } from './adapters/adapter.ts'
import { isMonitoringElsewhere, type PlayerOutbox, readUnsentProgress } from './outbox/player-outbox.ts'
import { step } from './playback-machine.ts'
import { initialState, isRunning } from './playback-steps.ts'
import type { Effect, Playback, Reading, SessionEvent, SessionState, TimerName } from './playback-types.ts'
import type { PlayerApi, TrackType } from './player-api.ts'
import type { SessionLaunch, SessionPlaylist, SessionVideo } from './session-playlist.ts'

/** What changes rarely enough to draw the screen from. */
export type SessionView = Omit<SessionState, 'playback'>

export interface SessionRunner {
  readonly view: Subscribable<SessionView>
  /** Moves every second: for the one label and the one bar that show it. */
  readonly clock: Subscribable<Playback>
  start(): void
  send(event: SessionEvent): void
  /** Where the video stands at this very moment, in seconds. */
  position(): number
  /** The lock may have gone to another session: asks the server at once. */
  confirmLock(): void
}

export interface RunnerOptions {
  playlist: SessionPlaylist
  launch?: SessionLaunch | undefined
  api: Pick<PlayerApi, 'getSessionStatus' | 'heartbeat' | 'reportUnavailable'>
  outbox: PlayerOutbox
  createAdapter(provider: SessionVideo['provider'], listener: ProviderListener): PlayerAdapter
  /** Remembers over a reload of this tab that it was playing: the reload itself gives the lock back. */
  tabMemory?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  online?: boolean
  hidden?: boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: (ms: number, run: () => void) => () => void
  log?: (message: string, detail: unknown) => void
}

/** What the viewer does ends or moves the play at this moment, not at the latest tick. */
const acts: readonly SessionEvent['type'][] = ['toggle', 'seek', 'skip', 'hidden', 'leave']
const nothing: Reading = { position: 0, duration: 0, rate: 1 }

/** Binds the machine to a player, the server, the journal and the clock: it carries out effects and reports what happened. */
export function createSessionRunner(options: RunnerOptions): SessionRunner {
  const { playlist, api, outbox, tabMemory } = options
  const now = options.now ?? Date.now
  const newId = options.newId ?? newUuid
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const log = options.log ?? ((message, detail) => console.warn(`player: ${message}`, detail))
  const memoryKey = `watchline.playing.${playlist.id}`

  let state: SessionState = {
    ...initialState(playlist, options.launch),
    online: options.online ?? true,
    hidden: options.hidden ?? false,
  }
  let adapter: PlayerAdapter | undefined
  let cued = false
  const timers = new Map<TimerName, () => void>()
  const queue: SessionEvent[] = []
  let stepping = false
  /** The lock may have run out while there was no network: the heartbeat tells. */
  let confirming = false
  let playedHidden = false
  /** Videos whose being unavailable the server was told. */
  const told = new Set<string>()
  const view = createSubscribable<SessionView>(state)
  const clock = createSubscribable<Playback>(state.playback)
  const stopListening = outbox.onAnswered((_call, answer) => {
    if (isMonitoringElsewhere(answer)) send({ type: 'lock-lost' })
  })
  outbox.setPaused(true)

  /** An effect may raise the next event before it returns; one event is finished before the next begins. */
  function send(event: SessionEvent): void {
    queue.push(event)
    if (stepping) return
    stepping = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const before = state
        if (before.hidden && isRunning(before)) playedHidden = true
        const { state: after, effects } = step(before, next)
        state = after
        for (const effect of effects) carryOut(effect)
        clock.set(after.playback)
        if (differs(before, after)) view.set(after)
      }
    } finally {
      stepping = false
    }
    holdReports()
  }

  /** What an earlier visit or offline time left is sent when it can earn something: after the lock was answered. */
  function holdReports(): void {
    outbox.setPaused(state.phase === 'checking' || state.lock === 'asking' || confirming)
  }

  function reading(): Reading {
    if (!adapter || !cued) return { ...nothing, position: state.playback.position }
    return { position: adapter.position(), duration: adapter.duration(), rate: adapter.rate() }
  }

  function adapterFor(provider: SessionVideo['provider']): PlayerAdapter {
    if (adapter?.provider === provider) return adapter
    adapter?.destroy()
    adapter = options.createAdapter(provider, (event, load) => {
      if (load === state.load && (event.type === 'cued' || event.type === 'playing')) cued = true
      send({ type: 'provider', load, event, reading: reading() })
    })
    return adapter
  }

  function carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'check-status':
        void checkStatus()
        return
      case 'ask-lock':
        void askLock(effect)
        return
      case 'release-lock':
        outbox.add({ kind: 'monitoring', body: { is_monitoring: false, ...place(effect.index, effect.position) } })
        return
      case 'load': {
        const video = playlist.videos[effect.index]!
        cued = false
        adapterFor(video.provider).load(video, effect.startAt, effect.load)
        return
      }
      case 'play':
        adapter?.play()
        return
      case 'pause':
        adapter?.pause()
        return
      case 'seek':
        adapter?.seek(effect.to)
        return
      case 'save-progress':
        outbox.add({ kind: 'save-progress', body: progress(effect.index, effect.position) })
        return
      case 'heartbeat':
        void beat()
        return
      case 'track':
        report(effect.event, effect.index, effect.position, effect.rate)
        return
      case 'unavailable': {
        const video = playlist.videos[effect.index]!
        log(`video ${video.id} cannot be played`, effect.reason)
        tellUnavailable(video.id, effect.code)
        return
      }
      case 'start-timer':
        startTimer(effect.name, effect.jitter ? effect.ms * (0.75 + random() / 2) : effect.ms, effect.repeat)
        return
      case 'stop-timer':
        timers.get(effect.name)?.()
        timers.delete(effect.name)
        return
      case 'flush':
        outbox.sendOnHide()
        return
      case 'destroy':
        stopListening()
        for (const cancel of timers.values()) cancel()
        timers.clear()
        adapter?.destroy()
        adapter = undefined
    }
  }

  function startTimer(name: TimerName, ms: number, repeat: boolean): void {
    timers.get(name)?.()
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
    const wasPlaying = takeMemory()
    const [answer, unsent] = await Promise.all([
      settled(api.getSessionStatus(playlist.id)),
      readUnsentProgress(outbox, playlist.id),
    ])
    if (!answer.ok) log('the session status is unknown', answer)
    const known = answer.ok ? answer.data : undefined
    const status = unsent
      ? {
          can_resume: true,
          current_playlist_id: playlist.id,
          current_video_id: unsent.video_id,
          current_video_index: unsent.video_index,
          is_monitoring: known?.is_monitoring ?? false,
          video_progress: unsent.progress,
        }
      : known
    send({ type: 'status-answered', status, wasPlaying })
  }

  async function askLock(effect: Extract<Effect, { type: 'ask-lock' }>): Promise<void> {
    const { ask } = effect
    const answer = await outbox.sendFirst({
      kind: 'monitoring',
      body: {
        is_monitoring: true,
        ...place(effect.index, effect.position),
        ...(effect.takeOver ? { take_over: true } : {}),
      },
    })
    if (answer.ok) send({ type: 'lock-answered', ask, outcome: 'held' })
    else if (answer.status === 409) send({ type: 'lock-answered', ask, outcome: 'elsewhere' })
    else if (answer.status === 404) send({ type: 'lock-answered', ask, outcome: 'unassigned' })
    else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429 && answer.status !== 408)
      send({
        type: 'lock-answered',
        ask,
        outcome: 'refused',
        detail: answer.detail ?? 'The server refused this session.',
      })
    else send({ type: 'lock-answered', ask, outcome: 'unanswered', retryAfterMs: retryAfterMs(answer) })
  }

  async function beat(): Promise<void> {
    const answer = await settled(api.heartbeat())
    if (confirming) {
      confirming = false
      if (answer.ok || answer.status !== 409) holdReports()
    }
    if (answer.ok) return
    log('a heartbeat failed', answer)
    if (answer.status === 409) send({ type: 'lock-lost' })
  }

  /** Once a video: whether it is so for everybody is the server's to find out. A try; the session goes on without it. */
  function tellUnavailable(videoId: string, code: number): void {
    if (told.has(videoId)) return
    told.add(videoId)
    void settled(api.reportUnavailable(playlist.id, videoId, code)).then(answer => {
      if (!answer.ok) log(`that video ${videoId} cannot be played could not be reported`, answer)
    })
  }

  /** Reports wait for the answer: without the lock they would earn nothing. */
  function confirmLock(): void {
    if (state.lock !== 'held' || confirming) return
    confirming = true
    holdReports()
    void beat()
  }

  /** The server refuses positions beyond the length it knows. */
  function clip(index: number, position: number): number {
    const most = playlist.videos[index]!.duration
    const known = most > 0 ? Math.min(position, most) : position
    return Math.round(Math.max(0, known) * 1_000) / 1_000
  }

  function place(index: number, position: number) {
    return {
      playlist_id: playlist.id,
      current_video_id: playlist.videos[index]!.id,
      current_video_index: index,
      video_progress: clip(index, position),
    }
  }

  function progress(index: number, position: number) {
    return {
      playlist_id: playlist.id,
      video_id: playlist.videos[index]!.id,
      video_index: index,
      progress: clip(index, position),
    }
  }

  function report(type: TrackType, index: number, position: number, rate: number): void {
    outbox.add({
      kind: 'track',
      body: {
        video_id: playlist.videos[index]!.id,
        playlist_id: playlist.id,
        watch_time: clip(index, position),
        event_type: type,
        event_id: newId(),
        playback_rate: rate > 0 ? rate : 1,
        client_time: new Date(now()).toISOString(),
        ...(playedHidden ? { hidden: true } : {}),
      },
    })
    playedHidden = false
  }

  function takeMemory(): boolean {
    try {
      const noted = tabMemory?.getItem(memoryKey)
      tabMemory?.removeItem(memoryKey)
      return noted !== null && noted !== undefined && now() - Number(noted) < limits.monitoringLockMs
    } catch {
      return false
    }
  }

  return {
    view,
    clock,
    start: () => send({ type: 'start' }),
    send(event) {
      if (
        event.type === 'hidden' &&
        state.want === 'play' &&
        (state.phase === 'playing' || state.phase === 'buffering')
      )
        remember()
      if (event.type === 'visible') takeMemory()
      if (event.type === 'online' && isRunning(state) && state.lock === 'held') {
        confirming = true
        holdReports()
      }
      if (acts.includes(event.type) && isRunning(state)) send({ type: 'timer', name: 'tick', reading: reading() })
      send(event)
    },
    position: () => reading().position,
    confirmLock,
  }

  function remember(): void {
    try {
      tabMemory?.setItem(memoryKey, String(now()))
    } catch {
      // A full or forbidden storage only costs the automatic start after a reload.
    }
  }
}

async function settled<T>(request: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await request
  } catch {
    return { ok: false, ...networkFailure }
  }
}

function differs(before: SessionState, after: SessionState): boolean {
  return (Object.keys(after) as (keyof SessionState)[]).some(key => key !== 'playback' && before[key] !== after[key])
}
