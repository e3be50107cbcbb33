import { limits } from '@watchline/contracts/limits'
import { type Hint, hint } from '@watchline/contracts/notification'
import { apiUrl } from './api-url.ts'
import { noteConnection } from './connection.ts'
import { type Schedule, scheduleTimeout } from './schedule.ts'
import { send } from './send.ts'

/** The part of EventSource that this module uses. */
export type StreamSource = Pick<EventSource, 'onopen' | 'onmessage' | 'onerror' | 'close'>

export interface StreamOptions {
  /** `hello` carries `missed` if hints may have been lost while there was no stream. */
  onHint: (hint: Hint) => void
  connect?: (url: string) => StreamSource
  /** Checks the session after a refused stream, because an EventSource does not tell the reason. */
  stillSignedIn?: () => Promise<boolean>
  schedule?: Schedule
  now?: () => number
  random?: () => number
}

export interface Stream {
  close(): void
}

const profileTimeoutMs = 10_000

/**
 * Keeps one live stream open until it is closed or the session is over. Its own timer reconnects, not the browser's: with
 * jitter, ever later while nothing stands, and at once when the network comes back or the page is looked at again.
 */
export function openStream(options: StreamOptions): Stream {
  const connect = options.connect ?? (url => new EventSource(url))
  const stillSignedIn = options.stillSignedIn ?? askProfile
  const schedule = options.schedule ?? scheduleTimeout
  const now = options.now ?? Date.now
  const random = options.random ?? Math.random
  let source: StreamSource | undefined
  let openedAt: number | undefined
  let failures = 0
  /** Whether a stream was opened or tried before. */
  let lost = false
  let cancelRetry: (() => void) | undefined
  let closed = false

  function open(): void {
    stopWaiting()
    const mine = connect(apiUrl('/stream'))
    source = mine
    openedAt = undefined
    mine.onopen = () => {
      if (source !== mine) return
      openedAt = now()
      noteConnection('live')
    }
    mine.onmessage = ({ data }) => {
      if (source === mine) hear(String(data))
    }
    mine.onerror = () => {
      if (source === mine) void onLost(openedAt)
    }
  }

  function hear(data: string): void {
    const said = parse(data)
    if (!said) return
    noteConnection('live')
    const heard: Hint = said.type === 'hello' ? { type: 'hello', missed: said.missed || lost } : said
    if (said.type === 'hello') lost = false
    options.onHint(heard)
  }

  async function onLost(since: number | undefined): Promise<void> {
    letGo()
    if (since !== undefined && now() - since >= limits.streamHeartbeatMs) failures = 0
    if (since !== undefined) return waitAndOpen()
    const signedIn = await stillSignedIn()
    if (!signedIn) close()
    else if (!closed && !source && !cancelRetry) waitAndOpen()
  }

  function waitAndOpen(): void {
    const least = Math.min(limits.streamRetryMaxMs / 2, limits.streamRetryMs * 2 ** failures)
    failures += 1
    cancelRetry = schedule(Math.round(least * (1 + random())), open)
  }

  function letGo(): void {
    source?.close()
    source = undefined
    lost = true
  }

  function stopWaiting(): void {
    cancelRetry?.()
    cancelRetry = undefined
  }

  function onOffline(): void {
    letGo()
    stopWaiting()
  }

  /** A stream that looks open may have died with the network it was opened in. */
  function onOnline(): void {
    letGo()
    open()
  }

  function onVisible(): void {
    if (document.visibilityState === 'visible' && !source) open()
  }

  function close(): void {
    if (closed) return
    closed = true
    letGo()
    stopWaiting()
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

/** Renews an expired access token on its way, and reports an ended session or a missing network. */
async function askProfile(): Promise<boolean> {
  const sent = await send({ method: 'GET', path: '/auth/profile', timeoutMs: profileTimeoutMs })
  return sent.ok || sent.failure.code !== 'no_session'
}
