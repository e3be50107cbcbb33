import { isRequiredMailKind, type MailKind } from '@watchline/contracts/mail'
import { builtInLanguage } from '@watchline/contracts/mail-languages'
import {
  footerPlaceholdersOf,
  formerMailPlaceholders,
  type MailPlaceholder,
  type MailWording,
  mailPlaceholders,
  requiredMailPlaceholder,
} from '@watchline/contracts/mail-settings'
import { hasPlaceholder, isTemplateProblem, parseTemplate, type Template } from './mail-template.ts'

/** The words of a kind of mail, read and checked. */
export interface ParsedWording {
  subject: Template
  text: Template
  linkLabel: string
  /** The end of the mail; undefined for the English one. */
  footer?: Template | undefined
  /** Unknown of words that an administrator wrote before naming their language. */
  language: string | undefined
}

export interface WordingProblem {
  field: 'subject' | 'text' | 'footer'
  problem: string
}

/** Reads the words, or names the first problem with its field and position. */
export function parseWording(
  kind: MailKind,
  { subject, text, link_label, footer }: MailWording,
  language?: string,
): ParsedWording | WordingProblem {
  const parsedSubject = parseTemplate(subject, subjectPlaceholders(kind))
  if (isTemplateProblem(parsedSubject)) return { field: 'subject', ...parsedSubject }
  const parsedText = parseTemplate(text, textPlaceholders(kind))
  if (isTemplateProblem(parsedText)) return { field: 'text', ...parsedText }
  if (!hasPlaceholder(parsedText, requiredMailPlaceholder))
    return {
      field: 'text',
      problem: `must contain {${requiredMailPlaceholder}}, which leads to what the mail is about`,
    }
  const words = { subject: parsedSubject, text: parsedText, linkLabel: link_label, language }
  if (footer === undefined) return words
  const parsedFooter = parseTemplate(footer, footerPlaceholdersOf(kind))
  if (isTemplateProblem(parsedFooter)) return { field: 'footer', ...parsedFooter }
  if (!isRequiredMailKind(kind) && !hasPlaceholder(parsedFooter, 'unsubscribe'))
    return { field: 'footer', problem: 'must contain {unsubscribe}, the link that ends mails of this kind' }
  return { ...words, footer: parsedFooter }
}

function textPlaceholders(kind: MailKind): MailPlaceholder[] {
  return [...mailPlaceholders[kind], ...(formerMailPlaceholders[kind] ?? [])]
}

/** A subject is too short for a link or a list. */
function subjectPlaceholders(kind: MailKind): MailPlaceholder[] {
  return textPlaceholders(kind).filter(name => name !== 'link' && name !== 'tasks')
}

const sentence = 'Hello {name},\n\n{message}\n\n{link}'
/** For kinds whose notification says all. */
const general = { subject: '{title}', text: sentence, link_label: 'Open Watchline' }
const withTask = { subject: '{title}: {task}', text: sentence, link_label: 'Open the task' }
const withTaskList = { ...withTask, link_label: 'Open your tasks' }

/** The words that come with Watchline. `{title}` and `{message}` are those of the notification. */
export const defaultWordings: Readonly<Record<MailKind, MailWording>> = {
  task_due_soon: {
    ...withTask,
    subject: 'Task due soon: {task}',
    text: 'Hello {name},\n\n“{task}” is due on {due_date}.\n\n{link}',
  },
  task_in_grace: {
    ...withTask,
    subject: 'Task in its grace period: {task}',
    text: 'Hello {name},\n\n“{task}” was due on {due_date}. You can still complete it in time until {grace_until}.\n\n{link}',
  },
  task_overdue: {
    ...withTask,
    subject: 'Task overdue: {task}',
    text: 'Hello {name},\n\n“{task}” was due on {due_date}.\n\n{link}',
  },
  task_assigned: withTask,
  task_recurred: withTask,
  task_reminded: {
    ...withTask,
    subject: 'Reminder: {task}',
    text: 'Hello {name},\n\n{sender} reminded you of “{task}”.\n\n{link}',
  },
  due_date_changed: withTask,
  terms_changed: withTaskList,
  task_exempted: withTaskList,
  task_marked_done: withTaskList,
  override_taken_back: withTaskList,
  task_reset: withTaskList,
  task_uncompletable: general,
  video_completed: general,
  playlist_completed: general,
  integrity: general,
  video_unavailable: general,
  comment_to_approve: general,
  comments_moved: general,
  manager_changed: general,
  token_reused: general,
  comment_reviewed: { ...withTask, link_label: 'Open the video' },
  comment_replied: { ...withTask, link_label: 'Open the video' },
  playlist_shared: { ...withTask, link_label: 'Open your playlists' },
  request_reviewed: general,
  supervisor_requested: { ...general, link_label: 'Review the request' },
  team_digest: {
    subject: 'Tasks of your team: {message}',
    text: 'Hello {name},\n\n{message}\n\n{tasks}\n\n{link}',
    link_label: 'Open the tasks at risk',
  },
  task_escalated: {
    subject: 'In your teams: {message}',
    text: 'Hello {name},\n\nthese tasks in the teams of your supervisors are overdue:\n\n{tasks}\n\n{link}',
    link_label: 'Open the tasks at risk',
  },
  saved_report: {
    subject: 'Report: {report}',
    text: 'Hello {name},\n\nthis is the report “{report}” by {sender} ({period}).\n\n{message}\n\n{link}',
    link_label: 'Open the report',
  },
}

export function parseDefaultWording(kind: MailKind): ParsedWording {
  const parsed = parseWording(kind, defaultWordings[kind], builtInLanguage)
  if ('problem' in parsed) throw new Error(`default words of ${kind}: ${parsed.field} ${parsed.problem}`)
  return parsed
}

export function isDefaultWording(kind: MailKind, words: MailWording): boolean {
  const { subject, text, link_label } = defaultWordings[kind]
  const { footer } = words
  return words.subject === subject && words.text === text && words.link_label === link_label && footer === undefined
}
