import type { MailKind } from '@watchline/contracts/mail'
import type { Role } from '@watchline/contracts/people'

export const mailKindNames: Record<MailKind, string> = {
  task_due_soon: 'Tasks due soon',
  task_overdue: 'Overdue tasks',
  task_assigned: 'New tasks',
  task_recurred: 'Recurring tasks that are due again',
  task_reminded: 'Reminders by my superiors',
  due_date_changed: 'Changed due dates',
  comment_reviewed: 'Answers to my comments',
  comment_replied: 'Replies to my comments',
  playlist_shared: 'Playlists shared with me',
  request_reviewed: 'Answers to my requests',
  supervisor_requested: 'Requests of managers',
  team_digest: 'Regular overview of overdue tasks and tasks due within a week',
  task_escalated: 'Overdue tasks in the teams of my supervisors, at most once a day',
  saved_report: 'Saved reports that are sent to me',
}

const kindsByRole: Record<Role, readonly MailKind[]> = {
  user: [
    'task_due_soon',
    'task_overdue',
    'task_assigned',
    'task_recurred',
    'task_reminded',
    'due_date_changed',
    'comment_reviewed',
    'comment_replied',
  ],
  supervisor: ['team_digest', 'saved_report', 'playlist_shared', 'comment_replied'],
  manager: ['task_escalated', 'saved_report', 'request_reviewed', 'comment_replied'],
  director: ['saved_report', 'comment_replied'],
  admin: ['supervisor_requested', 'saved_report'],
}

/** The kinds that a person with this role may get. */
export function mailKindsOf(role: Role): readonly MailKind[] {
  return kindsByRole[role]
}

/** Whether mails of this kind come at times of the day, on the clocks of the person. */
export function isTimed(kind: MailKind): boolean {
  return timedKinds.includes(kind)
}

const timedKinds: readonly MailKind[] = ['task_due_soon', 'task_overdue', 'team_digest', 'task_escalated']
