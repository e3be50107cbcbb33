import { z } from 'zod'
import { id, page, seconds, success, text, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'
import { role } from './people.ts'

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

/** A video as a playlist's maker gives it. */
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
  /** Grows with every change; give it back with an edit, so that nobody's change is overwritten unseen. */
  revision: z.number().int().min(1),
})
export type Playlist = z.infer<typeof playlist>

export const assignmentStatus = z.enum(['assigned', 'in_progress', 'completed'])
export const task = playlist.extend({ assignment_status: assignmentStatus })
export type Task = z.infer<typeof task>

const videos = z
  .array(videoInput)
  .min(1, 'needs at least one video')
  .max(limits.playlistMaxVideos, `can hold at most ${limits.playlistMaxVideos} videos`)
  .refine(videos => new Set(videos.map(each => each.id)).size === videos.length, 'has the same video twice')

const byId = z.object({ id })
const makers = ['supervisor', 'manager', 'director', 'admin'] as const

export const createPlaylist = operation({
  name: 'createPlaylist',
  service,
  method: 'POST',
  path: '/playlists',
  who: makers,
  summary: 'Creates a playlist by hand. total_duration is the sum of its videos.',
  body: z.object({ title, description: text(limits.descriptionMaxLength).default(''), videos }),
  response: playlist,
  status: 201,
  errors: ['forbidden', 'invalid'],
})

export const updatePlaylist = operation({
  name: 'updatePlaylist',
  service,
  method: 'PUT',
  path: '/playlists/{id}',
  who: makers,
  summary:
    'Edits an own playlist (director and admin: any). Without videos they stay; those of an imported one come from its source only. What people have watched stays theirs.',
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

export const deletePlaylist = operation({
  name: 'deletePlaylist',
  service,
  method: 'DELETE',
  path: '/playlists/{id}',
  who: makers,
  summary:
    'Deletes an own playlist (director and admin: any) and its assignments. What people have watched stays theirs. Harmless when repeated.',
  params: byId,
  response: success,
  errors: ['forbidden', 'not_found'],
})

const videoDataErrors = [
  'forbidden',
  'not_found',
  'invalid',
  'video_data_not_configured',
  'video_data_refused',
  'video_data_quota',
  'video_data_failed',
  'too_slow',
] as const
const youtubeUrl = text(limits.urlMaxLength, 1)

/** Whether playlists can be read from YouTube; the admin's settings and the import forms ask. */
export const getVideoDataStatus = operation({
  name: 'getVideoDataStatus',
  service,
  method: 'GET',
  path: '/playlists/video-data',
  who: makers,
  summary: 'Whether the video-data integration (YouTube Data API) is configured.',
  response: z.object({ status: z.enum(['active', 'not_configured']) }),
  errors: ['forbidden'],
})

export const previewImport = operation({
  name: 'previewImport',
  service,
  method: 'GET',
  path: '/playlists/import',
  who: makers,
  summary: 'What importing a YouTube playlist would bring; creates nothing.',
  query: z.object({ url: youtubeUrl }),
  response: z.object({
    title: z.string(),
    description: z.string(),
    total_duration: seconds,
    videos: z.array(video),
    /** Items that are private, deleted or have no length: they are left out. */
    left_out: z.number().int(),
  }),
  errors: videoDataErrors,
})

export const importPlaylist = operation({
  name: 'importPlaylist',
  service,
  method: 'POST',
  path: '/playlists/import',
  who: makers,
  summary: 'Imports a YouTube playlist as one’s own. Importing the same one again reads the one that is there anew.',
  body: z.object({
    youtube_playlist_url: youtubeUrl,
    /** Instead of YouTube's. */
    title: text(limits.titleMaxLength).default(''),
    description: text(limits.descriptionMaxLength).default(''),
  }),
  response: playlist,
  status: 201,
  errors: videoDataErrors,
})

export const refreshPlaylist = operation({
  name: 'refreshPlaylist',
  service,
  method: 'POST',
  path: '/playlists/{id}/refresh',
  who: makers,
  summary:
    'Reads an imported playlist anew: titles, lengths and new videos. Videos that are gone are marked as unavailable and stay, as does all that was watched.',
  params: byId,
  body: z.object({}),
  bodyOptional: true,
  response: playlist,
  errors: [...videoDataErrors, 'conflict'],
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

export const sharePlaylistWith = operation({
  ...sharing,
  name: 'sharePlaylistWith',
  method: 'PUT',
  summary: 'Shares an own playlist with more of one’s own supervisors; never takes it from anyone.',
})

export const unsharePlaylist = operation({
  ...sharing,
  name: 'unsharePlaylist',
  method: 'DELETE',
  summary: 'Takes a shared playlist back from supervisors. What they assigned stays assigned.',
})

export const listPlaylists = operation({
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

export const getPlaylist = operation({
  name: 'getPlaylist',
  service,
  method: 'GET',
  path: '/playlists/{id}',
  who: 'signed-in',
  summary:
    'A playlist the caller may watch: assigned to them, their own or shared, or one that somebody of theirs has.',
  params: byId,
  response: playlist,
  errors: ['not_found'],
})

export const listTasks = operation({
  name: 'listTasks',
  service,
  method: 'GET',
  path: '/supervisor/tasks',
  who: ['supervisor'],
  summary: 'What a supervisor may assign: shared by their manager if they have one, else what they created.',
  query: page,
  response: z.array(playlist),
  errors: ['forbidden'],
})

const assignment = {
  service,
  path: '/playlists/{id}/assign',
  who: ['supervisor', 'director', 'admin'],
  params: byId,
  body: z.object({
    assigned_users: z.array(id).min(1, 'At least one team member must be selected').max(limits.assignMaxPeople),
  }),
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
} as const

export const assignPlaylist = operation({
  ...assignment,
  name: 'assignPlaylist',
  method: 'PUT',
  summary: 'Assigns the playlist to people, dated now; never takes anyone away. Answers how many were new.',
  response: z.object({ success: z.literal(true), assigned: z.number().int(), playlist }),
})

export const unassignPlaylist = operation({
  ...assignment,
  name: 'unassignPlaylist',
  method: 'DELETE',
  summary: 'Takes the assignment from people. What they have watched stays theirs.',
  response: z.object({ success: z.literal(true), unassigned: z.number().int(), playlist }),
})

export const getToday = operation({
  name: 'getToday',
  service,
  method: 'GET',
  path: '/playlists/today',
  who: 'signed-in',
  summary: 'Today’s task of the caller, or null.',
  response: task.nullable(),
})

/** The caller's other assignments: the plain list under today's task. */
export const listAssignments = operation({
  name: 'listAssignments',
  service,
  method: 'GET',
  path: '/playlists/assigned',
  who: 'signed-in',
  summary: 'All that is assigned to the caller, latest first.',
  query: page,
  response: z.array(task),
})

export const sharePlaylist = operation({
  name: 'sharePlaylist',
  service,
  method: 'POST',
  path: '/manager/share-playlist',
  who: ['manager'],
  summary:
    'Imports a YouTube playlist and shares it with own supervisors. The same one again is read anew and shared with those who are new.',
  body: z.object({
    youtube_playlist_url: youtubeUrl,
    supervisor_ids: z.array(id).min(1, 'At least one supervisor must be selected').max(limits.shareMaxSupervisors),
    description: text(limits.descriptionMaxLength).default(''),
  }),
  response: z.object({ success: z.literal(true), playlist }),
  errors: [...videoDataErrors, 'outside_team'],
})

export const reportUnavailable = operation({
  name: 'reportUnavailable',
  service,
  method: 'POST',
  path: '/playlists/{id}/videos/{videoId}/unavailable',
  who: 'signed-in',
  summary:
    'The player found that a video cannot play. It is left out for everybody when YouTube confirms it, somebody of the staff met it too, or two people did; the supervisor is told once.',
  params: z.object({ id, videoId }),
  /** The player’s error code: YouTube’s 100, 101, 150 or 153, or a media error’s. */
  body: z.object({ code: z.number().int().min(0).max(1_000) }),
  response: z.object({ success: z.literal(true), unavailable: z.boolean() }),
  errors: ['not_found', 'invalid'],
})

export const sessionStatus = z.object({
  can_resume: z.boolean(),
  current_playlist_id: id.nullable(),
  current_video_id: z.string().nullable(),
  current_video_index: z.number().int().min(0),
  is_monitoring: z.boolean(),
  video_progress: seconds,
})
export type SessionStatus = z.infer<typeof sessionStatus>

export const getSessionStatus = operation({
  name: 'getSessionStatus',
  service,
  method: 'GET',
  path: '/session/status',
  who: 'signed-in',
  summary: 'Where the caller can resume: the latest unfinished playlist, or the one asked for.',
  query: z.object({ playlist_id: id.optional() }),
  response: sessionStatus,
})

const videoIndex = z
  .number()
  .int()
  .min(0)
  .max(limits.playlistMaxVideos - 1)

export const setMonitoring = operation({
  name: 'setMonitoring',
  service,
  method: 'POST',
  path: '/session/monitoring',
  who: 'signed-in',
  summary:
    'Takes (true) or releases (false) the caller’s one monitoring lock, and notes the position when it is given.',
  body: z
    .object({
      is_monitoring: z.boolean(),
      playlist_id: id.nullish(),
      current_video_id: videoId.nullish(),
      current_video_index: videoIndex.nullish(),
      video_progress: seconds.nullish(),
      take_over: z.boolean().default(false),
    })
    .superRefine((body, context) => {
      if (body.is_monitoring && !body.playlist_id)
        context.addIssue({ code: 'custom', path: ['playlist_id'], message: 'is required' })
    }),
  response: z.object({
    success: z.literal(true),
    is_monitoring: z.boolean(),
    /** Seconds the lock lasts without another sign of life; 0 when released. */
    expires_in: seconds,
  }),
  errors: ['monitoring_elsewhere', 'not_found', 'invalid'],
})

export const saveProgress = operation({
  name: 'saveProgress',
  service,
  method: 'POST',
  path: '/session/save-progress',
  who: 'signed-in',
  summary: 'Saves the position of a video; the last write by the server’s clock wins. Answered when it is durable.',
  body: z.object({
    playlist_id: id,
    video_id: videoId,
    video_index: videoIndex,
    progress: seconds,
  }),
  response: success,
  errors: ['monitoring_elsewhere', 'not_found', 'invalid', 'overloaded'],
})

export const heartbeat = operation({
  name: 'heartbeat',
  service,
  method: 'POST',
  path: '/session/heartbeat',
  who: 'signed-in',
  summary: 'A sign of life from the player that holds the lock.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['monitoring_elsewhere'],
})

export const onlineUser = z.object({
  session_id: z.string(),
  user_id: id,
  name: z.string(),
  email: z.string(),
  picture: z.string().nullable(),
  role,
  user_role: role,
  supervisor_id: id.nullable(),
  status: z.enum(['monitoring', 'active']),
  login_time: time,
  last_activity: time,
  current_playlist: z.object({ id, title: z.string() }).nullable(),
})
export type OnlineUser = z.infer<typeof onlineUser>

export const onlineSummary = z.object({
  total_online: z.number().int(),
  active_count: z.number().int(),
  monitoring_count: z.number().int(),
  total_users: z.number().int(),
  users: z.array(onlineUser),
})
export type OnlineSummary = z.infer<typeof onlineSummary>

export const listOnline = operation({
  name: 'listOnline',
  service,
  method: 'GET',
  path: '/users/online',
  who: ['supervisor', 'manager', 'director', 'admin'],
  summary: 'Who of the caller’s scope is online, and who is monitoring what.',
  query: page,
  response: onlineSummary,
  errors: ['forbidden'],
})
