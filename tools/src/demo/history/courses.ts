import { randomUUID } from 'node:crypto'
import { assignPlaylist, overrideTask } from '@watchline/contracts/assignments'
import type { ConditionsInput } from '@watchline/contracts/conditions'
import type { OverrideAction } from '@watchline/contracts/fields'
import { saveMailChoices } from '@watchline/contracts/mail'
import { readAllNotifications } from '@watchline/contracts/notification'
import type { RecurrenceInput } from '@watchline/contracts/recurrence'
import { organisation, supervisors, teamOf } from '../people.ts'
import { type DemoPlaylist, type PlaylistKey, playlists } from '../playlists.ts'
import type { Simulation } from './simulation.ts'
import type { DemoCalendar, Timeline } from './timeline.ts'
import { addViewing, type WatchWay } from './watching.ts'

/** The way each trainee of a team watched each of its playlists; undefined: not at all. */
type Attendance = readonly (readonly (WatchWay | 'unassigned' | undefined)[])[]

interface Course {
  /** In the order of assignment. */
  playlists: readonly PlaylistKey[]
  attendance: Attendance
}

/**
 * One for each team: some people are done, one is behind, one has a gap, and one skips. In the
 * first team one is stuck: they get no task today, because a new task restarts the time to act.
 */
const courses: readonly Course[] = [
  {
    playlists: ['welcome', 'calls', 'wholeCourse', 'refresher'],
    attendance: [
      ['full', 'full', 'full'],
      ['full', 'full', 'full', 'full'],
      ['full', 'half', undefined, 'unassigned'],
      ['full', 'full', 'full', 'half'],
      ['full', 'gap', 'gap'],
      ['full', 'full', 'skips'],
    ],
  },
  {
    playlists: ['welcome', 'calls', 'wholeCourse', 'refresher'],
    attendance: [
      ['full', 'full', 'full', 'full'],
      ['full', 'full', 'half'],
      ['full', 'gap'],
      ['full', 'full', 'full'],
      ['full'],
      ['half'],
    ],
  },
  {
    playlists: ['customers', 'everyFloor', 'incident'],
    attendance: [
      ['full', 'full', 'full'],
      ['full', 'full'],
      ['half', 'full'],
      ['skips', 'full', 'full'],
      ['full', 'full', 'full'],
      [],
    ],
  },
  {
    playlists: ['dataProtection', 'careful'],
    attendance: [['full', 'full'], ['full', 'half'], ['gap'], ['full', 'full'], ['full'], ['half']],
  },
]

/** Tasks of the first team that its supervisor closed without their videos. */
const exceptions = [
  { account: 'trainee5', playlist: 'calls', action: 'mark_done', reason: 'Practised the calls with me on Monday' },
  { account: 'trainee6', playlist: 'wholeCourse', action: 'exempt', reason: 'Holds the certificate of the course' },
] as const satisfies readonly { account: string; playlist: PlaylistKey; action: OverrideAction; reason: string }[]

/** The first lessons were assigned so many days ago. The one after them is assigned today. */
const daysOfLessons = [27, 18, 9]

/**
 * Every lesson is due this long after its assignment. The due dates of the first two have passed.
 */
const daysToComplete = 14

/** Tasks of the first team that repeat: one that everybody completed, and the one of today. */
const recurrences: Partial<Record<PlaylistKey, RecurrenceInput>> = {
  welcome: { interval: 1, unit: 'year', from: 'completion', opens_days_before: 30 },
  refresher: { interval: 3, unit: 'month', from: 'due_date', opens_days_before: 21 },
}

/**
 * Tasks of the first team with conditions: one that half of the team completed, and the one of
 * today.
 */
const conditions: Partial<Record<PlaylistKey, ConditionsInput>> = {
  wholeCourse: { required_percent: 95, grace_days: 7 },
  refresher: { required_percent: 95, grace_days: 3, max_rate: 1, attention_checks: true },
}

/**
 * The second team works in several countries, so its task of today is due at the same time on the
 * clocks of each person. Those who choose nothing have the time zone of the organisation.
 */
const personalZones = { team: 1, playlist: 'refresher', zones: { trainee8: 'Asia/Tokyo', trainee9: 'Asia/Seoul' } }

/** Ids of playlists that exist at this point of the history. */
export type PlaylistIds = Map<PlaylistKey, string>

/** Adds the playlists, their assignments and all watching. */
export function addCourses(
  timeline: Timeline,
  { call, idOf, addPlaylist, sendDueReminders }: Pick<Simulation, 'call' | 'idOf' | 'addPlaylist' | 'sendDueReminders'>,
  calendar: DemoCalendar,
): PlaylistIds {
  const ids: PlaylistIds = new Map()
  const timeOf = (lesson: number) => {
    const daysAgo = daysOfLessons[lesson]
    return daysAgo === undefined ? calendar.minutesAgo(100) : calendar.day(daysAgo, '08:30')
  }
  const sessionAt = (lesson: number, trainee: number) => {
    const daysAgo = daysOfLessons[lesson]
    return daysAgo === undefined ? calendar.minutesAgo(60) : calendar.day(daysAgo - 1 - (trainee % 3), '10:00')
  }

  const daysSinceDue = (lesson: number) => (daysOfLessons[lesson] ?? 0) - daysToComplete
  const dueOf = (lesson: number) => {
    const at = calendar.day(daysSinceDue(lesson), '17:00')
    return { local: new Date(at).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length) }
  }
  for (const lesson of daysOfLessons.keys()) {
    const days = daysSinceDue(lesson)
    if (days > 0) for (const daysAgo of [days + 1, days]) timeline.add(calendar.day(daysAgo, '17:00'), sendDueReminders)
  }

  for (const [key, lesson] of firstLessons()) {
    timeline.add(timeOf(lesson), async () => {
      ids.set(key, await addPlaylist(playlists[key]))
    })
  }
  for (const [account, time_zone] of Object.entries(personalZones.zones))
    timeline.add(calendar.day(5, '12:00'), () => call(account, saveMailChoices, { body: { time_zone } }))
  for (const [team, { playlists: keys, attendance }] of courses.entries()) {
    for (const [lesson, key] of keys.entries()) {
      const isPersonal = team === personalZones.team && key === personalZones.playlist
      const playlist: DemoPlaylist = playlists[key]
      const playlistId = () => ids.get(key)!
      timeline.add(timeOf(lesson) + 10 * 60_000, () =>
        call(supervisors[team]!, assignPlaylist, {
          params: { id: playlistId() },
          body: {
            assigned_users: teamOf(team)
              .filter((_, index) => attendance[index]?.[lesson] !== 'unassigned')
              .map(idOf),
            due: { ...dueOf(lesson), ...(isPersonal && { time_zone_of: 'person' as const }) },
            ...(team === 0 && { recurrence: recurrences[key], conditions: conditions[key] }),
          },
        }),
      )
      for (const [index, account] of teamOf(team).entries()) {
        const way = attendance[index]?.[lesson]
        if (way && way !== 'unassigned')
          addViewing(timeline, call, { account, playlist, playlistId, way, startsAt: sessionAt(lesson, index) })
      }
    }
  }
  for (const { account, playlist, action, reason } of exceptions)
    timeline.add(calendar.day(2, '15:00'), () =>
      call(supervisors[0]!, overrideTask, {
        params: { id: ids.get(playlist)! },
        body: { assigned_users: [idOf(account)], change_id: randomUUID(), action, reason },
      }),
    )
  for (const { email } of organisation.people)
    timeline.add(calendar.day(1, '16:30'), () => call(email.split('@')[0]!, readAllNotifications))
  return ids
}

/** The lesson in which a playlist is needed first. */
function firstLessons(): Map<PlaylistKey, number> {
  const lessons = new Map<PlaylistKey, number>()
  for (const { playlists: keys } of courses)
    for (const [lesson, key] of keys.entries()) lessons.set(key, Math.min(lesson, lessons.get(key) ?? lesson))
  return lessons
}
