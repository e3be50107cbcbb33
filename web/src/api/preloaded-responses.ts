import { apiUrl } from './api-url.ts'

/** An answer that nobody took within this time is old, ms. */
const maxAgeMs = 10_000

interface PreloadedResponse {
  startedAt: number
  controller: AbortController
  response: Promise<Response>
}

declare global {
  /** By path. The script that runs before the client leaves them here. */
  var watchlinePreloads: Map<string, PreloadedResponse> | undefined
}

/**
 * Asks for an answer that the client will need first, before the client has loaded. `findFollowing`
 * names the requests that need this answer.
 */
export function preloadResponse(path: string, findFollowing?: (answer: unknown) => readonly string[]): void {
  const controller = new AbortController()
  const response = fetch(apiUrl(path), {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    signal: controller.signal,
  })
  // The client reports the failure, if it needs the answer.
  response.catch(() => {})
  globalThis.watchlinePreloads ??= new Map()
  globalThis.watchlinePreloads.set(path, { startedAt: Date.now(), controller, response })
  if (findFollowing) preloadFollowing(path, response, findFollowing).catch(() => {})
}

async function preloadFollowing(
  path: string,
  response: Promise<Response>,
  findFollowing: (answer: unknown) => readonly string[],
): Promise<void> {
  const answer = await response
  // A client that already runs asks for the others itself.
  const isUsed = !globalThis.watchlinePreloads?.has(path)
  if (isUsed || !answer.ok) return
  for (const next of findFollowing(await answer.clone().json())) preloadResponse(next)
}

/**
 * The preloaded answer of a read, once. The signal ends the request, as it would end one of its
 * own.
 */
export function takePreloadedResponse(path: string, signal: AbortSignal | undefined): Promise<Response> | undefined {
  const preloaded = globalThis.watchlinePreloads?.get(path)
  globalThis.watchlinePreloads?.delete(path)
  if (!preloaded || Date.now() - preloaded.startedAt >= maxAgeMs) return undefined
  const abort = () => preloaded.controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return preloaded.response
}
