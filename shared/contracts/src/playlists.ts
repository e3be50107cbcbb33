import { z } from 'zod'
import { conditions } from './conditions.ts'
import { direction, id, idList, idParams, page, seconds, success, text, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { staff } from './people.ts'

const service = 'playback-session'

export const videoProvider = z.enum(['youtube', 'file'])
export type VideoProvider = z.infer<typeof videoProvider>

const title = text(limits.titleMaxLength, 1)

/** An address that a <video> may load: http(s), or a path of this system, never `//host`. */
export const mediaUrl = z
  .string()
  .max(limits.urlMaxLength)
  .refine(isMediaUrl, 'must be an http(s) address or a path that starts with /')

function isMediaUrl(value: string): boolean {
  if (/^\/(?![/\\])[^\s\\]*$/.test(value)) return true
  try {
    const url = new URL(value)
    return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
  } catch {
    return false
  }
}

const youtubeId = z.string().regex(/^[\w-]{11}$/)

/** A video as the playlist's author enters it; `duration` in seconds. */
export const videoInput = z
  .object({
    provider: videoProvider.default('youtube'),
    id: videoId,
    url: mediaUrl.optional(),
    title,
    duration: z.number().positive().max(limits.videoMaxDurationS),
  })
  .superRefine((video, context) => {
    if (video.provider === 'file' && !video.url)
      context.addIssue({ code: 'custom', path: ['url'], message: 'is required for an own file' })
    if (video.provider === 'youtube' && !youtubeId.safeParse(video.id).success)
      context.addIssue({ code: 'custom', path: ['id'], message: 'is not a YouTube video id' })
  })

export const video = z.object({
  provider: videoProvider,
  id: z.string(),
  url: z.string().nullable(),
  /**
   * The address from which the caller's login session can load an own file (`url` below /media).
   * Absent for files elsewhere and for YouTube.
   */
  media_url: z.string().optional(),
  title: z.string(),
  duration: seconds,
  unavailable: z.boolean().optional(),
  /** YouTube says that the video is made for children, which turns off some of its features. */
  made_for_kids: z.boolean().optional(),
  /**
   * For staff: the number of people for whom the video did not play, while nobody has decided.
   * Absent for none.
   */
  reported_by: z.number().int().min(1).optional(),
})
export type Video = z.infer<typeof video>

export const playlist = z.object({
  id,
  title: z.string(),
  description: z.string(),
  /** The sum of the videos that can be played, in seconds. */
  total_duration: seconds,
  videos: z.array(video),
  /**
   * Its assigned people, as far as the caller may see them: all, or the latest of them. The
   * playlists of an answer list at most `limits.assigneesPerAnswer` people together. To stay below
   * it, each lists at most the same number, which is 1 to `limits.assignMaxPeople`.
   */
  assigned_users: z.array(id),
  /**
   * The number of its assigned people, as far as the caller may see them. It is true also where
   * `assigned_users` lists fewer. Absent in earlier versions, which list at most
   * `limits.assignMaxPeople` people.
   */
  assigned_count: z.number().int().min(0).optional(),
  /**
   * The time of the last assignment, for a trainee of their own one; null without an assignment.
   */
  assigned_date: time.nullable(),
  created_at: time,
  created_by: id,
  /** The supervisors it is shared with, as far as the caller may see them. */
  shared_with: z.array(id),
  /** The playlist it was imported from, and when that was last read; null if made by hand. */
  source: z.object({ provider: z.literal('youtube'), playlist_id: z.string(), read_at: time }).nullable(),
  /**
   * Grows with every change. An edit that sends it overwrites no change the editor has not seen.
   */
  revision: z.number().int().min(1),
})
export type Playlist = z.infer<typeof playlist>

const videos = z
  .array(videoInput)
  .min(1, 'needs at least one video')
  .max(limits.playlistMaxVideos, `can hold at most ${limits.playlistMaxVideos} videos`)
  .refine(videos => new Set(videos.map(video => video.id)).size === videos.length, 'has the same video twice')

/** The roles that may create playlists. */
export const playlistAuthors = ['supervisor', 'manager', 'director', 'admin'] as const

export const createPlaylist = defineOperation({
  name: 'createPlaylist',
  service,
  method: 'POST',
  path: '/playlists',
  callers: playlistAuthors,
  summary: 'Creates a playlist by hand. total_duration is the sum of its videos.',
  body: z.object({ title, description: text(limits.descriptionMaxLength).default(''), videos }),
  response: playlist,
  status: 201,
  errors: ['forbidden', 'invalid', 'too_many'],
})

export const updatePlaylist = defineOperation({
  name: 'updatePlaylist',
  service,
  method: 'PUT',
  path: '/playlists/{id}',
  callers: playlistAuthors,
  summary:
    'Edits an own playlist (director and admin: any). Without `videos` the videos stay. An imported playlist gets videos only from its source. Watch records stay.',
  params: idParams,
  body: z.object({
    title,
    description: text(limits.descriptionMaxLength).default(''),
    videos: videos.optional(),
    /** The revision that the editor saw. Without it the last edit wins. */
    revision: z.number().int().min(1).optional(),
  }),
  response: playlist,
  errors: ['forbidden', 'not_found', 'edited_elsewhere', 'conflict', 'invalid'],
})

export const deletePlaylist = defineOperation({
  name: 'deletePlaylist',
  service,
  method: 'DELETE',
  path: '/playlists/{id}',
  callers: playlistAuthors,
  summary:
    'Deletes an own playlist (director and admin: any) and its assignments. Watch records stay. A repeated call changes nothing.',
  params: idParams,
  response: success,
  errors: ['forbidden', 'not_found'],
})

const sharingOperation = {
  service,
  path: '/playlists/{id}/share',
  callers: ['manager'],
  params: idParams,
  body: z.object({
    supervisor_ids: z.array(id).min(1, 'At least one supervisor must be selected').max(limits.shareMaxSupervisors),
  }),
  response: playlist,
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
} as const

export const sharePlaylistWith = defineOperation({
  ...sharingOperation,
  name: 'sharePlaylistWith',
  method: 'PUT',
  summary: 'Shares an own playlist with more of the caller’s supervisors; removes nobody.',
})

export const unsharePlaylist = defineOperation({
  ...sharingOperation,
  name: 'unsharePlaylist',
  method: 'DELETE',
  summary: 'Stops sharing a playlist with supervisors. Their assignments stay.',
})

/** With a search X-Total-Count stops at `limits.maxCountedTotal`; users get none then. */
export const playlistSearch = page.extend({
  /** A part of the title, in any case and with or without accents. */
  search: text(limits.titleMaxLength).optional(),
})

/**
 * The order of lists of playlists, by default newest first. Numbers in titles count as numbers, so
 * "Course 9" comes before "Course 10". A cursor belongs to its `sort`.
 */
export const playlistOrder = {
  /**
   * `assigned`: by how many people have the playlist, among those whom the caller may see. Equal
   * counts are sorted by title.
   */
  sort: z.enum(['created', 'title', 'duration', 'assigned']).optional(),
  order: direction.default('desc'),
}

export const listPlaylists = defineOperation({
  name: 'listPlaylists',
  service,
  method: 'GET',
  path: '/playlists',
  callers: 'signed-in',
  summary:
    'Playlists, newest first unless another order is asked for: own and shared for supervisors, own for managers, all for director and admin, assigned ones for users. The search looks for a part of the title.',
  query: playlistSearch.extend({
    /**
     * `sort` is refused for users, who get the latest assignment first. `assigned` is refused with
     * `assignee`.
     */
    ...playlistOrder,
    /**
     * Limits `assigned_users`, `assigned_count` and `assigned_date` to this person. People whom the
     * caller may not see count as having no playlist. Users get their own in any case.
     */
    assignee: id.optional(),
  }),
  response: z.array(playlist),
  errors: ['invalid'],
})

/** A playlist as a filter shows it. The caller may be unable to open it. */
const playlistChoice = z.object({ id, title: z.string() })
export type PlaylistChoice = z.infer<typeof playlistChoice>

export const listPlaylistChoices = defineOperation({
  name: 'listPlaylistChoices',
  service,
  method: 'GET',
  path: '/playlist-choices',
  callers: staff,
  summary:
    'The playlists by which the caller may filter, by title: all of them for directors and administrators; those of their list and those that their people have for supervisors and managers. The search looks for a part of the title.',
  query: playlistSearch.extend({
    /** Only these playlists: ids separated by commas. */
    playlist_ids: idList.optional(),
  }),
  response: z.array(playlistChoice),
  errors: ['forbidden', 'invalid'],
})

export const getPlaylist = defineOperation({
  name: 'getPlaylist',
  service,
  method: 'GET',
  path: '/playlists/{id}',
  callers: 'signed-in',
  summary: 'A playlist the caller may watch: assigned, own or shared, or assigned to a person in their scope.',
  params: idParams,
  response: playlist.extend({
    /** Of the caller’s own task; null or absent for the default ones, and without a task. */
    conditions: conditions.nullable().optional(),
  }),
  errors: ['not_found'],
})

export type WatchablePlaylist = z.infer<typeof getPlaylist.response>

export const previewMedia = defineOperation({
  name: 'previewMedia',
  service,
  method: 'GET',
  path: '/playlists/media',
  callers: playlistAuthors,
  summary: 'The address from which the caller can load an own file that no playlist holds yet.',
  query: z.object({ url: mediaUrl }),
  /** Null for a file elsewhere: it is loaded from its own address. */
  response: z.object({ media_url: z.string().nullable() }),
  errors: ['forbidden', 'invalid'],
})

export const getVideoCover = defineOperation({
  name: 'getVideoCover',
  service,
  method: 'GET',
  path: '/playlists/covers/{videoId}',
  callers: 'signed-in',
  summary: 'The picture of a YouTube video. YouTube does not learn who looks at it.',
  params: z.object({ videoId: youtubeId }),
  query: z.object({ size: z.enum(['small', 'large']).default('small') }),
  response: z.null(),
  mediaType: 'image/*',
  errors: ['not_found', 'invalid'],
})

export const reportUnavailable = defineOperation({
  name: 'reportUnavailable',
  service,
  method: 'POST',
  path: '/playlists/{id}/videos/{videoId}/unavailable',
  callers: 'signed-in',
  summary:
    'Reports a video that does not play. It stops counting for everybody if YouTube says so, its own file is gone, or a member of staff decides so (`decided`). Otherwise the supervisor is notified once, and staff decide.',
  params: z.object({ id, videoId }),
  /** The error code of the player: YouTube's 100, 101, 150 or 153, or the code of a MediaError. */
  body: z.object({
    code: z.number().int().min(0).max(1_000),
    /** A member of staff decides. Players, which report by themselves, never send it. */
    decided: z.boolean().default(false),
  }),
  response: z.object({ success: z.literal(true), unavailable: z.boolean() }),
  errors: ['forbidden', 'not_found', 'invalid', 'too_many'],
})

export const dismissUnavailable = defineOperation({
  name: 'dismissUnavailable',
  service,
  method: 'DELETE',
  path: '/playlists/{id}/videos/{videoId}/unavailable',
  callers: playlistAuthors,
  summary:
    'Says that a video plays: discards the reports about it, and lets it count again. A repeated call changes nothing.',
  params: z.object({ id, videoId }),
  response: playlist,
  errors: ['forbidden', 'not_found'],
})
