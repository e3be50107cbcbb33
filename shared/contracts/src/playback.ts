import { z } from 'zod'
import { id, seconds, success, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'playback-session'

export const sessionStatus = z.object({
  can_resume: z.boolean(),
  current_playlist_id: id.nullable(),
  current_video_id: z.string().nullable(),
  current_video_index: z.number().int().min(0),
  is_monitoring: z.boolean(),
  video_progress: seconds,
  /** When the position was saved; absent without one, and from earlier versions. */
  saved_at: time.optional(),
  /**
   * The caller's login session owns the monitoring lock, or owned it last: its late reports are
   * credited. Absent in earlier versions.
   */
  owned_lock_last: z.boolean().optional(),
})
export type SessionStatus = z.infer<typeof sessionStatus>

export const getSessionStatus = defineOperation({
  name: 'getSessionStatus',
  service,
  method: 'GET',
  path: '/session/status',
  callers: 'signed-in',
  summary: 'Where the caller can resume: in the latest unfinished playlist, or in playlist_id.',
  query: z.object({ playlist_id: id.optional() }),
  response: sessionStatus,
})

const videoIndex = z
  .number()
  .int()
  .min(0)
  .max(limits.playlistMaxVideos - 1)

export const setMonitoring = defineOperation({
  name: 'setMonitoring',
  service,
  method: 'POST',
  path: '/session/monitoring',
  callers: 'signed-in',
  summary:
    'Acquires (true) or releases (false) the caller’s one monitoring lock, and saves the playback position if there is one. A takeover keeps the position of the other session. A release with a playlist_id leaves the lock on another playlist.',
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
    /** Seconds until the lock expires without a heartbeat; 0 when released. */
    expires_in: seconds,
  }),
  errors: ['monitoring_elsewhere', 'notice_unanswered', 'not_found', 'invalid'],
})

export const saveProgress = defineOperation({
  name: 'saveProgress',
  service,
  method: 'POST',
  path: '/session/save-progress',
  callers: 'signed-in',
  summary: 'Saves the position in a video and responds when it is durable. The last write by the server’s clock wins.',
  body: z.object({
    playlist_id: id,
    video_id: videoId,
    video_index: videoIndex,
    progress: seconds,
  }),
  response: success,
  errors: ['monitoring_elsewhere', 'not_found', 'invalid', 'overloaded'],
})

export const heartbeat = defineOperation({
  name: 'heartbeat',
  service,
  method: 'POST',
  path: '/session/heartbeat',
  callers: 'signed-in',
  summary: 'Renews the monitoring lock of the caller’s player.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['monitoring_elsewhere'],
})

export const countOwnSessions = defineOperation({
  name: 'countOwnSessions',
  service,
  method: 'GET',
  path: '/session/record',
  callers: 'signed-in',
  summary: 'The number of assignments, of playlists with a saved position, and of monitored sessions of the caller.',
  response: z.object({
    assignments: z.number().int(),
    positions: z.number().int(),
    /** Ended ones are kept for a time that the operator sets. */
    monitored_sessions: z.number().int(),
  }),
})

/**
 * `inform`: people confirm that they have read the organisation's text before their first monitored
 * session. `consent`: they agree to it. Both again when the text changes.
 */
export const monitoringNoticeMode = z.enum(['off', 'inform', 'consent'])
export type MonitoringNoticeMode = z.infer<typeof monitoringNoticeMode>

export const monitoringNotice = z.object({
  mode: monitoringNoticeMode,
  text: z.string(),
  /** Changes with mode and text. */
  version: z.string(),
  /** The caller's answer to this version; null without one. */
  answer: z.object({ accepted: z.boolean(), answered_at: time }).nullable(),
})
export type MonitoringNotice = z.infer<typeof monitoringNotice>

export const getMonitoringNotice = defineOperation({
  name: 'getMonitoringNotice',
  service,
  method: 'GET',
  path: '/session/notice',
  callers: 'signed-in',
  summary: 'The organisation’s notice about monitored sessions, and the caller’s answer to it.',
  response: monitoringNotice,
})

export const answerMonitoringNotice = defineOperation({
  name: 'answerMonitoringNotice',
  service,
  method: 'POST',
  path: '/session/notice',
  callers: 'signed-in',
  summary:
    'Stores the caller’s answer to the notice, with its version and time. Without acceptance no monitored session starts, and an open one ends. 409 if the notice has changed since.',
  body: z.object({ version: z.string().min(1).max(100), accepted: z.boolean() }),
  response: monitoringNotice,
  errors: ['conflict', 'invalid'],
})
