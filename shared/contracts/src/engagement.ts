import { z } from 'zod'
import { id, page, seconds, success, text, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'
import { role } from './people.ts'

const service = 'engagement'

export const watchEventType = z.enum(['play', 'pause', 'playing', 'ended', 'playlist_completed'])
export type WatchEventType = z.infer<typeof watchEventType>

export const track = operation({
  name: 'track',
  service,
  method: 'POST',
  path: '/engagement/track',
  who: 'signed-in',
  summary: 'Reports the playback position at an event. Repeating an event_id is harmless.',
  body: z.object({
    playlist_id: id.optional(),
    video_id: videoId,
    watch_time: seconds,
    event_type: watchEventType,
    event_id: z.uuid().optional(),
    playback_rate: z.number().positive().max(16).default(1),
    client_time: time.optional(),
  }),
  response: success,
  errors: ['not_found', 'invalid', 'overloaded'],
})

export const engagementRecord = z.object({
  id,
  user_id: id,
  playlist_id: id.optional(),
  video_id: z.string(),
  completion_rate: z.number().min(0).max(100),
  watch_time: seconds,
  last_updated: time,
})
export type EngagementRecord = z.infer<typeof engagementRecord>

export const getEngagementDashboard = operation({
  name: 'getEngagementDashboard',
  service,
  method: 'GET',
  path: '/engagement/dashboard',
  who: ['supervisor', 'manager', 'director', 'admin'],
  summary: 'The engagement records of the caller’s scope.',
  query: page,
  response: z.array(engagementRecord),
  errors: ['forbidden'],
})

export const getTeamAnalytics = operation({
  name: 'getTeamAnalytics',
  service,
  method: 'GET',
  path: '/manager/team-analytics',
  who: ['manager'],
  summary: 'The manager’s supervisors and teams with their engagement.',
  query: page,
  response: z.object({
    users: z.array(z.looseObject({ id, name: z.string() })),
    engagements: z.array(engagementRecord),
    total_users: z.number().int(),
    active_users: z.number().int(),
  }),
  errors: ['forbidden'],
})

export const comment = z.object({
  id,
  comment: z.string(),
  timestamp: seconds,
  user_name: z.string(),
  user_role: role,
  created_at: time,
})
export type Comment = z.infer<typeof comment>

export const listComments = operation({
  name: 'listComments',
  service,
  method: 'GET',
  path: '/comments/{playlistId}/{videoId}',
  who: 'signed-in',
  summary: 'The comments on a video that the caller may see, by their timestamp.',
  params: z.object({ playlistId: id, videoId }),
  query: page,
  response: z.array(comment),
  errors: ['not_found'],
})

export const addComment = operation({
  name: 'addComment',
  service,
  method: 'POST',
  path: '/comments',
  who: 'signed-in',
  summary: 'Adds a comment at a second of a video.',
  body: z.object({
    playlist_id: id,
    video_id: videoId,
    timestamp: seconds,
    comment: text(limits.commentMaxLength, 1),
  }),
  response: z.object({ success: z.literal(true), comment }),
  errors: ['not_found', 'invalid'],
})
