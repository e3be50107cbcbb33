import { overrideAction } from '@watchline/contracts/fields'
import type {
  AllAttempts,
  RecordedAttempt,
  RecordedException,
  RecordedFigures,
  RecordedSession,
  RecordedTask,
  RecordedVideo,
  WatchingRecord,
} from '@watchline/contracts/records'
import type { Attempt, VideoOverview } from '../overview.ts'
import { creditedSeconds, isoTime, roundRanges, roundToHundredth, sumHundredths } from '../summary.ts'
import {
  type EndedOccurrence,
  type FindNextDue,
  findExpiry,
  findPresentOccurrence,
  listOccurrences,
  presentEndedOccurrence,
} from './occurrences.ts'
import { toPrintable } from './printable-text.ts'
import type { RecordedPlaylist } from './recorded-playlist.ts'
import { findTaskCompletion } from './task-completion.ts'
import { listAssignmentPeriods, type PresentTask, presentAssignmentPeriod, type TaskFact } from './task-history.ts'

/** A monitored session. Instants are in ms; `endedAt` is null while it is open. */
export interface SessionFact {
  playlistId: string
  startedAt: number | null
  endedAt: number | null
  reason: RecordedSession['reason']
}

/** Instants in ms; `until` is not included. */
export interface RecordPeriod {
  from: number
  until: number
}

/** The period without bounds. */
export const allTime: RecordPeriod = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/** All that the record of a person is made from. */
export interface RecordSource {
  personId: string
  period: RecordPeriod
  playlists: readonly RecordedPlaylist[]
  /** Oldest first. */
  facts: readonly TaskFact[]
  sessions: readonly SessionFact[]
  /** The tasks that the person has now, by playlist. */
  present: ReadonlyMap<string, PresentTask>
  findNextDue: FindNextDue
}

/** The calculated part of a record, with the ids of the people in the order of their indexes. */
export interface ComposedRecord extends Pick<WatchingRecord, 'tasks' | 'totals'> {
  personIds: string[]
}

type IndexOf = (personId: string | null) => number | null

/**
 * The one calculation behind the JSON and the PDF of a record. Its figures are those of
 * `summarisePlaylist`, as on every screen. Sums are made of rounded parts, so they add up exactly.
 */
export function composeRecord(source: RecordSource): ComposedRecord {
  const personIds = [source.personId]
  const indexOf: IndexOf = personId => {
    if (personId === null) return null
    const index = personIds.indexOf(personId)
    return index < 0 ? personIds.push(personId) - 1 : index
  }
  const facts = Map.groupBy(source.facts, ({ playlistId }) => playlistId)
  const sessions = Map.groupBy(source.sessions, ({ playlistId }) => playlistId)
  const tasks = source.playlists.flatMap(playlist => {
    const { id } = playlist.overview.playlist
    return composeTask(source, playlist, facts.get(id) ?? [], sessions.get(id) ?? [], indexOf)
  })
  const videos = tasks.flatMap(task => task.videos)
  const earlierAttempts = tasks.flatMap(task => task.earlier_attempts)
  return {
    personIds,
    tasks,
    totals: {
      tasks: tasks.length,
      completed_tasks: tasks.filter(({ completed }) => completed).length,
      marked_done_tasks: tasks.filter(({ override }) => override?.kind === 'marked_done').length,
      exempt_tasks: tasks.filter(({ override }) => override?.kind === 'exempt').length,
      videos: videos.length,
      completed_videos: videos.filter(({ completed }) => completed).length,
      sessions: tasks.reduce((count, task) => count + task.sessions.length, 0),
      ...sumFigures(tasks),
      watch_time: sumFigures([...tasks, ...earlierAttempts]).watch_time,
      all_attempts: sumAllAttempts(tasks),
    },
  }
}

/** The task as a list of one, or an empty list if nothing of it lies in the period. */
function composeTask(
  { period, present, findNextDue }: RecordSource,
  { overview, earlierAttempts, ...closing }: RecordedPlaylist,
  facts: readonly TaskFact[],
  allSessions: readonly SessionFact[],
  indexOf: IndexOf,
): RecordedTask[] {
  const { playlist } = overview
  const assignments = listAssignmentPeriods(facts, present.get(playlist.id), playlist.deletedAt)
  const { completed, completedAt } = findTaskCompletion(facts, overview)
  // A playlist that grew after its completion may be closed by hand, too.
  const override = completed ? null : closing.override
  const validUntil = findExpiry(facts, completedAt, findNextDue)
  const occurrences = listOccurrences(facts).filter(occurrence => isOccurrenceIn(period, occurrence))
  const closedAt = completedAt ?? (override && Date.parse(override.at))
  const sessions = allSessions
    .filter(({ startedAt, endedAt }) => overlaps(period, startedAt ?? endedAt, endedAt))
    .sort((left, right) => (left.startedAt ?? 0) - (right.startedAt ?? 0))
  const videos = composeVideos(period, overview)
  const attempts = earlierAttempts.map(attempt => composeAttempt(period, attempt))
  const presentOccurrence = findPresentOccurrence(facts, present.get(playlist.id))
  const isInPeriod =
    sessions.length > 0 ||
    occurrences.length > 0 ||
    [...videos, ...attempts].some(({ credited_in_period }) => credited_in_period > 0) ||
    [...facts.map(({ at }) => at), closedAt].some(at => at !== null && isWithin(period, at)) ||
    assignments.some(({ assignedAt, endedAt }) => overlaps(period, assignedAt, endedAt ?? closedAt))
  if (!isInPeriod) return []
  return [
    {
      playlist_id: playlist.id,
      title: toPrintable(playlist.title) || 'Deleted playlist',
      deleted: playlist.deletedAt !== null,
      assignments: assignments.map(assignment => presentAssignmentPeriod(assignment, indexOf)),
      override: override && {
        ...{ kind: override.kind, at: override.at, by: indexOf(override.by?.id ?? null) },
        reason: toPrintable(override.reason),
      },
      exceptions: listExceptions(facts, indexOf),
      completed,
      completed_at: isoTime(completedAt),
      ...(validUntil !== null && { valid_until: new Date(validUntil).toISOString() }),
      completion_rate: overview.completionRate,
      completed_videos: overview.completedVideos,
      total_videos: overview.totalVideos,
      ...sumFigures(videos),
      videos,
      ...(occurrences.length > 0 && { occurrences: occurrences.map(presentEndedOccurrence) }),
      ...(presentOccurrence && { present_occurrence: presentOccurrence }),
      earlier_attempts: attempts,
      ...((attempts.length > 0 || occurrences.length > 0) && {
        all_attempts: addAttempts(videos, attempts, occurrences),
      }),
      sessions: sessions.map(({ startedAt, endedAt, reason }) => ({
        started_at: isoTime(startedAt),
        ended_at: isoTime(endedAt),
        reason,
      })),
    },
  ]
}

/** As in reports. An occurrence that never opened belongs to the time of its due date. */
function isOccurrenceIn(period: RecordPeriod, { openedAt, closedAt, endedAt, due }: EndedOccurrence): boolean {
  return openedAt === null ? isWithin(period, Date.parse(due.at)) : isTaskIn(period, openedAt, closedAt ?? endedAt)
}

/**
 * Whether a task was open or was closed at any moment of the period. The start is null if it is
 * unknown, and the end is null of an open task.
 */
export function isTaskIn(period: RecordPeriod, startedAt: number | null, closedAt: number | null): boolean {
  // It may have been completed before it was assigned, or have passed without opening.
  if (startedAt !== null && closedAt !== null && closedAt <= startedAt) return isWithin(period, startedAt)
  return overlaps(period, startedAt, closedAt)
}

function listExceptions(facts: readonly TaskFact[], indexOf: IndexOf): RecordedException[] {
  return facts.flatMap(({ kind, at, by, reason }) => {
    const action = overrideAction.safeParse(kind)
    if (!action.success) return []
    return [{ action: action.data, at: new Date(at).toISOString(), by: indexOf(by), reason: toPrintable(reason) }]
  })
}

function composeAttempt(period: RecordPeriod, attempt: RecordedPlaylist['earlierAttempts'][number]): RecordedAttempt {
  const watched = attempt.videos.filter(({ lastReportAt }) => lastReportAt !== null)
  const videos = composeVideos(period, { ...attempt, videos: watched })
  return {
    ended_at: new Date(attempt.endedAt).toISOString(),
    ...(attempt.endedDue && { occurrence_due: attempt.endedDue }),
    completion_rate: attempt.completionRate,
    completed: attempt.completed,
    ...sumFigures(videos),
    videos,
  }
}

function composeVideos(period: RecordPeriod, { videos, removed }: Attempt): RecordedVideo[] {
  return [
    ...videos.map(video => composeVideo(period, video, false)),
    ...removed.map(video => composeVideo(period, video, true)),
  ]
}

function composeVideo(period: RecordPeriod, { video, ...summary }: VideoOverview, removed: boolean): RecordedVideo {
  const credited = creditedSeconds(summary.watched)
  return {
    video_id: video.id,
    title: toPrintable(video.title),
    length: roundToHundredth(video.duration),
    unavailable: video.unavailable,
    removed,
    completion_rate: summary.completionRate,
    completed: summary.completed,
    completed_at: isoTime(summary.completedAt),
    watch_time: summary.watchTime,
    credited_seconds: credited,
    credited_in_period: creditedWithin(period, credited, summary.creditHistory),
    ranges: roundRanges(summary.watched),
    notes: summary.notes.map(({ code, times, seconds }) => ({ code, times, seconds })),
  }
}

/**
 * The part of the credited seconds of a video that was credited in the period. The history has a
 * point at the first credit of each quarter of an hour. Days are exact while the history has room
 * for all points. Periods that follow each other add up to the credited seconds.
 */
export function creditedWithin(
  { from, until }: RecordPeriod,
  credited: number,
  creditHistory: VideoOverview['creditHistory'],
): number {
  const newest = creditHistory.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY
  const upTo = (instant: number) =>
    newest < instant ? credited : Math.min(credited, creditHistory.findLast(([at]) => at < instant)?.[1] ?? 0)
  return roundToHundredth(Math.max(0, upTo(until) - upTo(from)))
}

export function isWithin({ from, until }: RecordPeriod, at: number): boolean {
  return at >= from && at < until
}

/** Whether a time has an instant in the period. `end` is null for one that has not ended. */
export function overlaps({ from, until }: RecordPeriod, start: number | null, end: number | null): boolean {
  return (start ?? Number.NEGATIVE_INFINITY) < until && (end ?? Number.POSITIVE_INFINITY) >= from
}

function addAttempts(
  videos: readonly RecordedVideo[],
  attempts: readonly RecordedAttempt[],
  occurrences: readonly EndedOccurrence[],
): AllAttempts {
  const { credited_seconds, credited_in_period } = sumFigures([...videos, ...attempts])
  const count = (outcome: EndedOccurrence['outcome']) => occurrences.filter(found => found.outcome === outcome).length
  return {
    ...{ credited_seconds, credited_in_period, completed_occurrences: count('completed') },
    ...{ marked_done_occurrences: count('marked_done'), exempt_occurrences: count('exempt') },
    missed_occurrences: count('missed'),
  }
}

type PartialFigures = Pick<RecordedFigures, 'credited_seconds' | 'credited_in_period'> & {
  all_attempts?: AllAttempts | undefined
}

/** The sums over tasks or members; those without earlier attempts count with their figures. */
export function sumAllAttempts(parts: readonly PartialFigures[]): AllAttempts {
  const figures = parts.map(({ credited_seconds, credited_in_period, all_attempts }) => ({
    ...{ ...noOccurrences, credited_seconds, credited_in_period, ...all_attempts },
  }))
  const sum = (name: keyof AllAttempts) => sumHundredths(figures.map(part => part[name]))
  return {
    ...{ credited_seconds: sum('credited_seconds'), credited_in_period: sum('credited_in_period') },
    ...{ completed_occurrences: sum('completed_occurrences'), missed_occurrences: sum('missed_occurrences') },
    marked_done_occurrences: sum('marked_done_occurrences'),
    exempt_occurrences: sum('exempt_occurrences'),
  }
}

const noOccurrences = {
  ...{ completed_occurrences: 0, marked_done_occurrences: 0, exempt_occurrences: 0, missed_occurrences: 0 },
}

function sumFigures(parts: readonly RecordedFigures[]): RecordedFigures {
  return {
    watch_time: sumHundredths(parts.map(part => part.watch_time)),
    credited_seconds: sumHundredths(parts.map(part => part.credited_seconds)),
    credited_in_period: sumHundredths(parts.map(part => part.credited_in_period)),
  }
}
