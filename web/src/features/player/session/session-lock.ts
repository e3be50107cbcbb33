import { limits } from '@watchline/contracts/limits'
import type { Answer } from '../../../api/call-operation.ts'
import { isTemporary, retryAfterMs } from '../../../outbox/retry-policy.ts'
import { isRunning } from '../machine/playback-state.ts'
import type { Effect, SessionEvent, SessionState } from '../machine/playback-types.ts'
import { isMonitoringElsewhere, type PlayerOutbox } from '../outbox/player-outbox.ts'
import type { PlayerApi } from '../player-api.ts'
import type { SessionPlaylist } from '../session-playlist.ts'
import { lockCall, monitoringCall } from './session-calls.ts'
import type { WindowLock, WindowPlayback } from './window-lock.ts'

/**
 * The server's lock expires so long after the last call that renewed it. A player without answers
 * stops two heartbeats earlier: the next one is a whole interval away, and its answer takes time.
 */
const longestUnconfirmedMs = limits.monitoringLockMs - 2 * limits.heartbeatMs

type LockRequest = Extract<Effect, { type: 'request-lock' }>
type LockAnswer = Extract<SessionEvent, { type: 'lock-answered' }>

export interface SessionLock {
  acquire(request: LockRequest): Promise<SessionEvent>
  sendHeartbeat(): Promise<void>
  /** Checks with the server at once whether this session still holds the lock. */
  confirm(): void
  /** The lock may have expired without a network. The next heartbeat confirms it. */
  expectConfirmation(): void
  /** Call it after every event of the machine and its effects. Frees the window lock. */
  observe(before: SessionState, after: SessionState): void
  /** Unsent reports wait for the lock's answer: without the lock they are not credited. */
  pauseOrResumeOutbox(): void
  close(): void
}

export interface SessionLockOptions {
  playlist: SessionPlaylist
  api: Pick<PlayerApi, 'getSessionStatus' | 'heartbeat'>
  outbox: PlayerOutbox
  /** Keeps two windows of this browser from playing at the same time. */
  openWindowLock: ((playback: WindowPlayback) => WindowLock) | undefined
  monotonicNow: () => number
  getState: () => SessionState
  send: (event: SessionEvent) => void
  log: (message: string, detail: unknown) => void
}

/**
 * The right to play: the lock among the windows of this browser, then the server's monitoring lock.
 * The machine gets an event when either is lost.
 */
export function createSessionLock({
  playlist,
  api,
  outbox,
  openWindowLock,
  monotonicNow,
  getState,
  send,
  log,
}: SessionLockOptions): SessionLock {
  /** A call at this time, in monotonic ms, has renewed the lock. */
  let renewedAt = 0
  /** Known until the lock is held again. The status does not tell it after a granted request. */
  let watchedElsewhere = false
  /** Pending until a heartbeat has confirmed the lock. */
  let confirmation: PromiseWithResolvers<void> | undefined
  const windowLock = openWindowLock?.({ handOver, showOtherWindowPlays: () => send({ type: 'other-window-plays' }) })
  const stopListening = outbox.onAnswered(({ kind }, answer) => {
    if (kind === 'save-progress' && answer.ok) renewedAt = monotonicNow()
    if (isMonitoringElsewhere(answer)) send({ type: 'lock-lost' })
  })
  outbox.setPaused(true)

  /** Another window of this browser takes over: the last seconds must arrive before it begins. */
  async function handOver(): Promise<void> {
    send({ type: 'suspend' })
    send({ type: 'other-window-plays' })
    // The outbox is paused until the lock is confirmed, and a flush would send nothing.
    await confirmation?.promise
    await outbox.flush()
  }

  function pauseOrResumeOutbox(): void {
    const { phase, lock } = getState()
    outbox.setPaused(phase === 'checking' || lock === 'requested' || confirmation !== undefined)
  }

  function beginConfirmation(): void {
    confirmation ??= Promise.withResolvers()
    pauseOrResumeOutbox()
  }

  /**
   * If another login session has monitored since, its position is the latest one: this session must
   * not overwrite it.
   */
  async function requestLostLock(request: LockRequest): Promise<LockAnswer> {
    const status = await api.getSessionStatus(playlist.id)
    // A pause meanwhile has released the lock. The request must not follow the release.
    const isSuperseded = getState().lockRequest !== request.request
    if (isSuperseded) return { type: 'lock-answered', request: request.request, outcome: 'unanswered' }
    if (!status.ok && isTemporary(status)) return readLockAnswer(request, status)
    watchedElsewhere ||= status.ok && status.data.owned_lock_last === false
    return sendLockRequest(playlist, request, outbox, watchedElsewhere)
  }

  function endConfirmation(): void {
    confirmation?.resolve()
    confirmation = undefined
  }

  async function sendHeartbeat(): Promise<void> {
    const sentAt = monotonicNow()
    if (sentAt - renewedAt >= longestUnconfirmedMs) {
      endConfirmation()
      send({ type: 'lock-lost' })
      return
    }
    const answer = await api.heartbeat()
    if (confirmation) {
      endConfirmation()
      if (answer.ok || answer.status !== 409) pauseOrResumeOutbox()
    }
    if (answer.ok) {
      renewedAt = sentAt
      return
    }
    log('heartbeat failed', answer)
    if (answer.status === 409) send({ type: 'lock-lost' })
  }

  return {
    async acquire(request) {
      if (windowLock && !(await windowLock.acquire(request.takeOver)))
        return { type: 'lock-answered', request: request.request, outcome: 'elsewhere' }
      const sentAt = monotonicNow()
      const answer = await (request.regaining ? requestLostLock(request) : sendLockRequest(playlist, request, outbox))
      if (answer.outcome === 'held') {
        renewedAt = sentAt
        watchedElsewhere = false
      }
      return answer
    },
    sendHeartbeat,
    confirm() {
      if (getState().lock !== 'held' || confirmation) return
      beginConfirmation()
      void sendHeartbeat()
    },
    expectConfirmation() {
      const state = getState()
      if (isRunning(state) && state.lock === 'held') beginConfirmation()
    },
    observe(before, after) {
      if (before.lock === 'none' || after.lock !== 'none') return
      windowLock?.release()
      watchedElsewhere = false
    },
    pauseOrResumeOutbox,
    close() {
      stopListening()
      windowLock?.close()
    },
  }
}

/** Requests the monitoring lock from the server. The answer is an event of the machine. */
async function sendLockRequest(
  playlist: SessionPlaylist,
  effect: LockRequest,
  outbox: PlayerOutbox,
  watchedElsewhere = false,
): Promise<LockAnswer> {
  const { index, position, takeOver } = effect
  const hasLatestPosition = !takeOver && !watchedElsewhere
  const call = hasLatestPosition ? monitoringCall(playlist, index, position, true) : lockCall(playlist, takeOver)
  const event = readLockAnswer(effect, await outbox.sendFirst(call))
  return event.outcome === 'held' ? { ...event, watchedElsewhere } : event
}

function readLockAnswer({ request }: LockRequest, answer: Answer<unknown>): LockAnswer {
  if (answer.ok) return { type: 'lock-answered', request, outcome: 'held' }
  if (answer.status === 409) return { type: 'lock-answered', request, outcome: 'elsewhere' }
  if (answer.status === 404) return { type: 'lock-answered', request, outcome: 'unassigned' }
  if (answer.status === 422) return { type: 'lock-answered', request, outcome: 'playlist-changed' }
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
    const detail = answer.detail ?? 'The server refused this session.'
    return { type: 'lock-answered', request, outcome: 'refused', detail }
  }
  return { type: 'lock-answered', request, outcome: 'unanswered', retryAfterMs: retryAfterMs(answer) }
}
