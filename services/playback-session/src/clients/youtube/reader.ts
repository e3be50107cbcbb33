import type { Clock } from '@watchline/kit/core/clock'
import type { YoutubeClient, YoutubePlaylist } from './client.ts'

const maxAgeMs = 60_000
const maxEntries = 50

export interface ReadingOptions {
  /** The calls of YouTube count for this person. An answer from the cache costs none. */
  personId: string
  fresh?: boolean
}

/** Caches YouTube's answers for a minute, so that a preview and its import are one reading. */
export interface YoutubeReader {
  configured: boolean
  /** `fresh` skips the cache. Failures are not cached. */
  read(playlistId: string, options: ReadingOptions): Promise<YoutubePlaylist>
  /** True if the video can be played here. */
  plays(videoId: string, options: ReadingOptions): Promise<boolean>
  /** Not cached. */
  readVideos: YoutubeClient['readVideos']
  /** Not cached. */
  readTexts: YoutubeClient['readTexts']
}

export function createYoutubeReader(client: YoutubeClient, clock: Clock): YoutubeReader {
  const readPlaylist = cacheResults(client.read, clock)
  const checkVideo = cacheResults(client.plays, clock)
  return {
    configured: client.configured,
    read: readPlaylist,
    plays: checkVideo,
    readVideos: client.readVideos,
    readTexts: client.readTexts,
  }
}

/** Concurrent and later calls of one id within `maxAgeMs` share one result. */
function cacheResults<T>(load: (id: string, personId: string) => Promise<T>, clock: Clock) {
  const cache = new Map<string, { at: number; result: Promise<T> }>()

  function loadNow(id: string, personId: string): Promise<T> {
    const entry = { at: clock.now(), result: load(id, personId) }
    cache.delete(id)
    cache.set(id, entry)
    for (const oldestId of cache.keys()) {
      if (cache.size <= maxEntries) break
      cache.delete(oldestId)
    }
    entry.result.catch(() => {
      if (cache.get(id) === entry) cache.delete(id)
    })
    return entry.result
  }

  return (id: string, { personId, fresh = false }: ReadingOptions) => {
    const cached = cache.get(id)
    return !fresh && cached && clock.now() - cached.at < maxAgeMs ? cached.result : loadNow(id, personId)
  }
}
