import { z } from 'zod'
import { id, idParams, page, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation, type ServiceName, serviceNames } from './operation.ts'
import { ownPassword, role } from './people.ts'

const service = 'auth'

/** The receipt of an erasure. It names nobody: `person_id` is all that is left of the person. */
export const erasure = z.object({
  id,
  person_id: id,
  erased_at: time,
  /** The administrator who did it. */
  by: z.object({ id, name: z.string() }),
  /** The time at which each service had erased what it held; null while it is at work. */
  services: z.record(z.enum(serviceNames), time.nullable()),
  /** The time at which all of them had; null before. */
  completed_at: time.nullable(),
})
export type Erasure = z.infer<typeof erasure>

export const eraseUser = defineOperation({
  name: 'eraseUser',
  service,
  method: 'POST',
  path: '/admin/users/{id}/erase',
  callers: ['admin'],
  summary:
    'Erases a person for good: name, addresses and texts go from all services, and the person is signed out at once, after the caller’s password as in inviteAdministrator. What they watched stays without a name. A repeated call answers the same receipt. It also erases people who were deleted or only invited, whom only the audit log names. Administrators cannot be erased.',
  params: idParams,
  body: z.object({
    /** The person’s email address, so that nobody erases the wrong person by mistake. */
    confirm_email: z.string().min(1).max(limits.emailMaxLength),
    password: ownPassword,
  }),
  response: z.object({ success: z.literal(true), erasure }),
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'not_found', 'conflict', 'too_many', 'invalid'],
})

export const listErasures = defineOperation({
  name: 'listErasures',
  service,
  method: 'GET',
  path: '/admin/erasures',
  callers: ['admin'],
  summary: 'The receipts of erasures with their progress, the latest first.',
  query: page,
  response: z.array(erasure),
  errors: ['forbidden', 'invalid'],
})

/** The kinds of data that the services export. The page for reading has a heading for each. */
export const personalDataKinds = [
  ...['account', 'sign_in_claims', 'sign_ins', 'second_factors', 'supervisor_requests', 'failed_sign_ins'],
  ...['group_memberships', 'assignable_groups', 'audit_entries', 'own_acts'],
  ...['tasks', 'changes_of_due_dates', 'positions', 'monitored_sessions', 'notice_answers', 'uncompletable_tasks'],
  ...['time_zones', 'former_leaders', 'task_groups', 'reminders', 'videos_reported'],
  ...['own_playlists', 'own_deleted_playlists', 'own_assignments', 'own_group_assignments', 'own_task_changes'],
  ...['watch_record', 'comments', 'task_history', 'recorded_sessions', 'issued_records', 'named_in_records'],
  ...['attention_checks', 'saved_reports', 'received_reports', 'detail_views', 'player_reports'],
  ...['own_reviews', 'own_hidden_comments', 'own_detail_views'],
  ...['notifications', 'mails', 'mail_choices', 'bounces'],
  ...['conversations', 'messages'],
] as const
export type PersonalDataKind = (typeof personalDataKinds)[number]

/** One line of an export: a kind of data, and one item of it. */
export const personalDataLine = z.object({ kind: z.string(), data: z.unknown() })
export type PersonalDataLine = z.infer<typeof personalDataLine>

/** The last line. Without it the export is incomplete. */
export const endOfPersonalData: PersonalDataLine = { kind: 'end', data: null }

/** An operation that streams what one service holds of a person. */
function defineExport<Name extends string>(name: Name, service: ServiceName, path: `/${string}`, content: string) {
  return defineOperation({
    name,
    service,
    method: 'GET',
    path,
    callers: 'signed-in',
    summary: `Streams what the service holds of a person as lines of JSON: ${content}. Without user_id: the caller’s own data. With user_id, for administrators: that person’s data; the audit log records it.`,
    query: z.object({ user_id: id.optional() }),
    response: z.null(),
    mediaType: 'application/x-ndjson',
    errors: ['forbidden', 'not_found', 'invalid', 'too_many'],
  })
}

export const exportAccountData = defineExport(
  'exportAccountData',
  'auth',
  '/auth/record/data',
  'account, sign-ins and their claims, second factors, groups, requests, audit entries and own acts',
)
export const exportWatchingData = defineExport(
  'exportWatchingData',
  'playback-session',
  '/session/record/data',
  'tasks, positions, monitored sessions, and own acts about playlists and tasks of others',
)
export const exportEngagementData = defineExport(
  'exportEngagementData',
  'engagement',
  '/engagement/record/data',
  'watch record, attention checks, issued records, comments, reports of the player, own reviews, and whose details the person looked at',
)
export const exportNotificationData = defineExport(
  'exportNotificationData',
  'notification',
  '/notifications/record/data',
  'notifications, mails, choice of mails, and bounces',
)
export const exportChatData = defineExport(
  'exportChatData',
  'chat',
  '/chat/record/data',
  'conversations and own messages',
)

/** All of them: together, what Watchline holds of a person. */
export const personalDataExports = [
  exportAccountData,
  exportWatchingData,
  exportEngagementData,
  exportNotificationData,
  exportChatData,
] as const

/**
 * A look at somebody’s details. `record`: their watch record, or their figures in a
 * report or in the tasks at risk; `team_export`: the same in a file or mail about a team;
 * `all_data`: all that is recorded of them.
 */
export const detailView = z.object({
  viewer_id: id,
  viewer_name: z.string(),
  /** Null if the viewer is unknown by now. */
  viewer_role: role.nullable(),
  what: z.enum(['record', 'team_export', 'all_data']),
  /** The first time on that day. */
  at: time,
})
export type DetailView = z.infer<typeof detailView>

export const listDetailViews = defineOperation({
  name: 'listDetailViews',
  service: 'engagement',
  method: 'GET',
  path: '/engagement/record/views',
  callers: 'signed-in',
  summary:
    'Lists who looked at a person’s details, the latest first: one entry for each viewer, day and kind. Without user_id: the caller’s details. With user_id, for administrators: that person’s details.',
  query: page.extend({ user_id: id.optional() }),
  response: z.array(detailView),
  errors: ['forbidden', 'invalid'],
})

/** Days for which data are kept; null means for ever. */
export const retention = z.object({
  messages: z.number().nullable(),
  comments: z.number().nullable(),
  notifications: z.number().nullable(),
  player_reports: z.number().nullable(),
  monitored_sessions: z.number().nullable(),
  sign_ins: z.number().nullable(),
  detail_views: z.number().nullable(),
  audit_entries: z.number().nullable(),
})
export type Retention = z.infer<typeof retention>

export const getPrivacyNotice = defineOperation({
  name: 'getPrivacyNotice',
  service,
  method: 'GET',
  path: '/auth/privacy',
  callers: 'anyone',
  summary: 'What the privacy page needs: how long data are kept, and the organisation’s contact and own page.',
  response: z.object({ contact: z.string().nullable(), url: z.url().nullable(), retention }),
})
