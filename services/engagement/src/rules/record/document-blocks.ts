import { describeConditions } from '@watchline/contracts/conditions'
import type { EndedOccurrence, PresentOccurrence } from '@watchline/contracts/engagement'
import { type DueDate, isTimeZone } from '@watchline/contracts/fields'
import type {
  AllAttempts,
  IssuedContent,
  IssuedDocument,
  MemberTask,
  RecordedAssignment,
  RecordedReason,
  RecordedTask,
  RecordedVideo,
} from '@watchline/contracts/records'
import { describeRepetition, type Recurrence } from '@watchline/contracts/recurrence'
import { describeNote, formatMinutes } from '../summary.ts'

/** A part of a document for people, without its look. */
export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: readonly string[] }

export interface DescribedDocument extends Pick<IssuedDocument, 'record' | 'seal'> {
  /** The name of the person with this index. */
  nameOf: (index: number) => string
  /** The reasons of this person’s tasks; none after an erasure. */
  reasonsOf: (index: number) => readonly RecordedReason[]
  /** The address of the gateway for browsers, if it is known. */
  publicUrl: string | undefined
}

type RecordContent = Extract<IssuedContent, { format: 'watchline.record.1' }>
type GroupRecordContent = Extract<IssuedContent, { format: 'watchline.group_record.1' }>
type CertificateContent = Extract<IssuedContent, { format: 'watchline.certificate.1' }>
type Described<Content> = Omit<DescribedDocument, 'record'> & { record: Content }

export function titleOf({ record, nameOf }: Pick<DescribedDocument, 'record' | 'nameOf'>): string {
  if (record.format === 'watchline.group_record.1') return `Training record of the group “${record.group.name}”`
  const name = nameOf(record.person)
  return record.format === 'watchline.certificate.1' ? `Certificate of ${name}` : `Training record of ${name}`
}

/** The document as headings, paragraphs and lists, in reading order. */
export function describeDocument(document: DescribedDocument): Generator<Block> {
  const { record } = document
  if (record.format === 'watchline.certificate.1') return describeCertificate({ ...document, record })
  if (record.format === 'watchline.group_record.1') return describeGroupRecord({ ...document, record })
  return describeRecord({ ...document, record })
}

function* describeCertificate(document: Described<CertificateContent>): Generator<Block> {
  const { record, nameOf } = document
  const formatTime = createTimeFormat(findTimeZone(record))
  yield { kind: 'heading', level: 1, text: 'Certificate of completion' }
  yield { kind: 'heading', level: 2, text: nameOf(record.person) }
  yield { kind: 'paragraph', text: `has completed “${record.title}” on ${formatTime(record.completed_at)}.` }
  if (record.valid_until) yield { kind: 'paragraph', text: `It is valid until ${formatTime(record.valid_until)}.` }
  yield {
    kind: 'paragraph',
    text: `When this was issued, the server had credited ${formatSeconds(record.credited_seconds)} of its videos, each second once.`,
  }
  yield* describeOrigin(document, formatTime)
}

function* describeRecord(document: Described<RecordContent>): Generator<Block> {
  const { record } = document
  const { totals, period, tasks } = record
  const formatTime = createTimeFormat(findTimeZone(record))
  yield { kind: 'heading', level: 1, text: titleOf(document) }
  yield { kind: 'paragraph', text: `${describePeriod(period)}. Times are those of ${findTimeZone(record)}.` }
  yield* describeOrigin(document, formatTime)
  yield { kind: 'heading', level: 2, text: 'In total' }
  yield { kind: 'list', items: describeTotals(totals, period) }
  if (tasks.length === 0) yield { kind: 'paragraph', text: 'There is no task in this period.' }
  for (const task of tasks) yield* describeTask(document, task, formatTime)
}

function describeTotals(totals: RecordContent['totals'], period: RecordContent['period']): string[] {
  const { all_attempts } = totals
  return [
    `${formatCount(totals.tasks, 'task')}: ${totals.completed_tasks} completed by watching, ${totals.marked_done_tasks} marked as done by hand, ${totals.exempt_tasks} exempt`,
    ...describeOccurrenceCounts(all_attempts),
    `${formatCount(totals.videos, 'video')}: ${totals.completed_videos} completed`,
    `Credited in total: ${formatSeconds(totals.credited_seconds)}, each second once`,
    ...(hasBounds(period) ? [`Credited in the period: ${formatSeconds(totals.credited_in_period)}`] : []),
    ...(all_attempts
      ? [`Credited in total, earlier attempts included: ${formatSeconds(all_attempts.credited_seconds)}`]
      : []),
    ...describeAllInPeriod(all_attempts, period),
    `Watch time in total, repeated parts and earlier attempts included: ${formatSeconds(totals.watch_time)}`,
  ]
}

/** Empty without an ended occurrence, and in documents of versions before. */
function describeOccurrenceCounts(attempts: AllAttempts | undefined): string[] {
  if (!attempts) return []
  const { completed_occurrences: completed, marked_done_occurrences: markedDone } = attempts
  const { exempt_occurrences: exempt, missed_occurrences: missed } = attempts
  const count = completed + markedDone + exempt + missed
  if (count === 0) return []
  return [
    `${formatCount(count, 'ended occurrence')}: ${completed} completed by watching, ${markedDone} marked as done by hand, ${exempt} exempt, ${missed} missed`,
  ]
}

function describeAllInPeriod(attempts: AllAttempts | undefined, period: RecordContent['period']): string[] {
  if (!attempts || !hasBounds(period)) return []
  return [`Credited in the period, earlier attempts included: ${formatSeconds(attempts.credited_in_period)}`]
}

function* describeGroupRecord(document: Described<GroupRecordContent>): Generator<Block> {
  const { record, seal, nameOf, reasonsOf } = document
  const { totals, period, members, records, playlists, part } = record
  const formatTime = createTimeFormat(findTimeZone(record))
  const titles = new Map(playlists.map(({ playlist_id, title, deleted }) => [playlist_id, { title, deleted }]))
  const titleOfTask = (id: string) => {
    const { title = id, deleted = false } = titles.get(id) ?? {}
    return deleted ? `${title} (deleted)` : title
  }
  yield { kind: 'heading', level: 1, text: titleOf(document) }
  const only = record.playlist_id === null ? '' : ` Only the task “${titleOfTask(record.playlist_id)}”.`
  yield { kind: 'paragraph', text: `${describePeriod(period)}. Times are those of ${findTimeZone(record)}.${only}` }
  yield {
    kind: 'paragraph',
    text: `Members are those of the group on ${formatTime(seal.issued_at)}: ${formatCount(members.total, 'member')}. ${
      members.left_out === 0
        ? 'None is left out.'
        : `${members.left_out} of them ${members.left_out === 1 ? 'is' : 'are'} left out: the issuer may not see their records, or they are not trainees.`
    }`,
  }
  if (part)
    yield {
      kind: 'paragraph',
      text: `Part ${part.number} of ${part.of}, with ${formatCount(records.length, 'member')}. Each member of the group is in one of the parts. The figures are those of this part.`,
    }
  yield* describeOrigin(document, formatTime)
  yield { kind: 'heading', level: 2, text: 'In total' }
  yield { kind: 'list', items: describeTotals(totals, period) }
  for (const { person, tasks } of records) {
    const reasons = Map.groupBy(reasonsOf(person), ({ playlist_id }) => playlist_id)
    yield { kind: 'heading', level: 2, text: nameOf(person) }
    if (tasks.length === 0) yield { kind: 'paragraph', text: 'No task in this period.' }
    else
      yield {
        kind: 'list',
        items: tasks.flatMap(task => [
          `${titleOfTask(task.playlist_id)}: ${describeMemberTask(document, task, formatTime)}`,
          ...(task.occurrences ?? []).map(occurrence => describeOccurrence(occurrence, formatTime)),
          ...describePresentOccurrence(task.present_occurrence, formatTime),
          ...(reasons.get(task.playlist_id) ?? []).map(reason => describeReason(reason, nameOf, formatTime)),
        ]),
      }
  }
}

function describeMemberTask(
  { record, nameOf }: Described<GroupRecordContent>,
  task: MemberTask,
  formatTime: (time: string) => string,
): string {
  const { assigned_at, assigned_by, ended_at, ended_cause, sessions, all_attempts } = task
  const author = assigned_by === null ? '' : ` by ${nameOf(assigned_by)}`
  return [
    assigned_at ? `assigned on ${formatTime(assigned_at)}${author}` : 'no known date of an assignment',
    describeTerms(task, formatTime),
    ...(ended_at ? [[`ended on ${formatTime(ended_at)}`, ...describeEndCause(ended_cause)].join(', ')] : []),
    lowerFirst(describeState(task, formatTime)),
    `${task.completion_rate}%, ${task.completed_videos} of ${formatCount(task.total_videos, 'video')}`,
    `credited ${formatSeconds(task.credited_seconds)}`,
    ...(hasBounds(record.period) ? [`in the period ${formatSeconds(task.credited_in_period)}`] : []),
    ...(all_attempts
      ? [
          ...describeOccurrenceCounts(all_attempts),
          `with earlier attempts credited ${formatSeconds(all_attempts.credited_seconds)}`,
          ...describeAllInPeriod(all_attempts, record.period).map(lowerFirst),
        ]
      : []),
    formatCount(sessions, 'session'),
  ].join('; ')
}

function describeReason(
  { about, at, by, reason }: RecordedReason,
  nameOf: (index: number) => string,
  formatTime: (time: string) => string,
): string {
  const subject = about === 'terms' ? 'Due date or other terms changed' : actionTexts[about]
  return `${subject} on ${formatTime(at)} by ${by === null ? 'somebody' : nameOf(by)}. Reason: ${reason}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function* describeTask(
  { record, nameOf }: Described<RecordContent>,
  task: RecordedTask,
  formatTime: (time: string) => string,
): Generator<Block> {
  const author = (index: number | null) => (index === null ? 'somebody' : nameOf(index))
  const cause = (by: number | null) =>
    by === null ? 'when the groups of the person changed' : `changed by ${nameOf(by)}`
  yield { kind: 'heading', level: 2, text: task.deleted ? `${task.title} (deleted)` : task.title }
  yield {
    kind: 'list',
    items: [
      ...task.assignments.flatMap(({ assigned_at, assigned_by, due_changes, ended_at, ended_by, ...terms }) => [
        `Assigned ${assigned_at ? `on ${formatTime(assigned_at)}` : 'at an unknown time'} by ${author(assigned_by)}, ${describeTerms(terms, formatTime)}`,
        ...due_changes.map(
          change =>
            `Since ${formatTime(change.at)} ${describeTerms(change, formatTime)}, ${cause(change.by)}${change.reason ? `. Reason: ${change.reason}` : ''}`,
        ),
        ...describeEnd({ ended_at, ended_by, ended_cause: terms.ended_cause }, nameOf, formatTime),
      ]),
      ...task.exceptions.map(({ action, ...decision }) =>
        describeReason({ playlist_id: task.playlist_id, about: action, ...decision }, nameOf, formatTime),
      ),
      ...(task.occurrences ?? []).map(occurrence => describeOccurrence(occurrence, formatTime)),
      ...describePresentOccurrence(task.present_occurrence, formatTime),
      ...describeOccurrenceCounts(task.all_attempts),
      describeState(task, formatTime),
      `Completion: ${task.completion_rate}%, ${task.completed_videos} of ${task.total_videos} videos`,
      `Credited: ${formatSeconds(task.credited_seconds)}`,
      ...(hasBounds(record.period) ? [`Credited in the period: ${formatSeconds(task.credited_in_period)}`] : []),
      ...(task.all_attempts
        ? [`Credited, earlier attempts included: ${formatSeconds(task.all_attempts.credited_seconds)}`]
        : []),
      ...describeAllInPeriod(task.all_attempts, record.period),
      `Watch time: ${formatSeconds(task.watch_time)}`,
    ],
  }
  if (task.videos.length > 0) {
    yield { kind: 'heading', level: 3, text: 'Videos' }
    yield { kind: 'list', items: task.videos.map(video => describeVideo(video, formatTime)) }
  }
  for (const attempt of task.earlier_attempts) {
    // Documents of versions before name the due date only with the occurrence.
    const occurrence = task.occurrences?.find(({ ended_at, opened_at }) => opened_at && ended_at === attempt.ended_at)
    const due = attempt.occurrence_due ?? occurrence?.due
    const title = due ? `Occurrence due ${formatTime(due.at)}` : `Before the reset on ${formatTime(attempt.ended_at)}`
    yield { kind: 'heading', level: 3, text: title }
    yield {
      kind: 'list',
      items: [
        `Completion then: ${attempt.completion_rate}%`,
        `Credited then: ${formatSeconds(attempt.credited_seconds)}`,
        ...(hasBounds(record.period)
          ? [`Credited then, in the period: ${formatSeconds(attempt.credited_in_period)}`]
          : []),
        ...attempt.videos.map(video => describeVideo(video, formatTime)),
      ],
    }
  }
  if (task.sessions.length === 0) return
  yield { kind: 'heading', level: 3, text: 'Monitored sessions' }
  yield {
    kind: 'list',
    items: task.sessions.map(({ started_at, ended_at, reason }) =>
      [
        `${started_at ? formatTime(started_at) : 'Unknown start'} to ${ended_at ? formatTime(ended_at) : 'now'}`,
        ...(reason && reason !== 'released' ? [sessionEnds[reason]] : []),
      ].join(', '),
    ),
  }
}

const actionTexts = {
  exempt: 'Exempted',
  mark_done: 'Marked as done by hand (not watched)',
  take_back: 'Exception taken back',
  reset: 'Started again',
} as const

/** Documents of versions before name no cause. */
function describeEnd(
  { ended_at, ended_by, ended_cause }: Pick<RecordedAssignment, 'ended_at' | 'ended_by' | 'ended_cause'>,
  nameOf: (index: number) => string,
  formatTime: (time: string) => string,
): string[] {
  if (!ended_at) return []
  const author = ended_by === null ? '' : ` by ${nameOf(ended_by)}`
  return [[`Ended on ${formatTime(ended_at)}${author}`, ...describeEndCause(ended_cause)].join(', ')]
}

function describeEndCause(cause: RecordedAssignment['ended_cause']): string[] {
  return cause ? [endCauses[cause]] : []
}

const endCauses = {
  withdrawn_from_group: 'when the playlist was withdrawn from a group',
  left_group: 'when the person left a group',
  group_deleted: 'when a group was deleted',
  role_changed: 'when the role of the person changed',
  playlist_deleted: 'when the playlist was deleted',
} as const

const sessionEnds = {
  taken_over: 'taken over by another session',
  signed_out: 'ended by signing out',
  expired: 'ended without an answer of the player',
} as const

type RecordedTerms = Pick<RecordedTask['assignments'][number], 'due' | 'recurrence' | 'conditions'>

function describeTerms({ due, recurrence, conditions }: RecordedTerms, formatTime: (time: string) => string): string {
  return [
    due ? `due ${formatTime(due.at)}${describePersonalZone(due)}` : 'without a due date',
    ...(recurrence ? [describeRecurrence(recurrence)] : []),
    ...(conditions === null ? ['under the usual conditions'] : describeConditions(conditions)),
  ].join(', ')
}

/** The times of a document are those of the organisation; this due date counts on other clocks. */
function describePersonalZone({ local, time_zone, time_zone_of }: DueDate): string {
  return time_zone_of === 'person' ? ` (${local.replace('T', ' ')} in the person’s time zone, ${time_zone})` : ''
}

function describeRecurrence(recurrence: Recurrence): string {
  const start = recurrence.from === 'due_date' ? 'the due date' : 'the completion'
  return `repeats ${describeRepetition(recurrence)} from ${start} on`
}

const outcomeTexts = {
  completed: 'completed by watching on',
  marked_done: 'marked as done by hand (not watched) on',
  exempt: 'exempt since',
} as const

function describeOccurrence(occurrence: EndedOccurrence, formatTime: (time: string) => string): string {
  const { due, outcome, closed_at, valid_until, conditions } = occurrence
  const text = outcome === 'missed' || !closed_at ? 'missed' : `${outcomeTexts[outcome]} ${formatTime(closed_at)}`
  const validity = valid_until ? `, valid until ${formatTime(valid_until)}` : ''
  const state = `Occurrence due ${formatTime(due.at)}${describePersonalZone(due)}: ${text}${validity}`
  return [state, ...describeConditions(conditions)].join(', ')
}

function describePresentOccurrence(
  occurrence: PresentOccurrence | undefined,
  formatTime: (time: string) => string,
): string[] {
  if (!occurrence) return []
  const { opened_at, due } = occurrence
  const opening = opened_at ? `open since ${formatTime(opened_at)}, ` : ''
  return [`Present occurrence: ${opening}due ${formatTime(due.at)}${describePersonalZone(due)}`]
}

function describeState(
  task: Pick<RecordedTask, 'completed' | 'completed_at' | 'valid_until'> & Pick<MemberTask, 'override'>,
  formatTime: (time: string) => string,
): string {
  const validity = task.valid_until ? `, valid until ${formatTime(task.valid_until)}` : ''
  if (task.completed_at) return `Completed by watching on ${formatTime(task.completed_at)}${validity}`
  if (task.completed) return 'Completed by watching'
  if (task.override?.kind === 'exempt') return 'Not required: the person is exempt'
  return task.override ? 'Done by hand, not completed by watching' : 'Not completed'
}

function describeVideo(video: RecordedVideo, formatTime: (time: string) => string): string {
  const ranges = video.ranges.map(([from, to]) => `${formatMinutes(from)} to ${formatMinutes(to)}`)
  const marks = [...(video.removed ? ['removed'] : []), ...(video.unavailable ? ['unavailable'] : [])]
  return [
    // A number behind a right-to-left title would be drawn before it, as a part of it.
    `${video.title}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}: completion ${video.completion_rate}% of ${formatMinutes(video.length)}`,
    ...(video.completed_at ? [`completed on ${formatTime(video.completed_at)}`] : []),
    ranges.length > 0 ? `watched ${ranges.join(', ')}` : 'not watched',
    ...video.notes.map(({ code, times, seconds }) => describeNote(code, { times, seconds })),
  ].join('; ')
}

function* describeOrigin(
  { record, seal, publicUrl }: DescribedDocument,
  formatTime: (time: string) => string,
): Generator<Block> {
  yield {
    kind: 'list',
    items: [`Number ${seal.number}, issued on ${formatTime(seal.issued_at)}`, `Code ${formatCode(record.code)}`],
  }
  yield {
    kind: 'paragraph',
    text: `To verify it, enter the code at ${publicUrl ? `${publicUrl}/verify` : 'the page /verify of this Watchline'}.`,
  }
}

/** In groups of five, as people read and type it. */
export function formatCode(code: string): string {
  return code.match(/.{1,5}/g)?.join('-') ?? code
}

function hasBounds({ from, until }: RecordContent['period']): boolean {
  return from !== null || until !== null
}

function describePeriod({ from, until }: RecordContent['period']): string {
  if (from && until) return `From ${from} to ${until}, both days included`
  if (from) return `From ${from} on`
  return until ? `Until ${until}, this day included` : 'All of the time'
}

function formatCount(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

/** Exact seconds, and hours for reading. */
function formatSeconds(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map(part => String(part).padStart(2, '0'))
  return `${seconds} s (${Math.floor(whole / 3600)}:${parts.join(':')})`
}

/**
 * The time zone of the times in the document: UTC if the stored one is unknown here. It is not that
 * of the organisation, because a later change of that one must not change the document.
 */
function findTimeZone({ time_zone }: { time_zone: string }): string {
  return isTimeZone(time_zone) ? time_zone : 'UTC'
}

function createTimeFormat(timeZone: string): (time: string) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...({ timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const),
  })
  return time => format.format(new Date(time))
}
