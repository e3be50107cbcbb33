import type { Clock } from '@watchline/kit/core/clock'
import type { YoutubeClient, YoutubePlaylist } from './client.ts'

const keepMs = 60_000
const maxKept = 50

/** Reads playlists from YouTube, each at most once a minute: a preview and the import that follows it are one reading. */
export interface YoutubeReader {
  configured: boolean
  /** `fresh` asks YouTube in any case. What failed is not kept. */
  read(playlistId: string, options?: { fresh?: boolean }): Promise<YoutubePlaylist>
  /** Whether a video can be played here; asked at most once a minute too, however many report it. */
  plays(videoId: string): Promise<boolean>
}

export function createYoutubeReader(client: YoutubeClient, clock: Clock): YoutubeReader {
  const playlists = keeping(client.read, clock)
  const videos = keeping(client.plays, clock)
  return { configured: client.configured, read: playlists, plays: id => videos(id) }
}

/** Answers what is being asked or was answered within the last minute; the latest ones only, and never a failure. */
function keeping<T>(ask: (id: string) => Promise<T>, clock: Clock) {
  const kept = new Map<string, { at: number; reading: Promise<T> }>()

  function askNow(id: string): Promise<T> {
    const entry = { at: clock.now(), reading: ask(id) }
    kept.delete(id)
    kept.set(id, entry)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    entry.reading.catch(() => {
      if (kept.get(id) === entry) kept.delete(id)
    })
    return entry.reading
  }

  return (id: string, { fresh = false }: { fresh?: boolean } = {}) => {
    const known = kept.get(id)
    return !fresh && known && clock.now() - known.at < keepMs ? known.reading : askNow(id)
  }
}
