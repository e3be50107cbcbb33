import { isDeepStrictEqual } from 'node:util'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { changePlaylist } from '../actions/change-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { removeDetails, renewVideos } from '../rules/merge-videos.ts'

type Deps = Pick<
  PlaybackContext,
  'youtube' | 'playlists' | 'outbox' | 'progress' | 'unavailableReports' | 'live' | 'clock'
>

const hourMs = 3600_000
/** YouTube's terms allow 30 days. The rest is for days without quota. */
const renewAfterMs = 25 * 24 * hourMs
/** The terms' limit, and a day for failures of this job. */
const removeAfterMs = 29 * 24 * hourMs
/** At most ten units of quota each: a day costs fewer than 2,400 of the usual 10,000 units. */
const playlistsPerHour = 10
const removedAtOnce = 100

/**
 * Renews the stored details of imported videos, because YouTube's terms allow to keep them for 30
 * days. Titles of videos that are gone are removed, and so are details that could not be renewed:
 * there is no key any more, or calls of YouTube fail. A later renewal brings them back.
 */
export function createYoutubeRenewal(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'renewal of YouTube details failed, retrying later')
  const job = createRepeatedJob(() => renewYoutubeDetails(ctx), { pauseMs: hourMs, jitter: true, onError })
  return { start: job.start, stop: job.stop }
}

/** Renews the oldest playlists that are due. Returns their number. One replica an hour does it. */
export async function renewYoutubeDetails(ctx: Deps): Promise<number> {
  const now = ctx.clock.now()
  if ((await ctx.live.counters.hit('youtube-renewal', hourMs / 2, now)).count > 1) return 0
  try {
    return ctx.youtube.configured ? await renewDue(ctx, now) : 0
  } finally {
    await removeOldDetails(ctx, now)
  }
}

async function renewDue(ctx: Deps, now: number): Promise<number> {
  const due = await ctx.playlists.findReadBefore(new Date(now - renewAfterMs), playlistsPerHour)
  for (const { id, videos } of due) {
    const ids = videos.filter(({ provider }) => provider === 'youtube').map(video => video.id)
    const found = await ctx.youtube.readVideos(ids)
    await changePlaylist(ctx, id, current => {
      if (!current.source) return undefined
      const renewed = renewVideos(current.videos, found)
      const { detailsRemovedAt: _, ...known } = current.source
      const source = { ...known, readAt: new Date(now) }
      return isDeepStrictEqual(renewed, current.videos) ? { source } : { source, videos: renewed }
    })
  }
  return due.length
}

async function removeOldDetails(ctx: Deps, now: number): Promise<void> {
  const limit = new Date(now - removeAfterMs)
  for (;;) {
    const old = await ctx.playlists.findWithDetailsBefore(limit, removedAtOnce)
    for (const { id } of old)
      await changePlaylist(ctx, id, ({ source, videos }) =>
        // A renewal may have been faster.
        source && source.readAt < limit && !source.detailsRemovedAt
          ? { source: { ...source, detailsRemovedAt: new Date(now) }, videos: removeDetails(videos) }
          : undefined,
      )
    if (old.length < removedAtOnce) return
  }
}
