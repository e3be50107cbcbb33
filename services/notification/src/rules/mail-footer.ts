import type { MailKind } from '@watchline/contracts/mail'
import type { MailParagraph } from '@watchline/contracts/mail-settings'
import { composeParagraphs } from './mail-paragraphs.ts'
import type { Template } from './mail-template.ts'
import type { MailTexts } from './mail-values.ts'

/**
 * The end of a mail in an administrator's words, or in English: the reason of the mail, and how to
 * end this kind.
 */
export function composeFooter(
  kind: MailKind,
  words: Template | undefined,
  { unsubscribeUrl, texts }: { unsubscribeUrl: string | undefined; texts: MailTexts },
): MailParagraph[] {
  if (words) return composeParagraphs(words, { texts }, { placeholder: 'unsubscribe', url: unsubscribeUrl ?? '' })
  const reason = `You get this mail because ${reasons[kind]}.`
  const choices = unsubscribeUrl
    ? 'You choose your mails in your menu in Watchline.'
    : 'Reminders of due dates cannot be turned off.'
  const paragraphs: MailParagraph[] = [{ lines: [[{ text: reason }], [{ text: choices }]] }]
  if (unsubscribeUrl)
    paragraphs.push({
      lines: [[{ text: 'No more mails of this kind: ' }, { text: unsubscribeUrl, url: unsubscribeUrl }]],
    })
  return paragraphs
}

const aboutOwnTask = 'the task is assigned to you'
const aboutTeam = 'the person is in a team of yours'

const reasons: Record<MailKind, string> = {
  task_due_soon: aboutOwnTask,
  task_in_grace: aboutOwnTask,
  task_overdue: aboutOwnTask,
  task_assigned: aboutOwnTask,
  task_recurred: aboutOwnTask,
  task_reminded: aboutOwnTask,
  due_date_changed: aboutOwnTask,
  terms_changed: aboutOwnTask,
  task_exempted: aboutOwnTask,
  task_marked_done: aboutOwnTask,
  override_taken_back: aboutOwnTask,
  task_reset: aboutOwnTask,
  task_uncompletable: 'you are responsible for the task',
  video_completed: aboutTeam,
  playlist_completed: aboutTeam,
  integrity: aboutTeam,
  video_unavailable: 'you or your team use the playlist',
  comment_to_approve: 'you review the comments of this person',
  comments_moved: 'you reviewed the comments of this person',
  comment_reviewed: 'the comment is yours',
  comment_replied: 'the comment is yours',
  playlist_shared: 'the playlist was shared with you',
  request_reviewed: 'the request is yours',
  supervisor_requested: 'you are an administrator',
  manager_changed: 'it is about your manager',
  token_reused: 'it is about your sign-in',
  team_digest: 'you chose regular mails about your team',
  task_escalated: 'you are the manager of the supervisors',
  saved_report: 'you are a recipient of this report',
}
