import { limits } from '@watchline/contracts/limits'
import { type Hint, hint } from '@watchline/contracts/notification'
import { apiUrl } from './api-url.ts'
import { setConnection } from './connection.ts'
import { type Schedule, scheduleTimeout } from './schedule.ts'
import { meansSessionEnded, send } from './send.ts'
import { setStreamHealthy } from './stream-health.ts'

/** A hint that may change what a page shows. */
export type ChangeHint = Exclude<Hint, { type: 'heartbeat' }>

/** The part of EventSource that this module uses. */
export type StreamSource = Pick<EventSource, 'onopen' | 'onmessage' | 'onerror' | 'close'>

export interface StreamOptions {
  /** `hello` carries `missed` if hints may have been lost while there was no stream. */
  onHint: (hint: ChangeHint) => void
  connect?: (url: string) => StreamSource
  /**
   * Checks the session after a refused stream, because an EventSource does not report the reason.
   */
  isSignedIn?: () => Promise<boolean>
  schedule?: Schedule
  now?: () => number
  random?: () => number
}

export interface Stream {
  close(): void
}

const profileTimeoutMs = 10_000

/**
 * Keeps one live stream open until it is closed or the session ends. It replaces the browser's
 * reconnection: with jitter, with growing waits while attempts fail, and at once when the network
 * is back or the page becomes visible. It also reconnects after heartbeats have stopped.
 */
export function openStream(options: StreamOptions): Stream {
  const connect = options.connect ?? (url => new EventSource(url))
  const isSignedIn = options.isSignedIn ?? checkProfile
  const schedule = options.schedule ?? scheduleTimeout
  const now = options.now ?? Date.now
  const random = options.random ?? Math.random
  let source: StreamSource | undefined
  let openedAt: number | undefined
  let failures = 0
  /** Hints may have been missed: an earlier stream was opened or attempted. */
  let interrupted = false
  let cancelRetry: (() => void) | undefined
  let cancelSilence: (() => void) | undefined
  let closed = false

  function open(): void {
    cancelReopen()
    const opened = connect(apiUrl('/stream'))
    source = opened
    openedAt = undefined
    opened.onopen = () => {
      if (source !== opened) return
      openedAt = now()
      setConnection('live')
    }
    opened.onmessage = ({ data }) => {
      if (source === opened) handleMessage(String(data))
    }
    opened.onerror = () => {
      if (source === opened) void handleLoss(openedAt)
    }
  }

  function handleMessage(data: string): void {
    const received = parse(data)
    if (!received) return
    setConnection('live')
    if (received.type === 'heartbeat') {
      setStreamHealthy(true)
      cancelSilence?.()
      cancelSilence = schedule(limits.streamSilenceMs, () => void handleLoss(openedAt))
      return
    }
    if (received.type !== 'hello') {
      options.onHint(received)
      return
    }
    const missed = received.missed || interrupted
    interrupted = false
    options.onHint({ type: 'hello', missed })
  }

  async function handleLoss(openedSince: number | undefined): Promise<void> {
    closeSource()
    if (openedSince !== undefined && now() - openedSince >= limits.streamHeartbeatMs) failures = 0
    if (openedSince !== undefined) return reopenLater()
    const signedIn = await isSignedIn()
    if (!signedIn) close()
    else if (!closed && !source && !cancelRetry) reopenLater()
  }

  function reopenLater(): void {
    const minWaitMs = Math.min(limits.streamRetryMaxMs / 2, limits.streamRetryMs * 2 ** failures)
    failures += 1
    cancelRetry = schedule(Math.round(minWaitMs * (1 + random())), open)
  }

  function closeSource(): void {
    setStreamHealthy(false)
    cancelSilence?.()
    cancelSilence = undefined
    source?.close()
    source = undefined
    interrupted = true
  }

  function cancelReopen(): void {
    cancelRetry?.()
    cancelRetry = undefined
  }

  function onOffline(): void {
    closeSource()
    cancelReopen()
  }

  /** A stream that looks open may have died with the network it was opened in. */
  function onOnline(): void {
    closeSource()
    open()
  }

  function onVisible(): void {
    if (document.visibilityState === 'visible' && !source) open()
  }

  function close(): void {
    if (closed) return
    closed = true
    closeSource()
    cancelReopen()
    window.removeEventListener('offline', onOffline)
    window.removeEventListener('online', onOnline)
    document.removeEventListener('visibilitychange', onVisible)
  }

  window.addEventListener('offline', onOffline)
  window.addEventListener('online', onOnline)
  document.addEventListener('visibilitychange', onVisible)
  open()
  return { close }
}

/** An unknown hint comes from a newer server and is ignored; polling brings the change. */
function parse(data: string): Hint | undefined {
  try {
    return hint.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}

/**
 * The call also refreshes an expired access token, and reports an ended session or a lost network.
 */
async function checkProfile(): Promise<boolean> {
  const result = await send({ method: 'GET', path: '/auth/profile', timeoutMs: profileTimeoutMs })
  return !meansSessionEnded(result)
}
