import { priorityHeader } from '@watchline/contracts/priority'
import { apiUrl } from './api-url.ts'
import type { Call, CallResult } from './call.ts'
import { setConnection } from './connection.ts'
import { abortFailure, failureOf, networkFailure, timeoutFailure } from './failure.ts'
import { secondsSinceUse } from './idle-time.ts'
import { takePreloadedResponse } from './preloaded-responses.ts'
import { cacheResponse, findCachedResponse } from './response-cache.ts'
import { refreshAfterCurrent, refreshOnce } from './token-refresh.ts'
import { readXsrfToken, refreshXsrfToken } from './xsrf.ts'

/** The server's answer to this tab, or a message of another tab. */
export type SessionEndSource = 'server' | 'other-tab'

const endedListeners = new Set<(source: SessionEndSource) => void>()

/** Called when this browser's session has ended. */
export function onSessionEnded(listener: (source: SessionEndSource) => void): () => void {
  endedListeners.add(listener)
  return () => endedListeners.delete(listener)
}

/** Calls the listeners of {@link onSessionEnded}. */
export function reportSessionEnded(source: SessionEndSource): void {
  for (const listener of endedListeners) listener(source)
}

/**
 * Sends a call of the API with the anti-forgery header. It fetches a new anti-forgery token after a
 * refusal, and repeats the call once after an expired access token. It imports no contract, so that
 * the sign-in page stays small.
 */
export async function send(call: Call): Promise<CallResult> {
  const startedAt = Date.now()
  let result = await attempt(call)
  if (isRefused(result, 403, 'csrf')) {
    await refreshXsrfToken()
    result = await attempt(call)
  }
  if (isRefused(result, 401, 'token_expired')) {
    const refreshed = await refreshOnce(startedAt, refresh)
    result = refreshed.ok ? await attempt(call) : { ...refreshed, isFromRefresh: true }
  }
  if (meansSessionEnded(result)) reportSessionEnded('server')
  return result
}

/**
 * Extends the session of a person who has returned after a pause. A refresh of another tab may not
 * know of it, and neither may one that is under way, so this one happens in any case.
 */
export async function extendSession(): Promise<void> {
  const result = await refreshAfterCurrent(refresh)
  if (meansSessionEnded(result)) reportSessionEnded('server')
}

const sessionEndCodes = ['no_session', 'deactivated', 'account_erased']

/** Whether the call was refused because this browser has no session any more. */
export function meansSessionEnded(result: CallResult): boolean {
  return !result.ok && result.failure.status === 401 && sessionEndCodes.includes(result.failure.code)
}

/** Polls also cause refreshes, so the server hears how long nobody has used the page. */
export function createRefreshCall(): Call {
  return { method: 'POST', path: '/auth/refresh', body: { idle_seconds: secondsSinceUse() } }
}

function refresh(): Promise<CallResult> {
  return attempt(createRefreshCall())
}

function isRefused(result: CallResult, status: number, code: string): boolean {
  return !result.ok && result.failure.status === status && result.failure.code === code
}

async function attempt(call: Call): Promise<CallResult> {
  const changesState = call.method !== 'GET'
  if (changesState && !readXsrfToken()) await refreshXsrfToken()
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.priority) headers.priority = priorityHeader[call.priority]
  const token = changesState ? readXsrfToken() : undefined
  if (token) headers['x-xsrf-token'] = token
  const cached = changesState ? undefined : findCachedResponse(call.path)
  if (cached) headers['if-none-match'] = cached.etag

  const timeout = call.timeoutMs === undefined ? undefined : AbortSignal.timeout(call.timeoutMs)
  const signals = [call.signal, timeout].filter(signal => signal !== undefined)
  const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined
  try {
    const preloaded = call.method === 'GET' ? takePreloadedResponse(call.path, signal) : undefined
    const response = await (preloaded ??
      fetch(apiUrl(call.path), {
        method: call.method,
        headers,
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        credentials: 'same-origin',
        keepalive: call.keepalive,
        signal,
      }))
    setConnection('live')
    if (cached && response.status === 304) return { ok: true, status: 200, body: cached.body, headers: cached.headers }
    const body = await readJson(response)
    if (!response.ok) return { ok: false, failure: failureOf(response, body) }
    if (!changesState) cacheResponse(call.path, body, response.headers)
    return { ok: true, status: response.status, body, headers: response.headers }
  } catch {
    if (timeout?.aborted) return { ok: false, failure: timeoutFailure(call.timeoutMs ?? 0) }
    if (call.signal?.aborted) return { ok: false, failure: abortFailure }
    setConnection('offline')
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
