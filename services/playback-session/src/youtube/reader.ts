import type { Clock } from '@watchline/kit/clock'
import type { YoutubeClient, YoutubePlaylist } from './client.ts'

const keepMs = 60_000
const maxKept = 50

/** Reads playlists from YouTube, each at most once a minute: a preview and the import that follows it are one reading. */
export interface YoutubeReader {
  configured: boolean
  /** `fresh` asks YouTube in any case. What failed is not kept. */
  read(playlistId: string, options?: { fresh?: boolean }): Promise<YoutubePlaylist>
}

export function createYoutubeReader(client: YoutubeClient, clock: Clock): YoutubeReader {
  const kept = new Map<string, { at: number; reading: Promise<YoutubePlaylist> }>()

  function ask(playlistId: string): Promise<YoutubePlaylist> {
    const entry = { at: clock.now(), reading: client.read(playlistId) }
    kept.delete(playlistId)
    kept.set(playlistId, entry)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    entry.reading.catch(() => {
      if (kept.get(playlistId) === entry) kept.delete(playlistId)
    })
    return entry.reading
  }

  return {
    configured: client.configured,
    read: (playlistId, { fresh = false } = {}) => {
      const known = kept.get(playlistId)
      return !fresh && known && clock.now() - known.at < keepMs ? known.reading : ask(playlistId)
    },
  }
}
