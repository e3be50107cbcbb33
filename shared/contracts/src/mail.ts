import { z } from 'zod'
import { id, invitationToken, success, time, timeZone } from './fields.ts'
import { limits } from './limits.ts'
import { languageTag } from './mail-languages.ts'
import { type NotificationKind, notificationKind } from './notification.ts'
import { defineOperation } from './operation.ts'

const service = 'notification'

/**
 * The notifications that may also go by mail: all but `task_escalated`, whose mail is no
 * notification, and `administrators_changed`. Each is one mail, but `task_uncompletable` has one a
 * day for each task and cause.
 */
const notificationMailKind = notificationKind.exclude(['task_escalated', 'administrators_changed'])

/**
 * `team_digest`: a supervisor's regular mail about open tasks of the team; it is no notification.
 * `task_escalated`: a manager's mail, at most once a day, about all tasks that were escalated
 * since. `saved_report`: a report that its owner sends to the person by a schedule.
 */
export const mailKind = z.enum([...notificationMailKind.options, 'team_digest', 'task_escalated', 'saved_report'])
/**
 * The kinds that list tasks of several people, and whose facts are asked for when they are sent.
 */
export type TaskListMailKind = 'team_digest' | 'task_escalated'
export type NotificationMailKind = z.infer<typeof notificationMailKind>
export type MailKind = z.infer<typeof mailKind>

/** Reminders of dates that the organisation has set. Nobody can end them. */
export const requiredMailKinds: readonly MailKind[] = ['task_due_soon', 'task_in_grace', 'task_overdue']

/** The kinds that go by mail until the person chooses otherwise. */
export const defaultMailKinds: readonly MailKind[] = [
  ...requiredMailKinds,
  'task_reminded',
  'task_escalated',
  'saved_report',
]

export type MailSubject = 'tasks' | 'overviews' | 'team' | 'comments' | 'playlists' | 'account'

/** The subjects by which screens group the kinds. `tasks`: about one task of the recipient. */
export const mailSubjects: Record<MailSubject, readonly MailKind[]> = {
  tasks: [
    'task_due_soon',
    'task_in_grace',
    'task_overdue',
    'task_assigned',
    'task_recurred',
    'task_reminded',
    'due_date_changed',
    'terms_changed',
    'task_exempted',
    'task_marked_done',
    'override_taken_back',
    'task_reset',
  ],
  overviews: ['team_digest', 'task_escalated', 'saved_report'],
  team: ['video_completed', 'playlist_completed', 'integrity', 'task_uncompletable'],
  comments: ['comment_to_approve', 'comments_moved', 'comment_reviewed', 'comment_replied'],
  playlists: ['playlist_shared', 'video_unavailable'],
  account: ['supervisor_requested', 'request_reviewed', 'manager_changed', 'token_reused'],
}

export function isRequiredMailKind(kind: MailKind): boolean {
  return requiredMailKinds.includes(kind)
}

/** Whether each notification of this kind may go by mail. */
export function isMailKind(kind: NotificationKind): kind is NotificationMailKind {
  return (notificationMailKind.options as readonly string[]).includes(kind)
}

/**
 * waiting: for its next attempt. sending: a process is at work. unknown: the server had the mail,
 * but its answer was lost. cancelled: the reason was gone before the mail was sent.
 */
export const mailState = z.enum(['waiting', 'sending', 'sent', 'failed', 'unknown', 'cancelled'])
export type MailState = z.infer<typeof mailState>

/** The reason why the person gets no mails, whatever they choose. */
export const addressProblem = z.enum(['unverified', 'bouncing'])
export type AddressProblem = z.infer<typeof addressProblem>

const chosenKinds = z.array(mailKind).max(mailKind.options.length)

export const getMailChoices = defineOperation({
  name: 'getMailChoices',
  service,
  method: 'GET',
  path: '/notifications/mail/choices',
  callers: 'signed-in',
  summary: 'Which notifications the caller gets by mail. `is_available` is false while no mail server is configured.',
  response: z.object({
    is_available: z.boolean(),
    address: z.string(),
    /** Absent while mails to the address are possible. */
    address_problem: addressProblem.optional(),
    /** The optional kinds that the person gets. Earlier versions also list the required ones. */
    kinds: z.array(mailKind),
    /** The person's choice; null for the default language. Absent in earlier versions. */
    language: z.string().nullable().optional(),
    /** The languages to choose from. Absent in earlier versions. */
    default_language: z.string().optional(),
    languages: z.array(z.string()).optional(),
    /** The person's choice; null for the organisation's. Absent in earlier versions. */
    time_zone: z.string().nullable().optional(),
    organisation_time_zone: z.string().optional(),
  }),
})

export const saveMailChoices = defineOperation({
  name: 'saveMailChoices',
  service,
  method: 'PUT',
  path: '/notifications/mail/choices',
  callers: 'signed-in',
  summary:
    'Replaces the caller’s choice of optional mails, of their language and of the time zone of reminders, digests and due dates; absent fields stay. Reminders of due dates are always sent. A language that mails do not have is `invalid`.',
  body: z.object({
    kinds: chosenKinds.optional(),
    /** null: the default language. */
    language: languageTag.nullable().optional(),
    /** null: the organisation's. */
    time_zone: timeZone.nullable().optional(),
  }),
  response: success,
  errors: ['invalid'],
})

const unsubscribeToken = z.string().min(1).max(limits.unsubscribeTokenMaxLength)

/** The address in the header List-Unsubscribe. A mail program that opens it gets the page. */
export const openUnsubscribe = defineOperation({
  name: 'openUnsubscribe',
  service,
  method: 'GET',
  path: '/notifications/unsubscribe',
  callers: 'anyone',
  summary: 'Leads to the page that unsubscribes from one kind of mail. Changes nothing.',
  query: z.object({ token: unsubscribeToken }),
  response: z.null(),
  status: 302,
  errors: ['invalid'],
})

/**
 * RFC 8058: the mail program posts the form `List-Unsubscribe=One-Click`, as one of two media types
 * of forms. The token alone decides, so the route reads nothing of the form.
 */
export const unsubscribe = defineOperation({
  name: 'unsubscribe',
  service,
  method: 'POST',
  path: '/notifications/unsubscribe',
  callers: 'anyone',
  serverCall: true,
  summary:
    'Ends one kind of mail for the person to whom the token was sent. The token proves the caller; a repeated call is harmless.',
  query: z.object({ token: unsubscribeToken }),
  body: z.object({}),
  bodyOptional: true,
  response: z.object({ success: z.literal(true), kind: mailKind }),
  errors: ['invalid_unsubscribe_token', 'invalid'],
})

/** A mail that needs the administrator. It names its recipient by id only. */
const troubledMail = z.object({
  id,
  person_id: id,
  kind: mailKind,
  state: mailState,
  attempts: z.number().int(),
  created_at: time,
  /** The answer of the mail server, or the problem. */
  explanation: z.string().optional(),
})

export const getMailStatus = defineOperation({
  name: 'getMailStatus',
  service,
  method: 'GET',
  path: '/notifications/mail/status',
  callers: ['admin'],
  summary:
    'Whether mails can be sent, how many are in each state (counted up to 10,000), the latest that failed, and the addresses that bounce.',
  response: z.object({
    is_available: z.boolean(),
    /** The sender; absent without a mail server. */
    from: z.string().optional(),
    /** Whether Watchline reads the mailbox of delivery reports. */
    reads_reports: z.boolean(),
    counts: z.object({
      waiting: z.number().int(),
      unknown: z.number().int(),
      failed: z.number().int(),
      /**
       * Not sent because the sign-in provider has not confirmed the address. Absent in earlier
       * versions.
       */
      unverified: z.number().int().optional(),
    }),
    latest_failures: z.array(troubledMail),
    bounces: z.array(
      z.object({ person_id: id, person_name: z.string(), address: z.string(), at: time, server_reply: z.string() }),
    ),
  }),
  errors: ['forbidden'],
})

/** The answer to the caller who waits for a mail. */
const sentMail = z.object({ success: z.literal(true), address: z.string(), server_reply: z.string() })

export const sendTestMail = defineOperation({
  name: 'sendTestMail',
  service,
  method: 'POST',
  path: '/notifications/mail/test',
  callers: ['admin'],
  summary: 'Sends a mail to the caller’s own address at once, and answers what the mail server said.',
  body: z.object({}),
  bodyOptional: true,
  response: sentMail,
  errors: ['forbidden', 'mail_not_configured', 'mail_refused', 'too_many'],
})

export const mailAdminInvitation = defineOperation({
  name: 'mailAdminInvitation',
  service,
  method: 'POST',
  path: '/notifications/mail/admin-invitation',
  callers: ['admin'],
  summary:
    'Sends the link of an invitation of an administrator to the invited address at once, and answers what the mail server said. The token of the link is neither stored nor logged.',
  body: z.object({ token: invitationToken }),
  response: sentMail,
  errors: [
    'forbidden',
    'invalid_invitation',
    'mail_not_configured',
    'mail_refused',
    'too_many',
    'unavailable',
    'invalid',
  ],
})

export const clearBounce = defineOperation({
  name: 'clearBounce',
  service,
  method: 'DELETE',
  path: '/notifications/mail/bounces/{id}',
  callers: ['admin'],
  summary: 'Mails to the person’s address are tried again. `id` is the person.',
  params: z.object({ id }),
  response: success,
  errors: ['forbidden', 'not_found'],
})
