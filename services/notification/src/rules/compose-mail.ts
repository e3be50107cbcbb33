import type { TeamDigest } from '@watchline/contracts/internal-operations'
import type { MailKind, NotificationMailKind, TaskListMailKind } from '@watchline/contracts/mail'
import type { MailParagraph, MailPlaceholder, MailTextRun } from '@watchline/contracts/mail-settings'
import type { ActivityGroup } from './activity.ts'
import { formatDueDate, formatMoment, isEnglish, type LocalDueDate } from './due-date.ts'
import type { Template } from './mail-template.ts'
import type { ParsedWording } from './mail-wording.ts'
import { composeNotificationText } from './notification-text.ts'

/** The words of a mail. */
export interface MailText {
  subject: string
  text: string
  html: string
}

/** A mail with the paragraphs that its parts show. */
export interface ComposedMail extends MailText {
  paragraphs: MailParagraph[]
  footer: MailParagraph[]
}

export interface MailFrame {
  recipientName: string
  /** The origin people use in their browsers. */
  publicUrl: string
  /** The page that ends this kind of mail for the person; undefined for required ones. */
  unsubscribeUrl: string | undefined
}

export interface ActivityFrame extends MailFrame {
  /** Of the task. Without it, the due date is written as in the notification. */
  due?: LocalDueDate | undefined
}

type TextValues = Record<Exclude<MailPlaceholder, 'tasks'>, string>
/** The values of the placeholders that the words of the kind may use; each has one line. */
type PlaceholderValues = Partial<TextValues> &
  Pick<TextValues, 'name' | 'title' | 'message' | 'link'> & { tasks?: readonly string[] }

/**
 * The words of a mail about one activity, with dates in their language. Title and message are those
 * of the notification, in English.
 */
export function composeMail(
  group: ActivityGroup & { kind: NotificationMailKind },
  wording: ParsedWording,
  { due, ...frame }: ActivityFrame,
): ComposedMail {
  const { title, message } = composeNotificationText(group)
  const { language } = wording
  const dueDate = due ? formatDueDate(due, language) : group.text
  return composeWith(group.kind, wording, frame, {
    name: toLine(frame.recipientName),
    title,
    message: toLine(message),
    task: toLine(group.playlist?.title ?? ''),
    video: toLine(group.video?.title ?? ''),
    due_date: toLine(dueDate ?? (isEnglish(language) ? 'no due date' : '–')),
    sender: toLine(group.people[0]?.name ?? 'Watchline'),
    link: `${frame.publicUrl}${pathOf(group)}`,
  })
}

/**
 * The words of a supervisor's digest, or of a manager's mail about escalated tasks. Due dates are
 * in the recipient's time zone. The list has words in English mails only.
 */
export function composeDigest(
  kind: TaskListMailKind,
  { overdue, in_grace = 0, due_soon, tasks }: TeamDigest,
  wording: ParsedWording,
  { timeZone, now, ...frame }: MailFrame & { timeZone: string; now: number },
): ComposedMail {
  const { language } = wording
  const isInEnglish = isEnglish(language)
  const counts = [
    ...(overdue > 0 ? [`${overdue} overdue`] : []),
    ...(in_grace > 0 ? [`${in_grace} in the grace period`] : []),
    ...(due_soon > 0 ? [`${due_soon} due within a week`] : []),
  ]
  const lines = tasks.map(({ person_name, playlist_title, due }) => {
    const verb = Date.parse(due) <= now ? ' was due on' : ' is due on'
    return toLine(
      `${person_name}: “${playlist_title}”${isInEnglish ? verb : ','} ${formatMoment(due, timeZone, language)}`,
    )
  })
  const missing = overdue + in_grace + due_soon - tasks.length
  const isEscalation = kind === 'task_escalated'
  return composeWith(kind, wording, frame, {
    name: toLine(frame.recipientName),
    title: isEscalation ? 'Overdue tasks in your teams' : 'Tasks of your team',
    message: isEscalation ? `${overdue} overdue ${overdue === 1 ? 'task' : 'tasks'}` : counts.join(', '),
    tasks: missing > 0 ? [...lines, isInEnglish ? `and ${missing} more` : `+ ${missing}`] : lines,
    link: `${frame.publicUrl}/dashboard?tab=${isEscalation ? 'analytics' : 'engagement'}&view=at-risk`,
  })
}

/** A mail with these words and values, and the end that every mail has. */
export function composeWith(
  kind: MailKind,
  wording: ParsedWording,
  frame: MailFrame,
  values: PlaceholderValues,
): ComposedMail {
  const subject = toLine(fillTemplate(wording.subject, { ...values, tasks: '' }))
  const paragraphs = composeParagraphs(wording, values)
  const footer = composeFooter(kind, frame)
  return {
    subject,
    text: `${[...paragraphs.map(toPlainText), '--', ...footer.map(toPlainText)].join('\n\n')}\n`,
    html: page(
      subject,
      [
        ...paragraphs.map(toHtml),
        '<hr style="border:0;border-top:1px solid #cbd5e1;margin:24px 0">',
        `<div lang="en"${isRightToLeft(wording.language) ? ' dir="ltr"' : ''} style="font-size:14px">\n${footer.map(toHtml).join('\n')}\n</div>`,
      ],
      wording.language,
    ),
    paragraphs,
    footer,
  }
}

function fillTemplate(template: Template, values: Partial<Record<MailPlaceholder, string>>): string {
  return template.map(part => (typeof part === 'string' ? part : (values[part.placeholder] ?? ''))).join('')
}

/** Mark the link and the list within text. No value and no words can hold them. */
const linkMark = '\u0000'
const tasksMark = '\u0001'

/** A blank line begins a paragraph. Values have one line, so that they begin none. */
function composeParagraphs(
  { text, linkLabel }: ParsedWording,
  { tasks = [], ...values }: PlaceholderValues,
): MailParagraph[] {
  const url = values.link
  const toRuns = (line: string): MailTextRun[] =>
    line
      .split(linkMark)
      .flatMap((text, index): MailTextRun[] => [...(index > 0 ? [{ text: url, url }] : []), { text }])
      .filter(run => run.text !== '')
  return fillTemplate(text, { ...values, link: linkMark, tasks: `\n${tasksMark}\n` })
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.split('\n').flatMap(line => (line === tasksMark ? tasks : line.trim() || [])))
    .filter(lines => lines.length > 0)
    .map(lines => (lines.join() === linkMark ? { button: { label: linkLabel, url } } : { lines: lines.map(toRuns) }))
}

/** The reason of the mail, and how to end this kind. Administrators cannot change it. */
function composeFooter(kind: MailKind, { unsubscribeUrl }: MailFrame): MailParagraph[] {
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

/** The test that an administrator asks for. */
export function composeTestMail(recipientName: string, publicUrl: string): MailText {
  const message = 'Watchline can send mails. An administrator asked for this test.'
  return {
    subject: 'Test mail from Watchline',
    text: `Hello ${toLine(recipientName)},\n\n${message}\n\n${publicUrl}\n`,
    html: page(
      'Test mail from Watchline',
      [
        `<p>Hello ${escapeHtml(toLine(recipientName))},</p>`,
        `<p>${message}</p>`,
        `<p><a href="${escapeHtml(publicUrl)}">Open Watchline</a></p>`,
      ],
      'en',
    ),
  }
}

const reasons: Record<MailKind, string> = {
  task_due_soon: 'the task is assigned to you',
  task_overdue: 'the task is assigned to you',
  task_assigned: 'the task is assigned to you',
  task_recurred: 'the task is assigned to you',
  task_reminded: 'the task is assigned to you',
  due_date_changed: 'the task is assigned to you',
  comment_reviewed: 'the comment is yours',
  comment_replied: 'the comment is yours',
  playlist_shared: 'the playlist was shared with you',
  request_reviewed: 'the request is yours',
  supervisor_requested: 'you are an administrator',
  team_digest: 'you chose regular mails about your team',
  task_escalated: 'you are the manager of the supervisors',
  saved_report: 'you are a recipient of this report',
}

/** The page that shows the subject of the activity. */
function pathOf({ kind, playlist, video, timestamp }: ActivityGroup): string {
  if (kind === 'playlist_shared') return '/dashboard?tab=playlists'
  if (kind === 'supervisor_requested') return '/admin?tab=managers'
  if (!playlist) return '/dashboard'
  if (!video) return `/dashboard?${new URLSearchParams({ session: playlist.id })}`
  const query = { playlist_id: playlist.id, video_id: video.id, t: String(Math.floor(timestamp ?? 0)), action: 'view' }
  return `/dashboard?${new URLSearchParams(query)}`
}

const buttonStyle =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#0c6661;color:#ffffff;text-decoration:none'

function toPlainText(paragraph: MailParagraph): string {
  if ('button' in paragraph) return `${paragraph.button.label}:\n${paragraph.button.url}`
  return paragraph.lines.map(line => line.map(({ text }) => text).join('')).join('\n')
}

function toHtml(paragraph: MailParagraph): string {
  if ('button' in paragraph) {
    const { label, url } = paragraph.button
    return `<p><a href="${escapeHtml(url)}" style="${buttonStyle}">${escapeHtml(label)}</a></p>`
  }
  const toLink = ({ text, url }: MailTextRun) =>
    url === undefined ? escapeHtml(text) : `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
  return `<p>${paragraph.lines.map(line => line.map(toLink).join('')).join('<br>\n')}</p>`
}

function page(title: string, paragraphs: readonly string[], language?: string): string {
  const direction = isRightToLeft(language) ? ' dir="rtl"' : ''
  const lang = language === undefined ? '' : ` lang="${language}"${direction}`
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title>`
  const body = `<h1 style="font-size:20px">${escapeHtml(title)}</h1>\n${paragraphs.join('\n')}`
  return `<!doctype html>\n<html${lang}><head>${head}</head>\n<body style="font-family:sans-serif;font-size:16px;line-height:1.5">\n${body}\n</body></html>\n`
}

function isRightToLeft(language: string | undefined): boolean {
  if (language === undefined) return false
  // TypeScript does not know the method yet.
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { direction: string } }
  return locale.getTextInfo().direction === 'rtl'
}

/** One line without control characters, because names and titles may hold any text. */
export function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
