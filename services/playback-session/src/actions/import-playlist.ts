import { isDeepStrictEqual } from 'node:util'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { YoutubePlaylist } from '../clients/youtube/client.ts'
import { failForTooManyVideos } from '../clients/youtube/errors.ts'
import type { PlaybackContext } from '../context.ts'
import { mergeVideos } from '../rules/merge-videos.ts'
import type { Playlist, PlaylistChange, PlaylistSource } from '../rules/playlist.ts'
import { playlistLimit } from '../rules/rate-limits.ts'
import { adoptTexts } from '../rules/source-texts.ts'
import { readPlaylistUrl } from '../rules/youtube-url.ts'
import { addPlaylist } from './add-playlist.ts'
import { changePlaylist } from './change-playlist.ts'

/**
 * Texts that the person enters beside the URL. An empty text comes from YouTube, or stays
 * unchanged.
 */
export interface ImportInput {
  title?: string
  description?: string
  supervisorIds?: readonly string[]
}

/**
 * Reads the playlist of a URL from YouTube. Fails if no video can play. `field` names the URL's
 * field.
 */
export async function readPlayablePlaylist(
  ctx: Pick<PlaybackContext, 'youtube'>,
  personId: string,
  url: string,
  field: string,
): Promise<YoutubePlaylist> {
  const target = readPlaylistUrl(url)
  if ('problem' in target)
    fail('invalid', { detail: target.problem, errors: [{ path: field, message: target.problem }] })
  const reading = await ctx.youtube.read(target.playlistId, { personId })
  if (reading.videos.every(video => video.unavailable))
    fail('invalid', { detail: 'This playlist has no video that can be played.' })
  return reading
}

/**
 * Stores a reading as the owner's playlist. An existing import is updated and shared with more
 * supervisors.
 */
export async function storeImportedPlaylist(
  ctx: PlaybackContext,
  createdBy: string,
  reading: YoutubePlaylist,
  input: ImportInput,
): Promise<Playlist> {
  const update = ({ id }: Playlist) => changePlaylist(ctx, id, current => mergeReading(current, reading, input))

  const existing = await ctx.playlists.findImported(createdBy, reading.id)
  if (existing) return update(existing)
  await ctx.rateLimiter.count(`playlists:${createdBy}`, playlistLimit)
  try {
    return await addPlaylist(ctx, {
      title: input.title || reading.title,
      description: input.description || reading.description,
      createdBy,
      sharedWith: [...(input.supervisorIds ?? [])],
      videos: reading.videos,
      source: { ...sourceOf(reading), description: input.description ? null : reading.description },
    })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    // The same owner imported the same playlist concurrently.
    return update((await ctx.playlists.findImported(createdBy, reading.id)) ?? fail('conflict'))
  }
}

/** The change of the playlist after a reading; undefined if nothing changes. */
export function mergeReading(
  current: Playlist,
  reading: YoutubePlaylist,
  { title, description, supervisorIds = [] }: ImportInput = {},
): PlaylistChange | undefined {
  const change: PlaylistChange = {
    ...changeFromSource(current, reading),
    ...(title && { title }),
    ...(description && { description }),
    sharedWith: [...new Set([...current.sharedWith, ...supervisorIds])],
  }
  const changedFields = Object.entries(change).filter(
    ([field, value]) => !isDeepStrictEqual(value, current[field as keyof PlaylistChange]),
  )
  return changedFields.length > 0 ? Object.fromEntries(changedFields) : undefined
}

/** A reading older than the stored one changes nothing. */
function changeFromSource(current: Playlist, reading: YoutubePlaylist): PlaylistChange {
  if (current.source && reading.readAt < current.source.readAt) return {}
  const videos = mergeVideos(current.videos, reading.videos)
  if (videos.length > limits.playlistMaxVideos) failForTooManyVideos()
  if (!current.source) return { videos, source: sourceOf(reading) }
  const { source, ...texts } = adoptTexts({ ...current, source: current.source }, reading)
  return { videos, ...texts, source: { ...sourceOf(reading), description: source.description } }
}

function sourceOf(reading: YoutubePlaylist): PlaylistSource {
  return { youtubePlaylistId: reading.id, title: reading.title, readAt: reading.readAt }
}
