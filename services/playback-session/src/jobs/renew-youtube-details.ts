import { isDeepStrictEqual } from 'node:util'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { changePlaylist } from '../actions/change-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { renewVideos } from '../rules/merge-videos.ts'

type Deps = Pick<
  PlaybackContext,
  'youtube' | 'playlists' | 'outbox' | 'progress' | 'unavailableReports' | 'live' | 'clock'
>

const hourMs = 3600_000
/** YouTube's terms allow 30 days. The rest is for days without quota. */
const renewAfterMs = 25 * 24 * hourMs
/** At most ten units of quota each: a day costs fewer than 2,400 of the usual 10,000 units. */
const playlistsPerHour = 10

/**
 * Renews the stored details of imported videos, because YouTube's terms allow to keep them for 30
 * days. Titles of videos that are gone are removed. Without a key nothing can be renewed.
 */
export function createYoutubeRenewal(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'renewal of YouTube details failed, retrying later')
  const job = createRepeatedJob(() => renewYoutubeDetails(ctx), { pauseMs: hourMs, jitter: true, onError })
  return { start: () => void (ctx.youtube.configured && job.start()), stop: job.stop }
}

/** Renews the oldest playlists that are due. Returns their number. One replica an hour does it. */
export async function renewYoutubeDetails(ctx: Deps): Promise<number> {
  const now = ctx.clock.now()
  if ((await ctx.live.counters.hit('youtube-renewal', hourMs / 2, now)).count > 1) return 0
  const due = await ctx.playlists.findReadBefore(new Date(now - renewAfterMs), playlistsPerHour)
  for (const { id, videos } of due) {
    const ids = videos.filter(({ provider }) => provider === 'youtube').map(video => video.id)
    const found = await ctx.youtube.readVideos(ids)
    await changePlaylist(ctx, id, current => {
      if (!current.source) return undefined
      const renewed = renewVideos(current.videos, found)
      const source = { ...current.source, readAt: new Date(now) }
      return isDeepStrictEqual(renewed, current.videos) ? { source } : { source, videos: renewed }
    })
  }
  return due.length
}
