import { z } from 'zod'
import type { EventData } from './events.ts'
import { line, quarterHour, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { isRequiredMailKind, type MailKind, mailKind } from './mail.ts'
import { languageTag } from './mail-languages.ts'
import { defineOperation } from './operation.ts'
import type { ReportStatus } from './reports.ts'

const service = 'notification'

/** The value of a placeholder such as `{task}` is decided when the mail is sent. */
const valuePlaceholder = z.enum([
  'name',
  'title',
  'message',
  'person',
  'sender',
  'task',
  'video',
  'position',
  'comment',
  'due_date',
  'grace_until',
  'note',
  'reason',
  'required_percent',
  'grace_days',
  'max_rate',
  'count',
  'reviewer',
  'network',
  'tasks',
  'report',
  'period',
  'task_count',
  'people_count',
  'completed_in_time',
  'completed_late',
  'completed_without_due',
  'open',
  'overdue',
  'in_grace',
  'due_soon',
  'missed',
  'marked_done',
  'exempt',
  'completed_rate',
  'credited_time',
  'credited_in_period',
  'group',
  'playlist',
  'supervisor',
  'manager',
  'link',
  'unsubscribe',
])

/** Placeholders with words for each case, as in `{decision:approved|rejected}`. */
const casePlaceholder = z.enum([
  'decision',
  'confirmation',
  'manager_change',
  'cause',
  'integrity_notes',
  'attention_checks',
  'skipping_ahead',
  'file',
  'state',
])
export type CasePlaceholder = z.infer<typeof casePlaceholder>

export const mailPlaceholder = z.enum([...valuePlaceholder.options, ...casePlaceholder.options])
export type MailPlaceholder = z.infer<typeof mailPlaceholder>

/**
 * The cases of each placeholder, in the order of the administrator's words, in English. The mail
 * shows the words of the case that applies; of integrity notes, the words of each with its number.
 * Saved words depend on the number and order of the cases, also of those with a code.
 */
export const placeholderCases = {
  decision: ['approved', 'rejected'],
  confirmation: ['cannot be played', 'could not be played'],
  manager_change: ['has a manager', 'has no manager'],
  cause: {
    no_playable_video: 'no video can be played',
    no_access: 'the account is deactivated',
  } satisfies Record<EventData<'task.uncompletable'>['reason'], string>,
  integrity_notes: {
    skipped: 'skipped ahead',
    too_fast: 'played too fast',
    hidden: 'played out of sight',
    elsewhere: 'played in a second session',
    unanswered: 'missed an attention check',
  } satisfies Record<EventData<'integrity.noted'>['notes'][number]['code'], string>,
  attention_checks: ['with attention checks', 'without attention checks'],
  skipping_ahead: ['with skipping ahead', 'without skipping ahead'],
  file: ['the file is attached', 'the file is too large for a mail'],
  state: {
    completed_in_time: 'completed in time',
    completed_late: 'completed late',
    completed_without_due: 'completed without a due date',
    open: 'open',
    overdue: 'overdue',
    missed: 'missed',
    marked_done: 'marked as done',
    exempt: 'exempt',
  } satisfies Record<ReportStatus, string>,
} satisfies Record<CasePlaceholder, readonly string[] | Record<string, string>>

export function isCasePlaceholder(placeholder: MailPlaceholder): placeholder is CasePlaceholder {
  return placeholder in placeholderCases
}

/** The cases in English, in the order of the administrator's words. */
export function listCases(placeholder: CasePlaceholder): readonly string[] {
  return Object.values<string>(placeholderCases[placeholder])
}

const placeholdersWithFallback: readonly MailPlaceholder[] = [
  ...(['person', 'sender', 'task', 'video', 'position', 'comment', 'due_date', 'note', 'reason'] as const),
  ...(['max_rate', 'reviewer', 'network', 'period', 'completed_rate', 'credited_in_period'] as const),
  ...(['group', 'playlist', 'supervisor', 'manager'] as const),
]

/**
 * Whether a mail may lack the value, such as the name of a person who is not known any more. Words
 * may name a fallback, as in `{person:somebody}`.
 */
export function mayHaveFallback(placeholder: MailPlaceholder): boolean {
  return placeholdersWithFallback.includes(placeholder)
}

/** The placeholder as it stands in words: `{task}`, or `{decision:approved|rejected}`. */
export function writePlaceholder(placeholder: MailPlaceholder): string {
  if (!isCasePlaceholder(placeholder)) return `{${placeholder}}`
  return `{${placeholder}:${listCases(placeholder).join('|')}}`
}

const always = ['name', 'title', 'message', 'link'] as const
const taskOverride = [...always, 'task', 'sender', 'reason'] as const
const conditionNames = ['required_percent', 'grace_days', 'max_rate', 'attention_checks', 'skipping_ahead'] as const
const reportFigures = [
  'task_count',
  'people_count',
  'completed_in_time',
  'completed_late',
  'completed_without_due',
  'open',
  'overdue',
  'missed',
  'marked_done',
  'exempt',
  'completed_rate',
  'credited_time',
  'credited_in_period',
] as const
const reportFilters = ['group', 'playlist', 'supervisor', 'manager', 'state'] as const

/** The placeholders that the words of each kind of mail may use. */
export const mailPlaceholders: Record<MailKind, readonly MailPlaceholder[]> = {
  task_due_soon: [...always, 'task', 'due_date'],
  task_in_grace: [...always, 'task', 'due_date', 'grace_until'],
  task_overdue: [...always, 'task', 'due_date'],
  task_assigned: [...always, 'task', 'due_date', 'sender', 'note'],
  task_recurred: [...always, 'task', 'due_date'],
  task_reminded: [...always, 'task', 'sender'],
  due_date_changed: [...always, 'task', 'due_date', 'sender', 'reason'],
  terms_changed: [...always, 'task', 'sender', 'reason', ...conditionNames],
  task_exempted: taskOverride,
  task_marked_done: taskOverride,
  override_taken_back: taskOverride,
  task_reset: taskOverride,
  task_uncompletable: [...always, 'person', 'count', 'task', 'cause'],
  video_completed: [...always, 'person', 'task', 'video'],
  playlist_completed: [...always, 'person', 'task'],
  integrity: [...always, 'person', 'task', 'video', 'integrity_notes'],
  video_unavailable: [...always, 'person', 'task', 'video', 'confirmation'],
  comment_to_approve: [...always, 'person', 'task', 'video', 'position', 'comment'],
  comments_moved: [...always, 'person', 'count', 'reviewer'],
  comment_reviewed: [...always, 'task', 'video', 'position', 'sender', 'decision', 'reason'],
  comment_replied: [...always, 'task', 'video', 'position', 'sender'],
  playlist_shared: [...always, 'task', 'sender'],
  request_reviewed: [...always, 'person', 'decision', 'reason'],
  supervisor_requested: [...always, 'sender', 'person'],
  manager_changed: [...always, 'person', 'manager_change'],
  token_reused: [...always, 'network'],
  team_digest: [...always, 'tasks', 'overdue', 'in_grace', 'due_soon'],
  task_escalated: [...always, 'tasks', 'overdue'],
  saved_report: [...always, 'report', 'period', 'sender', ...reportFilters, ...reportFigures, 'file'],
}

/**
 * Accepted in words that were saved before, and not offered. In `request_reviewed` the value of
 * `sender` is the supervisor, as that of `person`. In `comment_replied` `comment` has no value: a
 * mail must not have the text of a reply, which may be rejected later.
 */
export const formerMailPlaceholders: Partial<Record<MailKind, readonly MailPlaceholder[]>> = {
  request_reviewed: ['sender'],
  comment_replied: ['comment'],
}

/** Required, so that every mail links to what it is about. */
export const requiredMailPlaceholder: MailPlaceholder = 'link'

/** The placeholders of an own end of mails. Those that a person can end must say how. */
export function footerPlaceholdersOf(kind: MailKind): readonly MailPlaceholder[] {
  return isRequiredMailKind(kind) ? ['name'] : ['name', 'unsubscribe']
}

/**
 * The words of a kind of mail. Placeholders stand in braces, some with words for each case
 * (`placeholderCases`), and some may have a fallback (`mayHaveFallback`);
 * `{{` and `}}` are single braces. A blank line begins a paragraph, and
 * `{link}` alone in one is a button with `link_label`.
 */
export const mailWording = z.object({
  subject: line(limits.mailSubjectMaxLength),
  text: text(limits.mailTextMaxLength, 1),
  link_label: line(limits.mailLinkLabelMaxLength),
  /**
   * The end of the mail, with `{unsubscribe}` unless the kind is required. Absent: the English one,
   * which says the reason of the mail and how to end the kind.
   */
  footer: text(limits.mailFooterMaxLength, 1).optional(),
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
