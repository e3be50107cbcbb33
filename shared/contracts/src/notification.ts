import { z } from 'zod'
import { id, idParams, page, seconds, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'notification'

/** The kind of activity; `notification_type` is its family in the product's terms. */
export const notificationKind = z.enum([
  'comment_to_approve',
  'video_completed',
  'playlist_completed',
  'integrity',
  'video_unavailable',
  'task_assigned',
  'task_recurred',
  'task_reminded',
  'due_date_changed',
  'terms_changed',
  'task_exempted',
  'task_marked_done',
  'override_taken_back',
  'task_reset',
  'task_due_soon',
  'task_in_grace',
  'task_overdue',
  'task_escalated',
  'task_uncompletable',
  'playlist_shared',
  'request_reviewed',
  'supervisor_requested',
  'manager_changed',
  'comment_reviewed',
  'comment_replied',
  'comments_moved',
  'token_reused',
  'administrators_changed',
])
export type NotificationKind = z.infer<typeof notificationKind>

const dateInMessage = z.object({ at: time, text: z.string() })

export const notification = z.object({
  id,
  title: z.string(),
  message: z.string(),
  /**
   * The due date that the message says, and its words there, so that a client can show it by the
   * clock of the device. Absent without a due date and in notifications of earlier versions.
   */
  due: dateInMessage.optional(),
  /** The same of the end of the grace period. Absent if the message does not say it. */
  grace_until: dateInMessage.optional(),
  // A page that was opened before an update still shows what it does not know by name.
  notification_type: z.enum(['comment', 'engagement', 'other']).catch('other'),
  kind: z.enum([...notificationKind.options, 'unknown']).catch('unknown'),
  is_read: z.boolean(),
  /** Only for notifications that need a review: null while pending, then true or false. */
  is_approved: z.boolean().nullable().optional(),
  /** The full text of a comment that needs a review or has one; `message` quotes its beginning. */
  comment: z.string().optional(),
  /** The revision of a comment that waits for a review. */
  comment_revision: z.number().int().min(1).optional(),
  /** The comment of the review. The reviewer and the reviewed person see it. */
  supervisor_comment: z.string().optional(),
  /**
   * The times of the first and the last activity; they differ in grouped notifications. For a
   * comment that waits: when it was written, and when this text of it came to its recipient.
   */
  created_at: time,
  updated_at: time,
  /** The number of grouped activities. */
  count: z.number().int().min(1),
  /** The person of the activities, when there is exactly one. */
  user_id: id.nullable(),
  user_name: z.string().nullable(),
  /** The target of the notification, when there is exactly one. */
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
  callers: 'signed-in',
  summary: 'The caller’s notifications, newest first, with the numbers of unread and pending ones.',
  query: page.extend({
    /** Only notifications with a pending review. */
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
  callers: ['supervisor'],
  summary: 'Approves or rejects a notification once, with a comment for the person.',
  params: idParams,
  body: z.object({
    action: z.enum(['approve', 'reject']),
    supervisor_comment: text(limits.commentMaxLength).default(''),
    /** The revision that the reviewer read. If the author changed it, the answer is 409. */
    comment_revision: z.number().int().min(1).optional(),
  }),
  response: z.object({ success: z.literal(true), redirect_url: z.string() }),
  errors: ['forbidden', 'not_found', 'already_reviewed', 'edited_elsewhere', 'invalid'],
})

export const countOwnNotifications = defineOperation({
  name: 'countOwnNotifications',
  service,
  method: 'GET',
  path: '/notifications/record',
  callers: 'signed-in',
  summary: 'The number of notifications that are stored for the caller.',
  response: z.object({ notifications: z.number().int() }),
})

export const readNotification = defineOperation({
  name: 'readNotification',
  service,
  method: 'POST',
  path: '/notifications/{id}/read',
  callers: 'signed-in',
  summary: 'Marks a notification as read.',
  params: idParams,
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
  callers: 'signed-in',
  summary: 'Marks all of the caller’s notifications as read. Pending reviews stay pending.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
})

/** Many pages get the hint: each waits for a random part of this time before it refreshes. */
const spreadMs = z.number().int().min(0).max(limits.hintSpreadMaxMs).optional()

/**
 * A message of the live stream. It names the data to fetch again and never contains them. A lost
 * hint is harmless, because clients also poll.
 */
export const hint = z.discriminatedUnion('type', [
  /**
   * The first message of every connection. `missed`: hints may have been lost since the last one.
   */
  z.object({ type: z.literal('hello'), missed: z.boolean() }),
  /** Regularly, so that the client can tell a quiet stream from a dead one. */
  z.object({ type: z.literal('heartbeat') }),
  z.object({ type: z.literal('notifications'), spread_ms: spreadMs }),
  /** The person's playlists, tasks or assignments changed. */
  z.object({ type: z.literal('tasks'), spread_ms: spreadMs }),
  /** The online people visible to the caller, or their status, changed. */
  z.object({ type: z.literal('presence') }),
  /** The person's own role, supervisor or manager changed. */
  z.object({ type: z.literal('profile') }),
  /** The person's login session lost the monitoring lock to another one, or ended. */
  z.object({ type: z.literal('session'), what: z.enum(['taken_over', 'signed_out']) }),
  /** A room of the person has new messages, or its messages were read. */
  z.object({ type: z.literal('chat'), room_id: id.optional() }),
  /** The person `by` is typing a message to the person. */
  z.object({ type: z.literal('typing'), room_id: id, by: id }),
])
export type Hint = z.infer<typeof hint>

export const openStream = defineOperation({
  name: 'openStream',
  service,
  method: 'GET',
  path: '/stream',
  callers: 'signed-in',
  summary: 'Server-sent events: hints to fetch data again.',
  response: z.null(),
  mediaType: 'text/event-stream',
})
