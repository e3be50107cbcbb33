import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { makePersonSnapshot } from '@watchline/testing/harness'
import type mongoose from 'mongoose'
import { type VideoWatch, videoKey } from '../../../services/engagement/src/rules/watch-state.ts'
import { assignmentKey, type StoredAssignment } from '../../../services/playback-session/src/store/stored-assignment.ts'
import { insertDocuments, toProjectedPerson } from './documents.ts'

export interface TaskSize {
  /** Trainees, in teams of ten. Ten supervisors have one manager. */
  trainees: number
  playlists: number
  tasksPerTrainee: number
  /** Tasks whose reminder is due when the service starts. */
  reminders: number
}

export interface TaskOrganisation {
  trainees: PersonSnapshot[]
  supervisors: PersonSnapshot[]
  managers: PersonSnapshot[]
  director: PersonSnapshot
  playlistIds: string[]
}

type Databases = Record<'playback' | 'engagement', mongoose.mongo.Db>

const teamSize = 10
const videoLengthS = 600
const dayMs = 86_400_000
const insertAtOnce = 500

/**
 * Inserts people and their tasks as both services store them. Of ten tasks six are completed, and
 * one of these repeats every year. One is overdue, one is due within days, one later, and one has
 * no due date.
 */
export async function insertTasks(databases: Databases, size: TaskSize, now: number): Promise<TaskOrganisation> {
  const director = makePersonSnapshot({ role: 'director' })
  const supervisorCount = Math.ceil(size.trainees / teamSize)
  const managers = Array.from({ length: Math.ceil(supervisorCount / 10) }, () =>
    makePersonSnapshot({ role: 'manager' }),
  )
  const supervisors = Array.from({ length: supervisorCount }, (_, index) =>
    makePersonSnapshot({ role: 'supervisor', manager_id: managers[Math.floor(index / 10)]!.id }),
  )
  const trainees = Array.from({ length: size.trainees }, (_, index) =>
    makePersonSnapshot({ role: 'user', supervisor_id: supervisors[Math.floor(index / teamSize)]!.id }),
  )
  const playlistIds = Array.from({ length: size.playlists }, newId)
  await insertPlaylists(databases, playlistIds, director.id, now)
  const people = [director, ...managers, ...supervisors, ...trainees].map(toProjectedPerson)
  await insertDocuments(databases.playback, 'people', people)
  await insertDocuments(databases.engagement, 'people', people)
  let remindersLeft = size.reminders
  for (let first = 0; first < trainees.length; first += insertAtOnce) {
    const tasks = trainees.slice(first, first + insertAtOnce).map((trainee, index) =>
      Array.from({ length: size.tasksPerTrainee }, (_, number) => {
        const playlistId = playlistIds[(first + index + number) % playlistIds.length]!
        const task = makeTask(trainee, playlistId, { number, assignedBy: director.id, now })
        const isDueSoon = number % 10 === 7
        if (isDueSoon && remindersLeft-- > 0) return { ...task, next_reminder_at: new Date(now - 60_000) }
        return task
      }),
    )
    await insertDocuments(databases.playback, 'assignments', tasks.flat())
    await insertDocuments(databases.engagement, 'assignments', tasks.flat().map(toProjectedTask))
    await insertDocuments(databases.engagement, 'watchers', tasks.map(makeWatcher))
  }
  return { trainees, supervisors, managers, director, playlistIds }
}

async function insertPlaylists({ playback, engagement }: Databases, ids: string[], owner: string, now: number) {
  const video = { id: 'v0', title: 'Video', duration: videoLengthS, unavailable: false }
  const common = (_id: string, index: number) => ({
    ...{ _id, title: `Playlist ${index}`, created_by: owner, shared_with: [] },
  })
  await insertDocuments(
    playback,
    'playlists',
    ids.map((id, index) => ({
      ...common(id, index),
      ...{ description: '', videos: [{ ...video, provider: 'file', url: '/media/video.mp4' }] },
      ...{ total_duration: videoLengthS, source: null, revision: 1, created_at: new Date(now - index * 1_000) },
    })),
  )
  await insertDocuments(
    engagement,
    'playlists',
    ids.map((id, index) => ({ ...common(id, index), videos: [video] })),
  )
}

function makeTask(
  { id: personId }: PersonSnapshot,
  playlistId: string,
  { number, assignedBy, now }: { number: number; assignedBy: string; now: number },
): StoredAssignment {
  const kind = number % 10
  const isCompleted = kind < 6
  const dueInDays = isCompleted ? -10 - number : [-2, 3, 40, null][kind - 6]!
  const due = dueInDays === null ? null : new Date(now + dueInDays * dayMs)
  return {
    _id: assignmentKey(personId, playlistId),
    person_id: personId,
    playlist_id: playlistId,
    assigned_by: assignedBy,
    assigned_date: new Date(now - (60 + number) * dayMs),
    status: isCompleted ? 'completed' : 'assigned',
    completed_at: isCompleted ? new Date(now - (12 + number) * dayMs) : null,
    due_at: due,
    due_local: due?.toISOString().slice(0, 16) ?? null,
    due_time_zone: due && 'UTC',
    // Reminders come one day before a due date, and none after it is left.
    next_reminder_at: due && !isCompleted && due.getTime() > now ? new Date(due.getTime() - dayMs) : null,
    ...(kind === 0 && {
      recurrence: {
        ...{ interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 },
        first_due: due!.toISOString().slice(0, 16),
      },
      next_occurrence_at: new Date(now + 300 * dayMs),
    }),
  }
}

function toProjectedTask({ _id, person_id, playlist_id, assigned_date, due_at }: StoredAssignment) {
  return { _id, person_id, playlist_id, assigned: true, at: assigned_date, due_at, due_changed_at: assigned_date }
}

/** Completed tasks are watched, of open ones each second is watched in part. */
function makeWatcher(tasks: readonly StoredAssignment[]) {
  const videos = tasks.flatMap(({ playlist_id, completed_at }, number): [string, VideoWatch][] => {
    const share = completed_at ? 1 : number % 2 === 0 ? 0.3 : 0
    if (share === 0) return []
    const watchTime = share * videoLengthS
    const lastReportAt = (completed_at ?? tasks[0]!.assigned_date).getTime()
    return [
      [
        videoKey(playlist_id, 'v0'),
        {
          ...{ intervals: [[0, watchTime]], watchTime, duration: videoLengthS, notes: {} },
          ...{ completedAt: completed_at && lastReportAt, lastReportAt },
        },
      ],
    ]
  })
  return {
    ...{ _id: tasks[0]!.person_id, version: videos.length, balance: 0, holds: [], forgottenTo: 0 },
    ...{ waiting: [], anchors: [], seen: [], videos: Object.fromEntries(videos) },
  }
}
