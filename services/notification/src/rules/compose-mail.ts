import type { TeamDigest } from '@watchline/contracts/internal-operations'
import type { MailKind, NotificationMailKind, TaskListMailKind } from '@watchline/contracts/mail'
import type { MailParagraph, MailTextRun } from '@watchline/contracts/mail-settings'
import { findNotificationAddress } from '@watchline/contracts/notification-address'
import type { Role } from '@watchline/contracts/people'
import type { ActivityGroup } from './activity.ts'
import { formatMoment, isEnglish, type LocalDueDate } from './due-date.ts'
import { composeFooter } from './mail-footer.ts'
import { composeParagraphs, fillTemplate } from './mail-paragraphs.ts'
import { listActivityValues, type MailValues, toLine } from './mail-values.ts'
import type { ParsedWording } from './mail-wording.ts'

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
  recipientRole: Role
  /** The due date of the task. Without it, the mail has the one of the notification. */
  due?: LocalDueDate | undefined
}

/** The words of a mail about one activity, with dates in their language. */
export function composeMail(
  group: ActivityGroup & { kind: NotificationMailKind },
  wording: ParsedWording,
  { due, recipientRole, ...frame }: ActivityFrame,
): ComposedMail {
  const { texts, fallbacks, cases } = listActivityValues(group, { language: wording.language, due })
  const link = `${frame.publicUrl}${pathOf(group, recipientRole)}`
  return composeWith(group.kind, wording, frame, {
    texts: { ...texts, name: toLine(frame.recipientName), link },
    ...{ fallbacks, cases },
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
    texts: {
      name: toLine(frame.recipientName),
      title: isEscalation ? 'Overdue tasks in your teams' : 'Tasks of your team',
      message: isEscalation ? `${overdue} overdue ${overdue === 1 ? 'task' : 'tasks'}` : counts.join(', '),
      ...{ overdue: String(overdue), in_grace: String(in_grace), due_soon: String(due_soon) },
      link: `${frame.publicUrl}/dashboard?tab=${isEscalation ? 'analytics' : 'engagement'}&view=at-risk`,
    },
    tasks: missing > 0 ? [...lines, isInEnglish ? `and ${missing} more` : `+ ${missing}`] : lines,
  })
}

/** A mail with these words and values, and the end that every mail has. */
export function composeWith(
  kind: MailKind,
  wording: ParsedWording,
  frame: MailFrame,
  values: MailValues,
): ComposedMail {
  const subject = toLine(fillTemplate(wording.subject, { ...values, tasks: '' }))
  const link = { placeholder: 'link', url: values.texts.link, buttonLabel: wording.linkLabel } as const
  const paragraphs = composeParagraphs(wording.text, values, link)
  const footer = composeFooter(kind, wording.footer, { unsubscribeUrl: frame.unsubscribeUrl, texts: values.texts })
  return {
    subject,
    text: `${[...paragraphs.map(toPlainText), '--', ...footer.map(toPlainText)].join('\n\n')}\n`,
    html: page(
      subject,
      [
        ...paragraphs.map(toHtml),
        '<hr style="border:0;border-top:1px solid #cbd5e1;margin:24px 0">',
        `<div${wording.footer ? '' : attributesOfEnglish(wording.language)} style="font-size:14px">\n${footer.map(toHtml).join('\n')}\n</div>`,
      ],
      wording.language,
    ),
    paragraphs,
    footer,
  }
}

/** The test that an administrator asks for. */
export function composeTestMail(recipientName: string, publicUrl: string): MailText {
  return composeFixedMail('Test mail from Watchline', [
    toParagraph(`Hello ${toLine(recipientName)},`),
    toParagraph('Watchline can send mails. An administrator asked for this test.'),
    { button: { label: 'Open Watchline', url: publicUrl } },
  ])
}

/** The mail to a person who may become an administrator. `until` is a moment in words. */
export function composeInvitationMail({
  recipientName,
  inviterName,
  until,
  link,
}: {
  recipientName: string
  inviterName: string
  until: string
  link: string
}): MailText {
  return composeFixedMail('Invitation to administer Watchline', [
    toParagraph(`Hello ${toLine(recipientName)},`),
    toParagraph(`${toLine(inviterName)} invites you to become an administrator of Watchline.`),
    { button: { label: 'Set your password', url: link } },
    toParagraph(`The link is valid once, until ${until}. It is for you alone: do not pass this mail on.`),
    toParagraph('If you did not expect this mail, delete it.'),
  ])
}

/** A mail with words that organisations cannot change. */
function composeFixedMail(subject: string, paragraphs: readonly MailParagraph[]): MailText {
  return {
    subject,
    text: `${paragraphs.map(toPlainText).join('\n\n')}\n`,
    html: page(subject, paragraphs.map(toHtml), 'en'),
  }
}

function toParagraph(text: string): MailParagraph {
  return { lines: [[{ text }]] }
}

/** Mails about a task to watch open it, while the bell opens the page that shows it. */
const sessionKinds: readonly MailKind[] = [
  'task_due_soon',
  'task_in_grace',
  'task_overdue',
  'task_assigned',
  'task_recurred',
  'task_reminded',
  'due_date_changed',
]

/** The page that shows the subject of the activity. */
function pathOf(group: ActivityGroup & { kind: NotificationMailKind }, role: Role): string {
  const { kind, playlist, video, timestamp } = group
  if (playlist && sessionKinds.includes(kind)) return `/dashboard?${new URLSearchParams({ session: playlist.id })}`
  const target = { playlist_id: playlist?.id ?? null, video_id: video?.id ?? null, timestamp: timestamp ?? null }
  return findNotificationAddress({ kind, ...target }, role) ?? '/dashboard'
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

/** The attributes of a part in English, on a page in this language. */
function attributesOfEnglish(language: string | undefined): string {
  return ` lang="en"${isRightToLeft(language) ? ' dir="ltr"' : ''}`
}

function isRightToLeft(language: string | undefined): boolean {
  if (language === undefined) return false
  // TypeScript does not know the method yet.
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { direction: string } }
  return locale.getTextInfo().direction === 'rtl'
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
