import { isDeepStrictEqual } from 'node:util'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { YoutubePlaylist } from '../clients/youtube/client.ts'
import type { PlaybackContext } from '../context.ts'
import { mergeVideos } from '../rules/merge-videos.ts'
import { readPlaylistUrl } from '../rules/youtube-url.ts'
import type { Playlist, PlaylistChange, PlaylistSource } from '../store/playlists.ts'
import { storePlaylist } from './add-playlist.ts'
import { changePlaylist } from './change-playlist.ts'
import { tellOfSharing } from './find-own-supervisors.ts'

/** What a person says about an import; what is empty is taken from YouTube, or stays as it is. */
export interface ImportWords {
  title?: string
  description?: string
}

/** The playlist an address means, read from YouTube, if there is anything in it to watch. `field` is where the address stood. */
export async function readPlayable(
  ctx: Pick<PlaybackContext, 'youtube'>,
  url: string,
  field: string,
): Promise<YoutubePlaylist> {
  const meant = readPlaylistUrl(url)
  if ('problem' in meant) fail('invalid', { detail: meant.problem, errors: [{ path: field, message: meant.problem }] })
  const read = await ctx.youtube.read(meant.playlistId)
  if (read.videos.every(video => video.unavailable))
    fail('invalid', { detail: 'This playlist has no video that can be played.' })
  return read
}

/** Stores what was read as somebody's own playlist. The one they have of it already is brought up to date, and shared with more. */
export async function importPlaylistFor(
  ctx: PlaybackContext,
  createdBy: string,
  read: YoutubePlaylist,
  { shareWith = [], ...words }: ImportWords & { shareWith?: readonly string[] },
): Promise<Playlist> {
  const bringUpToDate = (known: Playlist) =>
    changePlaylist(ctx, known.id, now => news(now, read, { ...words, shareWith }), tellOfSharing)

  const known = await ctx.playlists.imported(createdBy, read.id)
  if (known) return bringUpToDate(known)
  try {
    return await storePlaylist(ctx, {
      title: words.title || read.title,
      description: words.description || read.description,
      createdBy,
      sharedWith: [...shareWith],
      videos: read.videos,
      source: sourceOf(read),
    })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    // They imported the same in the same moment.
    return bringUpToDate((await ctx.playlists.imported(createdBy, read.id)) ?? fail('conflict'))
  }
}

/** Reads an imported playlist anew, also when nothing of it can be played any more: then its videos say so. */
export async function readAnew(ctx: PlaybackContext, playlist: Playlist): Promise<Playlist> {
  if (!playlist.source)
    fail('conflict', { detail: 'This playlist was made by hand: there is nothing to read it from.' })
  const read = await ctx.youtube.read(playlist.source.youtubePlaylistId, { fresh: true })
  return changePlaylist(ctx, playlist.id, now => news(now, read, {}))
}

/** What is new about a playlist after a reading; undefined when nothing is. */
function news(
  now: Playlist,
  read: YoutubePlaylist,
  { title, description, shareWith = [] }: ImportWords & { shareWith?: readonly string[] },
): PlaylistChange | undefined {
  const change: PlaylistChange = {
    ...fromReading(now, read),
    ...(title && { title }),
    ...(description && { description }),
    sharedWith: [...new Set([...now.sharedWith, ...shareWith])],
  }
  const parts = Object.entries(change).filter(
    ([part, value]) => !isDeepStrictEqual(value, now[part as keyof PlaylistChange]),
  )
  return parts.length > 0 ? Object.fromEntries(parts) : undefined
}

/** A reading that is older than the one that is kept brings nothing. */
function fromReading(now: Playlist, read: YoutubePlaylist): PlaylistChange {
  if (now.source && read.readAt < now.source.readAt) return {}
  const videos = mergeVideos(now.videos, read.videos)
  if (videos.length > limits.playlistMaxVideos)
    fail('invalid', { detail: `A playlist can hold at most ${limits.playlistMaxVideos} videos.` })
  return { videos, source: sourceOf(read), ...(now.title === now.source?.title && { title: read.title }) }
}

function sourceOf(read: YoutubePlaylist): PlaylistSource {
  return { youtubePlaylistId: read.id, title: read.title, readAt: read.readAt }
}
