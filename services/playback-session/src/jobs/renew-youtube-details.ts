import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { changePlaylist } from '../actions/change-playlist.ts'
import { pageSize } from '../clients/youtube/client.ts'
import type { PlaybackContext } from '../context.ts'
import { removeDetails, renewVideos } from '../rules/merge-videos.ts'
import type { Playlist } from '../rules/playlist.ts'
import { chooseWithinUnits } from '../rules/renewal-units.ts'
import { adoptTexts, removeTexts, type SourceTexts } from '../rules/source-texts.ts'

type Deps = Pick<
  PlaybackContext,
  'youtube' | 'playlists' | 'assignedOrders' | 'outbox' | 'progress' | 'unavailableReports' | 'live' | 'clock'
>

const hourMs = 3600_000
/** YouTube's terms allow 30 days. The rest is for days without quota. */
const renewAfterMs = 25 * 24 * hourMs
/** The terms' limit, and a day for failures of this job. */
const removeAfterMs = 29 * 24 * hourMs
/** A day costs at most 2,880 of the usual 10,000 units of quota; the others are for people. */
export const renewalUnitsPerHour = 120
/** The refusals of YouTube and of our own limit: more calls would be refused, too. */
const quotaCodes: readonly string[] = ['video_data_quota', 'too_many']
const removedAtOnce = 100
/** The rest follows an hour later, so that a run stays short. */
const removedPerRun = 1_000

/**
 * Renews the stored details of imported playlists and their videos, because YouTube's terms allow
 * to keep them for 30 days. Titles of what is gone are removed, and so are old details that could
 * not be renewed: there is no key, or YouTube refused them. A later renewal brings them back. Texts
 * that a person wrote stay.
 */
export function createYoutubeRenewal(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'renewal of YouTube details failed, retrying later')
  return createRepeatedJob(signal => renewYoutubeDetails(ctx, log, signal), { pauseMs: hourMs, jitter: true, onError })
}

/** Renews the oldest playlists that are due. Returns their number. One replica an hour does it. */
export async function renewYoutubeDetails(ctx: Deps, log: Logger, signal?: AbortSignal): Promise<number> {
  const now = ctx.clock.now()
  if ((await ctx.live.counters.countHit('youtube-renewal', hourMs / 2, now)).count > 1) return 0
  const { due, renewed } = ctx.youtube.configured ? await renewDue(ctx, now, log, signal) : { due: 0, renewed: 0 }
  // The key works, so playlists that are not renewed yet keep their details until a later run.
  if (renewed > 0 || (ctx.youtube.configured && due === 0)) return renewed
  await removeOldDetails(ctx, now, log, signal)
  return 0
}

/**
 * A playlist that fails loses its details if they are too old. Without quota the others wait for
 * the next run.
 */
async function renewDue(ctx: Deps, now: number, log: Logger, signal?: AbortSignal) {
  const due = await ctx.playlists.findReadBefore(new Date(now - renewAfterMs), renewalUnitsPerHour)
  const affordable = chooseWithinUnits(due, renewalUnitsPerHour, pageSize)
  let renewed = 0
  for (let start = 0; start < affordable.length; start += pageSize) {
    const page = affordable.slice(start, start + pageSize)
    const result = await renewPage(ctx, page, now, log, signal)
    renewed += result.renewed
    if (!result.mayContinue) break
  }
  return { due: due.length, renewed }
}

async function renewPage(ctx: Deps, page: readonly Playlist[], now: number, log: Logger, signal?: AbortSignal) {
  let renewed = 0
  const sourceIds = page.map(({ source }) => source!.youtubePlaylistId)
  const texts = await ctx.youtube.readTexts([...new Set(sourceIds)]).catch(async error => {
    log.warn({ err: error, playlists: page.length }, 'reading of texts of YouTube playlists failed, retrying')
    for (const { id } of page) await tryToRemoveDetails(ctx, id, now, log)
  })
  if (!texts) return { renewed, mayContinue: false }
  for (const [index, playlist] of page.entries()) {
    if (signal?.aborted) return { renewed, mayContinue: false }
    try {
      await renewPlaylist(ctx, playlist, texts.get(sourceIds[index]!), now)
      renewed += 1
    } catch (error) {
      log.warn({ err: error, playlist_id: playlist.id }, 'renewal of YouTube details of a playlist failed, retrying')
      await tryToRemoveDetails(ctx, playlist.id, now, log)
      const isWithoutQuota = error instanceof ServiceError && quotaCodes.includes(error.code)
      if (isWithoutQuota) return { renewed, mayContinue: false }
    }
  }
  return { renewed, mayContinue: true }
}

/**
 * `texts` are those of the playlist on YouTube at the time `now` or later; undefined if it is gone
 * or private. They change nothing after a later reading, of a person or another replica.
 */
async function renewPlaylist(
  ctx: Deps,
  { id, videos }: Playlist,
  texts: SourceTexts | undefined,
  now: number,
): Promise<void> {
  const ids = videos.filter(({ provider }) => provider === 'youtube').map(video => video.id)
  const found = await ctx.youtube.readVideos(ids)
  await changePlaylist(ctx, id, current => {
    if (!current.source || current.source.readAt.getTime() > now) return undefined
    const { detailsRemovedAt: _, ...source } = current.source
    const imported = { ...current, source: { ...source, readAt: new Date(now) } }
    const change = texts ? adoptTexts(imported, texts) : removeTexts(imported)
    const renewed = renewVideos(current.videos, found)
    return isDeepStrictEqual(renewed, current.videos) ? change : { ...change, videos: renewed }
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
    await changePlaylist(ctx, id, ({ source, title, description, videos }) =>
      // A renewal may have been faster.
      source && source.readAt < limit && !source.detailsRemovedAt
        ? {
            ...removeTexts({ title, description, source: { ...source, detailsRemovedAt: new Date(now) } }),
            videos: removeDetails(videos),
          }
        : undefined,
    )
  } catch (error) {
    log.warn({ err: error, playlist_id: id }, 'removal of YouTube details of a playlist failed, retrying')
  }
}
