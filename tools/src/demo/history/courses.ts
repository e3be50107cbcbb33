import { assignPlaylist } from '@watchline/contracts/assignments'
import { readAllNotifications } from '@watchline/contracts/notification'
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
 * One for each team: some people are done, one is behind, one has a gap, and one skips. In the first
 * team one is stuck: they get no task today, because a new task restarts the time to act.
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

/** The first lessons were assigned so many days ago. The one after them is assigned today. */
const daysOfLessons = [27, 18, 9]

/** Every lesson is due this long after its assignment. The due dates of the first two have passed. */
const daysToComplete = 14

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
  for (const [team, { playlists: keys, attendance }] of courses.entries()) {
    for (const [lesson, key] of keys.entries()) {
      const playlist: DemoPlaylist = playlists[key]
      const playlistId = () => ids.get(key)!
      timeline.add(timeOf(lesson) + 10 * 60_000, () =>
        call(supervisors[team]!, assignPlaylist, {
          params: { id: playlistId() },
          body: {
            assigned_users: teamOf(team)
              .filter((_, index) => attendance[index]?.[lesson] !== 'unassigned')
              .map(idOf),
            due: dueOf(lesson),
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
