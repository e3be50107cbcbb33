import { limits } from '@watchline/contracts/limits'
import { fillPath } from '@watchline/contracts/operation'
import { getPlaylist } from '@watchline/contracts/playlists'
import { mediaPathOf, mediaScopeOf } from '@watchline/identity/media-scope'
import type { Clock } from '@watchline/kit/core/clock'
import { LRUCache } from 'lru-cache'
import type { Upstream } from '../forward/upstream.ts'

export interface PlaylistMedia {
  /**
   * The scopes of all own files in a playlist, as the caller may watch it now; empty if they may
   * not. Rejects if playback-session cannot tell.
   */
  scopesOf(playlistId: string, caller: { sid: string; token: string }): Promise<ReadonlySet<string>>
}

interface CachedScopes {
  scopes: Promise<ReadonlySet<string>>
  validUntil: number
}

/** As long as half the life of an address, so that an unassigned person loses both equally soon. */
const validMs = limits.mediaAddressS * 500
/** Refusals are kept briefly, so that a person who gets a playlist back does not wait for long. */
const refusalMs = 5_000
const none: ReadonlySet<string> = new Set()

/**
 * Asks playback-session with the caller's own token, so its rights decide. Answers are kept for
 * each login session and playlist, and concurrent requests share one call.
 */
export function createPlaylistMedia(options: {
  upstream: Upstream
  ownOrigin: string
  clock: Clock
  answerTimeoutMs: number
}): PlaylistMedia {
  const { upstream, ownOrigin, clock, answerTimeoutMs } = options
  const cache = new LRUCache<string, CachedScopes>({ max: 20_000 })

  async function fetchScopes(playlistId: string, token: string): Promise<ReadonlySet<string>> {
    const { pool } = upstream.nextAddress(clock.now())
    const answer = await pool.request({
      method: 'GET',
      path: `/api${fillPath(getPlaylist.path, { id: playlistId })}`,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    })
    if (answer.statusCode === 200) {
      const { videos } = getPlaylist.response.parse(await answer.body.json())
      const paths = videos.flatMap(({ url }) => (url === null ? [] : (mediaPathOf(url, [ownOrigin]) ?? [])))
      return new Set(paths.map(mediaScopeOf))
    }
    await answer.body.dump()
    if (answer.statusCode >= 500 || answer.statusCode === 429)
      throw new Error(`playback-session answered ${answer.statusCode}`)
    return none
  }

  return {
    scopesOf: (playlistId, { sid, token }) => {
      const key = `${sid} ${playlistId}`
      const now = clock.now()
      const cached = cache.get(key)
      if (cached && cached.validUntil > now) return cached.scopes
      const entry: CachedScopes = { scopes: fetchScopes(playlistId, token), validUntil: now + validMs }
      cache.set(key, entry)
      entry.scopes.then(
        scopes => {
          if (scopes === none) entry.validUntil = Math.min(entry.validUntil, clock.now() + refusalMs)
        },
        () => cache.delete(key),
      )
      return entry.scopes
    },
  }
}
