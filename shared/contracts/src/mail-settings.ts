import { z } from 'zod'
import { line, quarterHour, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { type MailKind, mailKind } from './mail.ts'
import { languageTag } from './mail-languages.ts'
import { defineOperation } from './operation.ts'

const service = 'notification'

/** The value of a placeholder such as `{task}` is decided when the mail is sent. */
export const mailPlaceholder = z.enum([
  'name',
  'title',
  'message',
  'task',
  'video',
  'due_date',
  'sender',
  'tasks',
  'report',
  'period',
  'link',
])
export type MailPlaceholder = z.infer<typeof mailPlaceholder>

const always = ['name', 'title', 'message', 'link'] as const

/** The placeholders that the words of each kind of mail may use. */
export const mailPlaceholders: Record<MailKind, readonly MailPlaceholder[]> = {
  task_due_soon: [...always, 'task', 'due_date'],
  task_overdue: [...always, 'task', 'due_date'],
  task_assigned: [...always, 'task', 'due_date', 'sender'],
  task_recurred: [...always, 'task', 'due_date'],
  task_reminded: [...always, 'task', 'sender'],
  due_date_changed: [...always, 'task', 'due_date', 'sender'],
  comment_reviewed: [...always, 'task', 'video', 'sender'],
  comment_replied: [...always, 'task', 'video', 'sender'],
  playlist_shared: [...always, 'task', 'sender'],
  request_reviewed: [...always, 'sender'],
  supervisor_requested: [...always, 'sender'],
  team_digest: [...always, 'tasks'],
  task_escalated: [...always, 'tasks'],
  saved_report: [...always, 'report', 'period', 'sender'],
}

/** Required, so that every mail links to what it is about. */
export const requiredMailPlaceholder: MailPlaceholder = 'link'

/**
 * The words of a kind of mail. Placeholders stand in braces; `{{` and `}}` are single braces. A
 * blank line begins a paragraph, and `{link}` alone in one is a button with `link_label`.
 */
export const mailWording = z.object({
  subject: line(limits.mailSubjectMaxLength),
  text: text(limits.mailTextMaxLength, 1),
  link_label: line(limits.mailLinkLabelMaxLength),
})
export type MailWording = z.infer<typeof mailWording>

const savedMailWording = mailWording.extend({
  kind: mailKind,
  /** Absent for the words of the default language. */
  language: z.string().optional(),
  /**
   * Whether nobody wrote words in this language. Then these are the words of the default language,
   * and without those, or in English, the words that come with Watchline.
   */
  is_default: z.boolean(),
  placeholders: z.array(mailPlaceholder),
  /** Grows by one with every change; 0 before the first. */
  version: z.number().int().min(0),
  updated_at: time.nullable(),
  /** The name of the administrator at that time. */
  updated_by: z.string().nullable(),
})
export type SavedMailWording = z.infer<typeof savedMailWording>

const kindParams = z.object({ kind: mailKind })
/** Absent: the default language. */
const languageQuery = z.object({ language: languageTag.optional() })

export const listMailWordings = defineOperation({
  name: 'listMailWordings',
  service,
  method: 'GET',
  path: '/notifications/mail/wordings',
  callers: ['admin'],
  summary:
    'The words of every kind of mail in a language, and the placeholders that each may use. `not_found` if mails do not have the language.',
  query: languageQuery,
  response: z.array(savedMailWording),
  errors: ['forbidden', 'not_found', 'invalid'],
})

export const saveMailWording = defineOperation({
  name: 'saveMailWording',
  service,
  method: 'PUT',
  path: '/notifications/mail/wordings/{kind}',
  callers: ['admin'],
  summary:
    'Replaces the words of one kind of mail in a language, also for mails that wait; `wording: null` restores the words that come with Watchline, or in a further language other than English those of the default language. A broken or unknown placeholder is `invalid`, with its line and column. `edited_elsewhere` if `version` is not the current one, `not_found` if mails do not have the language.',
  params: kindParams,
  query: languageQuery,
  body: z.object({ wording: mailWording.nullable(), version: z.number().int().min(0) }),
  response: savedMailWording,
  errors: ['forbidden', 'not_found', 'edited_elsewhere', 'invalid'],
})

/** Consecutive characters of a line; with `url` they are a link. */
const mailTextRun = z.object({ text: z.string(), url: z.string().optional() })
export type MailTextRun = z.infer<typeof mailTextRun>

/** A paragraph as the HTML part shows it: lines of text runs, or a button. */
export const mailParagraph = z.union([
  z.object({ lines: z.array(z.array(mailTextRun)) }),
  z.object({ button: z.object({ label: z.string(), url: z.string() }) }),
])
export type MailParagraph = z.infer<typeof mailParagraph>

export const previewMailWording = defineOperation({
  name: 'previewMailWording',
  service,
  method: 'POST',
  path: '/notifications/mail/wordings/{kind}/preview',
  callers: ['admin'],
  summary: 'A mail with these words about an example, with dates in the language. Changes and sends nothing.',
  params: kindParams,
  query: languageQuery,
  body: mailWording,
  response: z.object({
    subject: z.string(),
    /** The text part of the mail. */
    text: z.string(),
    /** The HTML part, as it is sent. */
    html: z.string(),
    /** The content of the HTML part, for screens that display no HTML of others. */
    paragraphs: z.array(mailParagraph),
    /** The end of every mail: its reason, and how to end this kind. */
    footer: z.array(mailParagraph),
  }),
  errors: ['forbidden', 'invalid'],
})
export type MailPreview = z.infer<(typeof previewMailWording)['response']>

const isoDate = z.iso.date('is not a date, such as 2027-12-24')
const hasNoRepeats = (values: readonly unknown[]) => new Set(values).size === values.length

/** 1 is Monday, 7 is Sunday. */
const weekdays = z.array(z.number().int().min(1).max(7))

/**
 * The times at which mails about due dates may be sent, in the recipient's time zone: the one that
 * the person chose, or the organisation's. Other mails are sent at any time.
 */
export const reminderSettings = z.object({
  /** `from` counts, `until` does not. null: at any time of the day. */
  hours: z
    .object({ from: quarterHour, until: z.union([quarterHour, z.literal('24:00')]) })
    .refine(({ from, until }) => from < until, { path: ['until'], message: 'must be later than the beginning' })
    .nullable(),
  /** Without reminders: 1 is Monday, 7 is Sunday. */
  quiet_weekdays: weekdays.max(6, 'must leave one day of the week').refine(hasNoRepeats, 'names a day twice'),
  /** Without reminders, for instance holidays. */
  quiet_dates: z
    .array(isoDate)
    .max(limits.quietDatesMax, `must have at most ${limits.quietDatesMax} dates`)
    .refine(hasNoRepeats, 'names a date twice'),
  /**
   * The moments of the digests of supervisors who chose them; without weekdays nobody gets one.
   * Mails to managers about escalated tasks come at this time, too, on every day.
   */
  digest: z.object({ weekdays: weekdays.max(7).refine(hasNoRepeats, 'names a day twice'), time: quarterHour }),
})
export type ReminderSettings = z.infer<typeof reminderSettings>

const savedReminderSettings = reminderSettings.extend({
  /** The organisation's: ORG_TIMEZONE. */
  time_zone: z.string(),
  /** The moment from which the next reminder may be sent; in the past while it may be sent now. */
  next_allowed_at: time,
  /** Grows by one with every change; 0 before the first. */
  version: z.number().int().min(0),
  updated_at: time.nullable(),
  /** The name of the administrator at that time. */
  updated_by: z.string().nullable(),
})
export type SavedReminderSettings = z.infer<typeof savedReminderSettings>

export const getReminderSettings = defineOperation({
  name: 'getReminderSettings',
  service,
  method: 'GET',
  path: '/notifications/mail/reminders',
  callers: ['admin'],
  summary: 'The times and days on which reminders of due dates may be sent by mail.',
  response: savedReminderSettings,
  errors: ['forbidden'],
})

export const saveReminderSettings = defineOperation({
  name: 'saveReminderSettings',
  service,
  method: 'PUT',
  path: '/notifications/mail/reminders',
  callers: ['admin'],
  summary:
    'Replaces the times and days, also for reminders that wait. A reminder outside them waits for the next allowed moment; one that would come less than an hour before the due date is sent at once. `edited_elsewhere` if `version` is not the current one.',
  body: reminderSettings.extend({ version: z.number().int().min(0) }),
  response: savedReminderSettings,
  errors: ['forbidden', 'edited_elsewhere', 'invalid'],
})
