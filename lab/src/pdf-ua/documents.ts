/*
 * Makes a document of each kind with every optional part, as samples for the validation of PDFs.
 */
import { defaultConditions } from '@watchline/contracts/conditions'
import type { EndedOccurrence } from '@watchline/contracts/engagement'
import {
  type IssuedContent,
  type IssuedDocument,
  type IssuedKind,
  type IssuedPerson,
  issuedDocument,
  type MemberTask,
  type RecordedTask,
  type RecordedVideo,
} from '@watchline/contracts/records'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { hashOf, saltPerson } from '../../../services/engagement/src/actions/seal-document.ts'

type ContentOf<Format> = Omit<Extract<IssuedContent, { format: Format }>, 'code' | 'people'>
type Content =
  | ContentOf<'watchline.record.1'>
  | ContentOf<'watchline.group_record.1'>
  | ContentOf<'watchline.certificate.1'>

/** The last four names have characters that the font lacks. Markup characters test the metadata. */
const names = [
  'Łucja Ñandú-Þórsdóttir',
  'Ελένη Παπαδοπούλου',
  'Мария Александровна Иванова',
  'שרה בת־אל כהן',
  'فاطمة الزهراء بنت محمد',
  'Նարե Պետրոսյան',
  'ნინო ბერიძე',
  'Nguyễn Thị Ánh',
  'Anna <Office & “Field”> O’Brien',
  'קורס 3 בטיחות (חלק א)',
  'دورة السلامة ٢٠٢٤',
  '\ufb2a\ufb3b \ufee3\ufea4\ufee4\ufeaa',
  'Zoë\u0308 e\u0301fficient\u200d\u00ad\ufeffly',
  `Wolfeschlegel${'steinhausen'.repeat(8)}`,
  '王小明',
  'अनन्या शर्मा',
  'สมชาย ใจดี',
  '🎓 Sam 👩🏽‍🚒',
] as const

const people = names.map((name, index) =>
  saltPerson({ id: `p${index}`, name, role: index === 0 ? 'supervisor' : 'user' }),
)
const manager = 0
const time = (day: number, hour = 9) => new Date(Date.UTC(2026, 0, day, hour)).toISOString()
/** The same people as members, with reasons of their first task. */
const members = people.map(
  (person, index): IssuedPerson =>
    index % 2 === 0
      ? person
      : {
          ...person,
          reasons: [
            { playlist_id: 'task-0', about: 'terms', at: time(12), by: manager, reason: `Leave of ${names[index]}` },
            {
              playlist_id: 'task-0',
              about: 'exempt',
              at: time(13),
              by: null,
              reason: 'Has it from before & <elsewhere>',
            },
          ],
        },
)
const dueOn = (day: number) => ({ at: time(day, 16), local: time(day, 17).slice(0, 16), time_zone: 'Europe/Berlin' })
const conditions = {
  ...{ ...defaultConditions, grace_days: 7, required_percent: 95, max_rate: 1.25 },
  ...{ attention_checks: true, allow_skipping: false },
}
const recurrence: Recurrence = {
  ...{ interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 },
  first_due: dueOn(30).local,
}
const figures = { watch_time: 700, credited_seconds: 540.25, credited_in_period: 60 }
const allAttempts = {
  ...{ credited_seconds: 1620.75, credited_in_period: 180, completed_occurrences: 1 },
  ...{ marked_done_occurrences: 1, exempt_occurrences: 1, missed_occurrences: 1 },
}
const everything = { from: null, until: null }

const occurrences: EndedOccurrence[] = (['completed', 'marked_done', 'exempt', 'missed'] as const).map(
  (outcome, index) => ({
    ...{ due: dueOn(30 + index), opened_at: time(10), ended_at: time(20 + index), outcome },
    closed_at: outcome === 'missed' ? null : time(19 + index),
    ...(outcome === 'completed' && { valid_until: time(60), conditions }),
  }),
)

function video(index: number): RecordedVideo {
  const isWatched = index % 3 !== 2
  return {
    ...{ video_id: `v${index}`, title: `Part ${index + 1}: ${names[index % names.length]}`, length: 600 },
    ...{ unavailable: index % 5 === 3, removed: index % 5 === 4, ...figures },
    ...{ completion_rate: isWatched ? 90.04 : 0, completed: isWatched, completed_at: isWatched ? time(12) : null },
    ranges: isWatched ? Array.from({ length: 1 + index * 6 }, (_, part) => [part * 10, part * 10 + 8.5]) : [],
    notes: (['skipped', 'too_fast', 'hidden', 'elsewhere', 'unanswered'] as const)
      .slice(0, index)
      .map(code => ({ code, times: index, seconds: 30 })),
  }
}

function task(index: number): RecordedTask {
  const terms = index % 2 === 0 ? { due: dueOn(30), recurrence, conditions } : { due: null }
  const videos = Array.from({ length: index % 7 }, (_, place) => video(place))
  const watched = videos.filter(({ completed }) => completed)
  return {
    ...{ playlist_id: `task-${index}`, title: `Course ${index}: ${names[index % names.length]}`, deleted: index === 3 },
    assignments: [
      {
        ...{ assigned_at: index === 1 ? null : time(2), assigned_by: index === 1 ? null : manager, ...terms },
        due_changes: [
          { at: time(5), by: manager, due: dueOn(40), conditions: null, reason: 'On leave' },
          { at: time(6), by: null, due: null },
        ],
        ...{ ended_at: index === 4 ? time(20) : null, ended_by: null },
        ...(index === 4 && { ended_cause: 'playlist_deleted' as const }),
      },
    ],
    override: index === 2 ? { kind: 'exempt', at: time(8), by: manager, reason: 'On leave' } : null,
    exceptions: (['exempt', 'take_back', 'mark_done', 'reset'] as const).map((action, place) => ({
      ...{ action, at: time(8 + place), by: manager },
      reason: place === 3 ? `Watched by somebody else. ${'The whole story is long. '.repeat(60)}` : 'On leave',
    })),
    ...{ completed: index === 0, completed_at: index === 0 ? time(12) : null, valid_until: time(60) },
    ...{ completion_rate: 66.6, completed_videos: watched.length, total_videos: videos.length, videos, occurrences },
    ...{ present_occurrence: { opened_at: time(23), due: dueOn(50) }, all_attempts: allAttempts },
    earlier_attempts: [time(20), time(11)].map((ended_at, place) => ({
      ...(place === 0 && { occurrence_due: dueOn(30) }),
      ...{ ended_at, completion_rate: 50, completed: false, videos: watched, ...figures },
    })),
    sessions: [
      { started_at: time(12), ended_at: time(12, 10), reason: 'released' },
      { started_at: time(13), ended_at: time(13, 10), reason: 'taken_over' },
      { started_at: null, ended_at: null, reason: null },
    ],
    ...figures,
  }
}

function memberTask(index: number): MemberTask {
  const { override, assignments, ...recorded } = task(index)
  const { assigned_at, assigned_by, ended_at, ...terms } = assignments[0]!
  return {
    ...{ playlist_id: recorded.playlist_id, assigned_at, assigned_by, ended_at, occurrences, sessions: 3 },
    ...{ due: terms.due, recurrence: terms.recurrence, conditions: terms.conditions },
    override: override && { kind: override.kind, at: override.at, by: override.by },
    ...{ completed: recorded.completed, completed_at: recorded.completed_at, completion_rate: 66.6 },
    ...{ completed_videos: recorded.completed_videos, total_videos: recorded.total_videos, ...figures },
    ...{ present_occurrence: recorded.present_occurrence, all_attempts: recorded.all_attempts },
  }
}

function totals(tasks: number) {
  return {
    ...{ tasks, completed_tasks: 1, marked_done_tasks: 0, exempt_tasks: 1, videos: tasks * 3 },
    ...{ completed_videos: tasks, sessions: tasks * 3, ...figures, all_attempts: allAttempts },
  }
}

function record(person: number, taskCount: number, period: ContentOf<'watchline.record.1'>['period']): Content {
  return {
    ...{ format: 'watchline.record.1', time_zone: 'Europe/Berlin', period, person, totals: totals(taskCount) },
    tasks: Array.from({ length: taskCount }, (_, index) => task(index)),
  }
}

function groupRecord(): Content {
  const tasks = Array.from({ length: 4 }, (_, index) => task(index))
  return {
    ...{ format: 'watchline.group_record.1', time_zone: 'Europe/Berlin', period: everything, playlist_id: null },
    ...{ group: { id: 'g', name: 'Warehouse & <North> 東' }, members: { at: 'issue', total: 20, left_out: 5 } },
    playlists: tasks.map(({ playlist_id, title, deleted }) => ({ playlist_id, title, deleted })),
    records: people.map((_, person) => ({
      ...{ person, tasks: tasks.slice(person % 5).map((_, index) => memberTask(index)), ...figures },
    })),
    totals: totals(tasks.length),
  }
}

function certificate(person: number, valid_until?: string): Content {
  return {
    ...{ format: 'watchline.certificate.1', time_zone: 'Europe/Berlin', person, playlist_id: 'task-0' },
    ...{ title: `Fire safety & <first> aid: ${names[person]}`, completed_at: time(12), ...figures },
    ...(valid_until !== undefined && { valid_until }),
  }
}

/** `named` lacks erased people. The signature is empty, because no PDF shows it. */
function issue(
  number: number,
  kind: IssuedKind,
  content: Content,
  everybody: IssuedPerson[] = people,
  named: IssuedPerson[] = everybody,
): IssuedDocument {
  return issuedDocument.parse({
    record: { ...content, code: '0123456789ABCDEFGHJK', people: everybody.map(hashOf) },
    people: named,
    seal: {
      ...{ format: 'watchline.seal.1', number, kind, issued_at: time(25), key_id: 'key' },
      ...{ record_sha256: '0'.repeat(64), previous_sha256: '0'.repeat(64) },
    },
    signature: '',
  })
}

/** By the name of the file. */
export const documents: Record<string, IssuedDocument> = {
  'record.pdf': issue(1, 'record', record(8, 16, everything)),
  'record-empty-period.pdf': issue(2, 'record', record(1, 0, { from: '2026-02-01', until: '2026-02-28' })),
  'record-one-task.pdf': issue(3, 'record', record(4, 1, everything)),
  'record-erased.pdf': issue(4, 'record', record(5, 2, everything), people, people.slice(0, 5)),
  'group-record.pdf': issue(5, 'group_record', groupRecord(), members),
  ...Object.fromEntries(
    names.map((_, person) => [
      `certificate-${person + 1}.pdf`,
      issue(person + 6, 'certificate', certificate(person, person % 2 === 0 ? time(60) : undefined)),
    ]),
  ),
}
