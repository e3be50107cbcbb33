import { conditionsOf } from '@watchline/contracts/conditions'
import { type CasePlaceholder, type MailPlaceholder, placeholderCases } from '@watchline/contracts/mail-settings'
import { type ActivityGroup, isKnownPerson, unknownPersonName } from './activity.ts'
import { formatDueDate, isEnglish, type LocalDueDate } from './due-date.ts'
import { composeNotificationText, formatPosition, shortenQuote } from './notification-text.ts'

/**
 * The values of the placeholders that the words of a mail may use; each text has one line. A value
 * that the mail does not have is absent.
 */
export type MailTexts = Partial<Record<TextPlaceholder, string>> & Record<'name' | 'title' | 'message' | 'link', string>
type TextPlaceholder = Exclude<MailPlaceholder, CasePlaceholder | 'tasks'>

/** A case that applies, by its place in `placeholderCases`. */
export interface MailCase {
  index: number
  /** How often, of integrity notes. */
  times?: number
}
export type MailCases = Partial<Record<CasePlaceholder, readonly MailCase[]>>

export interface MailValues {
  texts: MailTexts
  /** Used if the mail lacks the value and the wording has no fallback for it. */
  fallbacks?: Partial<Record<TextPlaceholder, string>>
  cases?: MailCases
  /** The lines of the list. */
  tasks?: readonly string[]
}

/** Used if the mail lacks the value and there is no fallback. */
export const lastFallback = '–'

/**
 * The values of a mail about one activity, except the recipient and the link. Title and message are
 * those of the notification, in English. A value that only some kinds have is used by these alone,
 * because the words of a kind may have its placeholders only.
 */
export function listActivityValues(
  group: ActivityGroup,
  { language, due }: { language: string | undefined; due: LocalDueDate | undefined },
): { texts: Omit<MailTexts, 'name' | 'link'>; fallbacks: NonNullable<MailValues['fallbacks']>; cases: MailCases } {
  const { kind, people, playlist, video, timestamp, text, reason, note } = group
  const { title, message } = composeNotificationText(group)
  const firstKnown = people.find(isKnownPerson)
  // Only mails about uncompletable tasks have several people.
  const person = firstKnown && (people.length > 1 ? `${firstKnown.name} + ${group.count - 1}` : firstKnown.name)
  const { required_percent, grace_days, max_rate, attention_checks, allow_skipping } = conditionsOf(group.conditions)
  const dueDate = due ? formatDueDate(due, language) : text
  const hasOwnReason = kind === 'due_date_changed' || kind === 'terms_changed'
  const texts = {
    person: kind === 'supervisor_requested' ? text : person,
    sender: people.length === 0 ? 'Watchline' : person,
    task: playlist?.title,
    video: video?.title,
    position: timestamp === undefined ? undefined : formatPosition(timestamp),
    comment: shortenQuote(text),
    due_date: dueDate,
    grace_until: group.graceUntil && formatDueDate(group.graceUntil, language),
    note: shortenQuote(note),
    reason: shortenQuote(hasOwnReason ? reason : text),
    required_percent: `${required_percent}%`,
    grace_days: String(grace_days),
    max_rate: max_rate === null ? undefined : `${max_rate}×`,
    count: String(group.count),
    reviewer: text,
    network: text,
  }
  const isPositive = chooseCase(group.positive === true)
  return {
    texts: { title: toLine(title), message: toLine(message), ...omitMissing(texts) },
    fallbacks: isEnglish(language) ? englishFallbacks : {},
    cases: {
      ...{ decision: isPositive, confirmation: isPositive, manager_change: isPositive },
      cause: findCase('cause', group.cause),
      integrity_notes: countNotes(group.notes ?? {}),
      attention_checks: chooseCase(attention_checks),
      skipping_ahead: chooseCase(allow_skipping),
    },
  }
}

export const chooseCase = (isFirst: boolean): MailCase[] => [{ index: isFirst ? 0 : 1 }]

/** The case of the code; none without a code, or of an unknown one. */
export function findCase(placeholder: 'cause' | 'state', code: string | undefined): MailCase[] {
  const index = Object.keys(placeholderCases[placeholder]).indexOf(code ?? '')
  return index === -1 ? [] : [{ index }]
}

/** The most frequent kind of note comes first. */
function countNotes(counts: Readonly<Record<string, number>>): MailCase[] {
  const codes = Object.keys(placeholderCases.integrity_notes)
  const cases = codes.map((code, index) => ({ index, times: counts[code] ?? 0 })).filter(({ times }) => times > 0)
  return cases.sort((a, b) => b.times - a.times)
}

const englishFallbacks = { person: unknownPersonName, sender: unknownPersonName, due_date: 'no due date' }

/** The values in one line each, without those that the mail lacks. */
function omitMissing<K extends string>(values: Record<K, string | undefined>): Partial<Record<K, string>> {
  const lines = Object.entries<string | undefined>(values).map(([key, value]) => [key, toLine(value ?? '')] as const)
  return Object.fromEntries(lines.filter(([, line]) => line !== '')) as Partial<Record<K, string>>
}

/** One line without control characters, because names and titles may hold any text. */
export function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
