import { z } from 'zod'
import { byId, id, page, seconds, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'notification'

/** What a notification tells of; `notification_type` is its family as the product names them. */
export const notificationKind = z.enum([
  'comment_to_approve',
  'video_completed',
  'playlist_completed',
  'integrity',
  'video_unavailable',
  'task_assigned',
  'playlist_shared',
  'request_reviewed',
  'comment_reviewed',
])
export type NotificationKind = z.infer<typeof notificationKind>

export const notification = z.object({
  id,
  title: z.string(),
  message: z.string(),
  notification_type: z.enum(['comment', 'engagement', 'other']),
  kind: notificationKind,
  is_read: z.boolean(),
  /** Only there when an answer is asked for: null pending, then true or false. */
  is_approved: z.boolean().nullable().optional(),
  /** What was written, in full, where it waits for an answer or was given one; `message` quotes its beginning. */
  comment: z.string().optional(),
  /** The supervisor's words in full, once there are some: for whoever gave the answer and for whom it concerns. */
  supervisor_comment: z.string().optional(),
  /** When it first happened, and when it last did: they differ for what was folded into one. */
  created_at: time,
  updated_at: time,
  /** How many happenings it stands for. */
  count: z.number().int().min(1),
  /** Whom it is about, when it is one person. */
  user_id: id.nullable(),
  user_name: z.string().nullable(),
  /** Where it leads, when that is one place. */
  playlist_id: id.nullable(),
  video_id: z.string().nullable(),
  video_title: z.string().nullable(),
  timestamp: seconds.nullable(),
})
export type Notification = z.infer<typeof notification>

export const listNotifications = defineOperation({
  name: 'listNotifications',
  service,
  method: 'GET',
  path: '/notifications',
  who: 'signed-in',
  summary: 'The caller’s notifications, newest first, with how many are unread and how many wait for an answer.',
  query: page.extend({
    /** Only what waits for an answer. */
    waiting: z.literal('true').optional(),
  }),
  response: z.object({
    notifications: z.array(notification),
    unread_count: z.number().int(),
    pending_approvals: z.number().int(),
  }),
})

export const reviewNotification = defineOperation({
  name: 'reviewNotification',
  service,
  method: 'POST',
  path: '/notifications/{id}/approve',
  who: ['supervisor'],
  summary: 'Approves or rejects, once, with words for the person concerned.',
  params: byId,
  body: z.object({
    action: z.enum(['approve', 'reject']),
    supervisor_comment: text(limits.commentMaxLength).default(''),
  }),
  response: z.object({ success: z.literal(true), redirect_url: z.string() }),
  errors: ['forbidden', 'not_found', 'already_reviewed', 'invalid'],
})

export const readNotification = defineOperation({
  name: 'readNotification',
  service,
  method: 'POST',
  path: '/notifications/{id}/read',
  who: 'signed-in',
  summary: 'Marks a notification as read.',
  params: byId,
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['not_found'],
})

export const readAllNotifications = defineOperation({
  name: 'readAllNotifications',
  service,
  method: 'POST',
  path: '/notifications/read-all',
  who: 'signed-in',
  summary: 'Marks all of the caller’s notifications as read. What waits for an answer goes on waiting.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
})

/**
 * What the live stream says: never data, only what to ask for again. Every one may be missed; polling makes up for it.
 */
export const hint = z.discriminatedUnion('type', [
  /** First on every connection. `missed`: something may have been said since the client was last connected. */
  z.object({ type: z.literal('hello'), missed: z.boolean() }),
  z.object({ type: z.literal('notifications') }),
  /** Playlists, tasks or assignments of the person changed. */
  z.object({ type: z.literal('tasks') }),
  /** Who is online or monitoring, among those the person sees. */
  z.object({ type: z.literal('presence') }),
  /** The person’s own role, supervisor or manager changed. */
  z.object({ type: z.literal('profile') }),
  z.object({ type: z.literal('session'), what: z.enum(['taken_over', 'signed_out']) }),
  /** A room of the person has something new, or was read further. */
  z.object({ type: z.literal('chat'), room_id: id.optional() }),
  /** Somebody is writing to the person just now. */
  z.object({ type: z.literal('typing'), room_id: id, by: id }),
])
export type Hint = z.infer<typeof hint>

export const openStream = defineOperation({
  name: 'openStream',
  service,
  method: 'GET',
  path: '/stream',
  who: 'signed-in',
  summary: 'Server-sent events: small hints of what to fetch again.',
  response: z.null(),
})
