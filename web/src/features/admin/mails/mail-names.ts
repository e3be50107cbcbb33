import type { MailKind } from '@watchline/contracts/mail'
import type { MailPlaceholder } from '@watchline/contracts/mail-settings'

/** The kinds of mails as administrators see them. */
export const mailNames: Record<MailKind, string> = {
  task_due_soon: 'Task due soon',
  task_overdue: 'Task overdue',
  task_assigned: 'New task',
  task_recurred: 'Recurring task open again',
  task_reminded: 'Reminder by a superior',
  due_date_changed: 'Due date changed',
  comment_reviewed: 'Comment approved or rejected',
  comment_replied: 'Reply to a comment',
  playlist_shared: 'Playlist shared',
  request_reviewed: 'Request approved or rejected',
  supervisor_requested: 'New request of a manager',
  team_digest: 'Digest for supervisors',
  task_escalated: 'Overdue tasks, to the manager',
  saved_report: 'Saved report',
}

export const placeholderMeanings: Record<MailPlaceholder, string> = {
  name: 'the name of the person who gets the mail',
  title: 'the title of the notification, for instance “New task”',
  message: 'the sentence of the notification, or the counts of the listed tasks or of the report',
  task: 'the title of the playlist',
  video: 'the title of the video',
  due_date: 'the due date with its time zone',
  sender: 'the name of the person who caused the mail',
  report: 'the name of the saved report',
  period: 'the period of the report',
  tasks: 'the list of people, tasks and due dates',
  link: 'the link to what the mail is about; alone in a paragraph it is a button',
}
