import { z } from 'zod'
import { id, page, seconds, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'

const service = 'notification'
const byId = z.object({ id })

export const notification = z.object({
  id,
  title: z.string(),
  message: z.string(),
  notification_type: z.string(),
  is_read: z.boolean(),
  /** Only there when an answer is asked for: null pending, then true or false. */
  is_approved: z.boolean().nullable().optional(),
  created_at: time,
  playlist_id: id.nullable(),
  video_id: z.string().nullable(),
  timestamp: seconds.nullable(),
})
export type Notification = z.infer<typeof notification>

export const listNotifications = operation({
  name: 'listNotifications',
  service,
  method: 'GET',
  path: '/notifications',
  who: 'signed-in',
  summary: 'The caller’s notifications, newest first.',
  query: page,
  response: z.object({
    notifications: z.array(notification),
    unread_count: z.number().int(),
    pending_approvals: z.number().int(),
  }),
})

export const reviewNotification = operation({
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

export const readNotification = operation({
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

export const openStream = operation({
  name: 'openStream',
  service,
  method: 'GET',
  path: '/stream',
  who: 'signed-in',
  summary: 'Server-sent events: small hints of what to fetch again.',
  response: z.null(),
})
