import { z } from 'zod'
import { id, idParams, seconds, text } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { playlist, playlistAuthors, video } from './playlists.ts'

const service = 'playback-session'

const videoDataErrors = [
  'forbidden',
  'not_found',
  'invalid',
  'video_data_not_configured',
  'video_data_refused',
  'video_data_quota',
  'video_data_failed',
  'too_slow',
  'too_many',
] as const

const youtubeUrl = text(limits.urlMaxLength, 1)

/** Whether playlists can be read from YouTube; for the Settings tab and the import forms. */
export const getVideoDataStatus = defineOperation({
  name: 'getVideoDataStatus',
  service,
  method: 'GET',
  path: '/playlists/video-data',
  callers: playlistAuthors,
  summary: 'Whether the video-data integration (YouTube Data API) is configured.',
  response: z.object({ status: z.enum(['active', 'not_configured']) }),
  errors: ['forbidden'],
})

export const previewImport = defineOperation({
  name: 'previewImport',
  service,
  method: 'GET',
  path: '/playlists/import',
  callers: playlistAuthors,
  summary: 'Previews the import of a YouTube playlist; creates nothing.',
  query: z.object({ url: youtubeUrl }),
  response: z.object({
    title: z.string(),
    description: z.string(),
    total_duration: seconds,
    videos: z.array(video),
    /** The number of items left out because they are private, deleted or without duration. */
    left_out: z.number().int(),
  }),
  errors: videoDataErrors,
})

export const importPlaylist = defineOperation({
  name: 'importPlaylist',
  service,
  method: 'POST',
  path: '/playlists/import',
  callers: playlistAuthors,
  summary: 'Imports a YouTube playlist for the caller. A second import of the same one refreshes it.',
  body: z.object({
    youtube_playlist_url: youtubeUrl,
    /** Replaces YouTube's title; empty keeps it. */
    title: text(limits.titleMaxLength).default(''),
    description: text(limits.descriptionMaxLength).default(''),
  }),
  response: playlist,
  status: 201,
  errors: videoDataErrors,
})

export const refreshPlaylist = defineOperation({
  name: 'refreshPlaylist',
  service,
  method: 'POST',
  path: '/playlists/{id}/refresh',
  callers: playlistAuthors,
  summary:
    'Refreshes an imported playlist: titles, lengths and new videos. Missing videos stay, marked as unavailable. Watch records stay.',
  params: idParams,
  body: z.object({}),
  bodyOptional: true,
  response: playlist,
  errors: [...videoDataErrors, 'conflict'],
})

export const sharePlaylist = defineOperation({
  name: 'sharePlaylist',
  service,
  method: 'POST',
  path: '/manager/share-playlist',
  callers: ['manager'],
  summary:
    'Imports a YouTube playlist and shares it with the caller’s supervisors. A second call refreshes it and adds new supervisors.',
  body: z.object({
    youtube_playlist_url: youtubeUrl,
    supervisor_ids: z.array(id).min(1, 'At least one supervisor must be selected').max(limits.shareMaxSupervisors),
    description: text(limits.descriptionMaxLength).default(''),
  }),
  response: z.object({ success: z.literal(true), playlist }),
  errors: [...videoDataErrors, 'outside_team'],
})
