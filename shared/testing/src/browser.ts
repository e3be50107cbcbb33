import { priorityHeader } from '@watchline/contracts/priority'
import { cookieNames } from '@watchline/identity/cookies'
import type { Dispatcher } from 'undici'
import { parseJson } from './api-client.ts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass here
  json: any
  headers: Record<string, string | string[] | undefined>
}

/** Only calls that hang take this long, on slow machines too. */
const defaultLimitMs = 240_000
const maxRedirects = 20

/** The session has ended without a sign-out. */
export class SessionLost extends Error {}

export interface Browser {
  /**
   * Calls the API as pages do: it repeats the call with a new anti-forgery token, or after a
   * refresh. Rejects without an answer in time.
   */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Sends a report as a player does: the servers may refuse it beyond their capacity. */
  report(path: string, body: unknown): Promise<Answer>
  /** Polls as a page does: with the last ETag of this path, so 304 if nothing changed. */
  poll(path: string): Promise<Answer>
  /** Signs in at the development provider, redirects included. Rejects if any step fails. */
  signIn(email: string): Promise<Answer>
  /** The access token, as the gateway forwards it to services. */
  token(): string
  /** The headers of a call that may change something: cookies and anti-forgery token. */
  headers(): Record<string, string>
  /** Another browser with the same cookies. */
  copy(): Browser
}

export interface BrowserOptions {
  cookies?: ReadonlyMap<string, string>
  /** How long a call waits for an answer. */
  limitMs?: number | undefined
}

/**
 * A client with the session handling of a browser: cookies, anti-forgery token, sign-in, refresh.
 */
export function createBrowser(url: string, dispatcher: Dispatcher, options: BrowserOptions = {}): Browser {
  const { limitMs = defaultLimitMs } = options
  let jar = new Map(options.cookies)
  const etags = new Map<string, string>()
  let refreshing: Promise<void> | undefined

  function storeCookies(headers: Answer['headers']) {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split(';')
      const name = pair.slice(0, pair.indexOf('=')).trim()
      const isRemoval = attributes.some(attribute => /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute))
      if (isRemoval) jar.delete(name)
      else jar.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }

  const cookieHeader = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const antiForgeryToken = () => decodeURIComponent(jar.get('XSRF-TOKEN') ?? '')

  /** One request without refresh. Rejects without an answer in time. */
  async function request(
    method: string,
    address: string,
    body?: unknown,
    extraHeaders: Record<string, string> = {},
  ): Promise<Answer> {
    const { origin, pathname, search } = new URL(address, url)
    const headers: Record<string, string> = { accept: 'application/json', ...extraHeaders }
    if (jar.size > 0) headers.cookie = cookieHeader()
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (method !== 'GET') headers['x-xsrf-token'] = antiForgeryToken()
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    })
    const text = await answer.body.text()
    storeCookies(answer.headers)
    return { status: answer.statusCode, json: parseJson(text), headers: answer.headers }
  }

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    if (method !== 'GET' && !jar.has('XSRF-TOKEN')) await request('GET', '/api/auth/options')
    let answer = await request(method, `/api${path}`, body, headers)
    if (answer.status === 403 && answer.json?.code === 'csrf') {
      await request('GET', '/api/auth/options')
      answer = await request(method, `/api${path}`, body, headers)
    }
    if (answer.status !== 401 || answer.json?.code !== 'token_expired') return answer
    // Concurrent calls share one refresh.
    refreshing ??= refresh().finally(() => {
      refreshing = undefined
    })
    await refreshing
    return request(method, `/api${path}`, body, headers)
  }

  async function poll(path: string): Promise<Answer> {
    const known = etags.get(path)
    const headers: Record<string, string> =
      known === undefined ? {} : { 'if-none-match': known, priority: priorityHeader.poll }
    const answer = await call('GET', path, undefined, headers)
    if (typeof answer.headers.etag === 'string') etags.set(path, answer.headers.etag)
    return answer
  }

  async function refresh(): Promise<void> {
    const { status } = await request('POST', '/api/auth/refresh')
    if (status === 401) throw new SessionLost('the session could not be refreshed')
    if (status !== 200) throw new Error(`refresh: ${status}`)
  }

  async function signIn(email: string): Promise<Answer> {
    jar = new Map()
    let address = new URL(`/api/auth/signin?login_hint=${encodeURIComponent(email)}`, url).href
    for (let step = 0; step < maxRedirects; step += 1) {
      const { status, headers } = await request('GET', address)
      if (typeof headers.location !== 'string') throw new Error(`sign-in stopped at ${address} with ${status}`)
      address = new URL(headers.location, address).href
      if (new URL(address).pathname !== '/profile') continue
      const sessionId = /[#?&]session_id=([^&]+)/.exec(address)?.[1]
      if (!sessionId) throw new Error(`sign-in failed: ${address}`)
      return call('POST', '/auth/login', { session_id: decodeURIComponent(sessionId) })
    }
    throw new Error('sign-in went in circles')
  }

  return {
    call: (method, path, body) => call(method, path, body),
    report: (path, body) => call('POST', path, body, { priority: priorityHeader.report }),
    poll,
    signIn,
    headers: () => ({ cookie: cookieHeader(), 'x-xsrf-token': antiForgeryToken() }),
    token: () => jar.get(cookieNames(url).access) ?? '',
    copy: () => createBrowser(url, dispatcher, { cookies: jar, limitMs }),
  }
}
