import { isDeepStrictEqual } from 'node:util'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { changePlaylist } from '../actions/change-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { removeDetails, renewVideos } from '../rules/merge-videos.ts'
import type { Playlist } from '../rules/playlist.ts'

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
/** The rest follows an hour later, so that a run stays short. */
const removedPerRun = 1_000

/**
 * Renews the stored details of imported videos, because YouTube's terms allow to keep them for 30
 * days. Titles of videos that are gone are removed, and so are old details that could not be
 * renewed: there is no key, or YouTube refused them. A later renewal brings them back.
 */
export function createYoutubeRenewal(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'renewal of YouTube details failed, retrying later')
  return createRepeatedJob(signal => renewYoutubeDetails(ctx, log, signal), { pauseMs: hourMs, jitter: true, onError })
}

/** Renews the oldest playlists that are due. Returns their number. One replica an hour does it. */
export async function renewYoutubeDetails(ctx: Deps, log: Logger, signal?: AbortSignal): Promise<number> {
  const now = ctx.clock.now()
  if ((await ctx.live.counters.hit('youtube-renewal', hourMs / 2, now)).count > 1) return 0
  const { due, renewed } = ctx.youtube.configured ? await renewDue(ctx, now, log, signal) : { due: 0, renewed: 0 }
  // The key works, and playlists that wait for their turn keep their details until then.
  if (renewed > 0 || (ctx.youtube.configured && due === 0)) return renewed
  await removeOldDetails(ctx, now, log, signal)
  return 0
}

/** A playlist that fails loses its details if they are too old. */
async function renewDue(ctx: Deps, now: number, log: Logger, signal?: AbortSignal) {
  const due = await ctx.playlists.findReadBefore(new Date(now - renewAfterMs), playlistsPerHour)
  let renewed = 0
  for (const playlist of due) {
    if (signal?.aborted) break
    try {
      await renewPlaylist(ctx, playlist, now)
      renewed += 1
    } catch (error) {
      log.warn({ err: error, playlist_id: playlist.id }, 'renewal of YouTube details of a playlist failed, retrying')
      await tryToRemoveDetails(ctx, playlist.id, now, log)
    }
  }
  return { due: due.length, renewed }
}

async function renewPlaylist(ctx: Deps, { id, videos }: Playlist, now: number): Promise<void> {
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

/** Without a key, or while all calls fail, no details can be renewed. */
async function removeOldDetails(ctx: Deps, now: number, log: Logger, signal?: AbortSignal): Promise<void> {
  for (let removed = 0; removed < removedPerRun; removed += removedAtOnce) {
    const old = await ctx.playlists.findWithDetailsBefore(new Date(now - removeAfterMs), removedAtOnce)
    for (const { id } of old) {
      if (signal?.aborted) return
      await tryToRemoveDetails(ctx, id, now, log)
    }
    if (old.length < removedAtOnce) return
  }
}

/** A playlist that was deleted meanwhile must not keep the others from losing their details. */
async function tryToRemoveDetails(ctx: Deps, id: string, now: number, log: Logger): Promise<void> {
  const limit = new Date(now - removeAfterMs)
  try {
    await changePlaylist(ctx, id, ({ source, videos }) =>
      // A renewal may have been faster.
      source && source.readAt < limit && !source.detailsRemovedAt
        ? { source: { ...source, detailsRemovedAt: new Date(now) }, videos: removeDetails(videos) }
        : undefined,
    )
  } catch (error) {
    log.warn({ err: error, playlist_id: id }, 'removal of YouTube details of a playlist failed, retrying')
  }
}
