import { apiUrl } from './api-url.ts'
import { noteConnection } from './connection.ts'
import { abortFailure, type Failure, failureOf, networkFailure, timeoutFailure } from './failure.ts'
import { refreshOnce } from './token-refresh.ts'
import { readXsrfToken, refreshXsrfToken } from './xsrf.ts'

export interface Call {
  method: string
  /** The path after `/api`, with parameters and query. */
  path: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The request must outlive the page. */
  keepalive?: boolean
  signal?: AbortSignal
  /** None by default. */
  timeoutMs?: number
}

export type Sent = { ok: true; status: number; body: unknown; headers: Headers } | { ok: false; failure: Failure }

const endedListeners = new Set<() => void>()

/** Called when the server reports that this browser's session has ended. */
export function onSessionEnded(listener: () => void): () => void {
  endedListeners.add(listener)
  return () => endedListeners.delete(listener)
}

/** The server reported that this browser's session has ended. */
export function tellSessionEnded(): void {
  for (const listener of endedListeners) listener()
}

/**
 * One call of the API with all that every call needs: the anti-forgery header (fetched when missing, and once more when it
 * was refused), one refresh of an expired access token and then the call again, failures in one form. Knows no contract,
 * so that the sign-in page stays small.
 */
export async function send(call: Call): Promise<Sent> {
  const startedAt = Date.now()
  let sent = await attempt(call)
  if (isRefused(sent, 403, 'csrf')) {
    await refreshXsrfToken()
    sent = await attempt(call)
  }
  if (isRefused(sent, 401, 'token_expired')) {
    const refreshed = await refreshOnce(startedAt, () => attempt({ method: 'POST', path: '/auth/refresh', body: {} }))
    sent = refreshed.ok ? await attempt(call) : refreshed
  }
  if (isRefused(sent, 401, 'no_session')) tellSessionEnded()
  return sent
}

function isRefused(sent: Sent, status: number, code: string): boolean {
  return !sent.ok && sent.failure.status === status && sent.failure.code === code
}

async function attempt(call: Call): Promise<Sent> {
  const changesState = call.method !== 'GET'
  if (changesState && !readXsrfToken()) await refreshXsrfToken()
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  const token = changesState ? readXsrfToken() : undefined
  if (token) headers['x-xsrf-token'] = token

  const timeout = call.timeoutMs === undefined ? undefined : AbortSignal.timeout(call.timeoutMs)
  const signals = [call.signal, timeout].filter(signal => signal !== undefined)
  try {
    const response = await fetch(apiUrl(call.path), {
      method: call.method,
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      credentials: 'same-origin',
      keepalive: call.keepalive,
      signal: signals.length > 0 ? AbortSignal.any(signals) : undefined,
    })
    noteConnection('live')
    const body = await readJson(response)
    if (!response.ok) return { ok: false, failure: failureOf(response, body) }
    return { ok: true, status: response.status, body, headers: response.headers }
  } catch {
    if (timeout?.aborted) return { ok: false, failure: timeoutFailure(call.timeoutMs ?? 0) }
    if (call.signal?.aborted) return { ok: false, failure: abortFailure }
    noteConnection('offline')
    return { ok: false, failure: networkFailure }
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
