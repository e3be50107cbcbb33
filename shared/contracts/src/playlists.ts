import { z } from 'zod'
import { byId, id, page, seconds, success, text, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'playback-session'

export const videoProvider = z.enum(['youtube', 'file'])
export type VideoProvider = z.infer<typeof videoProvider>

const title = text(limits.titleMaxLength, 1)

/** Only what a <video> may load: http(s), or a path of this system itself (never `//host`). */
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

/** A video as the playlist's author enters it. */
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
    if (video.provider === 'youtube' && !/^[\w-]{11}$/.test(video.id))
      context.addIssue({ code: 'custom', path: ['id'], message: 'is not a YouTube video id' })
  })

export const video = z.object({
  provider: videoProvider,
  id: z.string(),
  url: z.string().nullable(),
  title: z.string(),
  duration: seconds,
  unavailable: z.boolean().optional(),
})
export type Video = z.infer<typeof video>

export const playlist = z.object({
  id,
  title: z.string(),
  description: z.string(),
  /** Of the videos that can be played. */
  total_duration: seconds,
  videos: z.array(video),
  /** The people it is assigned to, as far as they are the caller's business. */
  assigned_users: z.array(id),
  /** When it was last assigned (to the caller, for a trainee), else null. */
  assigned_date: time.nullable(),
  created_at: time,
  created_by: id,
  /** The supervisors it was shared with, as far as they are the caller's business. */
  shared_with: z.array(id),
  /** Where it was imported from and last read; null for one made by hand. */
  source: z.object({ provider: z.literal('youtube'), playlist_id: z.string(), read_at: time }).nullable(),
  /** Grows with every change. Send it with an edit, so that the edit overwrites no unseen change. */
  revision: z.number().int().min(1),
})
export type Playlist = z.infer<typeof playlist>

const videos = z
  .array(videoInput)
  .min(1, 'needs at least one video')
  .max(limits.playlistMaxVideos, `can hold at most ${limits.playlistMaxVideos} videos`)
  .refine(videos => new Set(videos.map(each => each.id)).size === videos.length, 'has the same video twice')

/** The roles that may create playlists. */
export const playlistAuthors = ['supervisor', 'manager', 'director', 'admin'] as const

export const createPlaylist = defineOperation({
  name: 'createPlaylist',
  service,
  method: 'POST',
  path: '/playlists',
  who: playlistAuthors,
  summary: 'Creates a playlist by hand. total_duration is the sum of its videos.',
  body: z.object({ title, description: text(limits.descriptionMaxLength).default(''), videos }),
  response: playlist,
  status: 201,
  errors: ['forbidden', 'invalid'],
})

export const updatePlaylist = defineOperation({
  name: 'updatePlaylist',
  service,
  method: 'PUT',
  path: '/playlists/{id}',
  who: playlistAuthors,
  summary:
    'Edits an own playlist (director and admin: any). Without videos, they stay; an imported playlist gets videos only from its source. Watch records stay.',
  params: byId,
  body: z.object({
    title,
    description: text(limits.descriptionMaxLength).default(''),
    videos: videos.optional(),
    /** The revision the edit began with; without it the last edit wins. */
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
  who: playlistAuthors,
  summary:
    'Deletes an own playlist (director and admin: any) and its assignments. Watch records stay. A repeated call changes nothing.',
  params: byId,
  response: success,
  errors: ['forbidden', 'not_found'],
})

const sharing = {
  service,
  path: '/playlists/{id}/share',
  who: ['manager'],
  params: byId,
  body: z.object({
    supervisor_ids: z.array(id).min(1, 'At least one supervisor must be selected').max(limits.shareMaxSupervisors),
  }),
  response: playlist,
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
} as const

export const sharePlaylistWith = defineOperation({
  ...sharing,
  name: 'sharePlaylistWith',
  method: 'PUT',
  summary: 'Shares an own playlist with more of the caller’s supervisors; removes nobody.',
})

export const unsharePlaylist = defineOperation({
  ...sharing,
  name: 'unsharePlaylist',
  method: 'DELETE',
  summary: 'Stops sharing a playlist with supervisors. Their assignments stay.',
})

export const listPlaylists = defineOperation({
  name: 'listPlaylists',
  service,
  method: 'GET',
  path: '/playlists',
  who: 'signed-in',
  summary:
    'Playlists, newest first: own and shared for supervisors, own for managers, all for director and admin, assigned ones for users.',
  query: page,
  response: z.array(playlist),
  errors: ['invalid'],
})

export const getPlaylist = defineOperation({
  name: 'getPlaylist',
  service,
  method: 'GET',
  path: '/playlists/{id}',
  who: 'signed-in',
  summary: 'A playlist the caller may watch: assigned, own or shared, or assigned to a person in their scope.',
  params: byId,
  response: playlist,
  errors: ['not_found'],
})

export const reportUnavailable = defineOperation({
  name: 'reportUnavailable',
  service,
  method: 'POST',
  path: '/playlists/{id}/videos/{videoId}/unavailable',
  who: 'signed-in',
  summary:
    'Reports a video that does not play. It stops counting for everybody when YouTube, a member of staff or a second person confirms it. The supervisor is notified once.',
  params: z.object({ id, videoId }),
  /** The player’s error code: YouTube’s 100, 101, 150 or 153, or a media error’s. */
  body: z.object({ code: z.number().int().min(0).max(1_000) }),
  response: z.object({ success: z.literal(true), unavailable: z.boolean() }),
  errors: ['not_found', 'invalid'],
})
