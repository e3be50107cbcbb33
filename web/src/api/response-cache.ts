/*
 * Responses with an ETag, by path, in the memory of the page. The browser stores no response of the
 * API, because the next person at this computer could find it there.
 */

interface CachedResponse {
  etag: string
  body: unknown
  headers: Headers
}

const maxResponses = 200
const responses = new Map<string, CachedResponse>()

export function findCachedResponse(path: string): CachedResponse | undefined {
  return responses.get(path)
}

/** Keeps no response without an ETag: the server could not say later that it is unchanged. */
export function cacheResponse(path: string, body: unknown, headers: Headers): void {
  responses.delete(path)
  const etag = headers.get('etag')
  if (!etag) return
  responses.set(path, { etag, body, headers })
  const [oldest] = responses.keys()
  if (responses.size > maxResponses && oldest !== undefined) responses.delete(oldest)
}

export function clearResponses(): void {
  responses.clear()
}
