import { z } from 'zod'
import { id, page, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { emailVerified, role, staff } from './people.ts'

const service = 'playback-session'

/** `monitoring`: in a monitored session. `active`: online without one. */
export const onlineStatus = z.enum(['monitoring', 'active'])
export type OnlineStatus = z.infer<typeof onlineStatus>

export const onlineUser = z.object({
  /** Names the session and opens nothing. */
  session_id: z.string(),
  user_id: id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  role,
  user_role: role,
  supervisor_id: id.nullable(),
  status: onlineStatus,
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

export const listOnline = defineOperation({
  name: 'listOnline',
  service,
  method: 'GET',
  path: '/users/online',
  callers: staff,
  summary:
    'The online people in the caller’s scope, latest activity first, with their monitored playlist. A role, a team, a status and a search as for people narrow `users` and X-Total-Count; the figures stay those of the whole scope.',
  query: page.extend({
    role: role.optional(),
    /** Only this supervisor's team. */
    supervisor_id: id.optional(),
    status: onlineStatus.optional(),
    search: text(limits.nameMaxLength).optional(),
  }),
  response: onlineSummary,
  errors: ['forbidden'],
})
