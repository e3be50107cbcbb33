import { request } from 'undici'

export interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  json: any
  text: string
  headers: Headers
}

export interface RequestOptions {
  /** By default GET. */
  method?: string
  headers?: Record<string, string>
  body?: string | undefined
}

/**
 * One HTTP request. It follows no redirect. It does not use `fetch`, which costs twice as much
 * processor time: tests send a great many requests.
 */
export async function sendRequest(url: string, options: RequestOptions = {}): Promise<ApiResponse> {
  const { method = 'GET', headers, body = null } = options
  const answer = await request(url, { method, headers, body })
  const text = await answer.body.text()
  const answerHeaders = new Headers()
  for (const [name, values] of Object.entries(answer.headers))
    for (const value of [values ?? []].flat()) answerHeaders.append(name, value)
  return { status: answer.statusCode, json: parseJson(text), text, headers: answerHeaders }
}

/** Undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** Calls a service over HTTP as the gateway does. */
export function apiClient(url: string, token?: string) {
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sendRequest(`${url}/api${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call('POST', path, body, headers),
    put: (path: string, body?: unknown, headers?: Record<string, string>) => call('PUT', path, body, headers),
    delete: (path: string, body?: unknown, headers?: Record<string, string>) => call('DELETE', path, body, headers),
  }
}
