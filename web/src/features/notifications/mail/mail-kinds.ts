import { isRequiredMailKind, type MailKind, type MailSubject, mailSubjects } from '@watchline/contracts/mail'
import type { Role } from '@watchline/contracts/people'

export const mailKindNames: Record<MailKind, string> = {
  task_due_soon: 'Tasks due soon',
  task_in_grace: 'Tasks in their grace period',
  task_overdue: 'Overdue tasks',
  task_assigned: 'New tasks',
  task_recurred: 'Recurring tasks that are due again',
  task_reminded: 'Reminders by my superiors',
  due_date_changed: 'Changed due dates',
  terms_changed: 'Changed terms of my tasks',
  task_exempted: 'Tasks that are not required any more',
  task_marked_done: 'Tasks marked as done by hand',
  override_taken_back: 'Tasks that are required again',
  task_reset: 'Tasks to start again',
  task_uncompletable: 'Tasks that cannot be completed, at most once a day for each playlist',
  video_completed: 'Completed videos, one mail for each',
  playlist_completed: 'Completed playlists, one mail for each',
  integrity: 'Watch time that was not credited, one mail for each case',
  video_unavailable: 'Videos that cannot be played',
  comment_to_approve: 'Comments that wait for my approval, one mail for each',
  comments_moved: 'Comments that another supervisor reviews now',
  comment_reviewed: 'Answers to my comments',
  comment_replied: 'Replies to my comments',
  playlist_shared: 'Playlists shared with me',
  request_reviewed: 'Answers to my requests',
  supervisor_requested: 'Requests of managers',
  manager_changed: 'A new manager, or none',
  token_reused: 'A copied sign-in of mine that was ended',
  team_digest: 'Regular overview of overdue tasks and tasks due within a week',
  task_escalated: 'Overdue tasks in the teams of my supervisors, at most once a day',
  saved_report: 'Saved reports that are sent to me',
}

export const mailSubjectNames: Record<MailSubject, string> = {
  tasks: 'My tasks',
  overviews: 'Overviews and reports',
  team: 'My people',
  comments: 'Comments',
  playlists: 'Playlists',
  account: 'My account',
}

const ofStaff: readonly MailKind[] = ['task_uncompletable', 'video_unavailable', 'comment_replied', 'token_reused']

const kindsByRole: Record<Role, readonly MailKind[]> = {
  user: [...mailSubjects.tasks, 'comment_reviewed', 'comment_replied', 'token_reused'],
  supervisor: [
    ...ofStaff,
    'team_digest',
    'saved_report',
    'video_completed',
    'playlist_completed',
    'integrity',
    'comment_to_approve',
    'comments_moved',
    'playlist_shared',
    'manager_changed',
  ],
  manager: [...ofStaff, 'task_escalated', 'saved_report', 'playlist_completed', 'request_reviewed'],
  director: [...ofStaff, 'saved_report'],
  admin: ['task_uncompletable', 'video_unavailable', 'supervisor_requested', 'saved_report', 'token_reused'],
}

/** The kinds that a person with this role may get. */
export function mailKindsOf(role: Role): readonly MailKind[] {
  return kindsByRole[role]
}

export interface MailKindGroup {
  name: string
  kinds: MailKind[]
}

/** The kinds that the person may choose, by subject. */
export function groupChoices(kinds: readonly MailKind[]): MailKindGroup[] {
  const groups = Object.entries(mailSubjects).map(([subject, kindsOfSubject]) => ({
    name: mailSubjectNames[subject as MailSubject],
    kinds: kindsOfSubject.filter(kind => kinds.includes(kind) && !isRequiredMailKind(kind)),
  }))
  return groups.filter(group => group.kinds.length > 0)
}

/** Whether mails of this kind come at times of the day, on the clocks of the person. */
export function isTimed(kind: MailKind): boolean {
  return timedKinds.includes(kind)
}

const timedKinds: readonly MailKind[] = [
  'task_due_soon',
  'task_in_grace',
  'task_overdue',
  'team_digest',
  'task_escalated',
]
