import { maxOwnActs, type PersonalDataParts, readKinds } from '@watchline/identity/personal-data'
import { fullScan } from '@watchline/kit/mongo/database'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'
import { filterOwnTasks } from './uncompletable-tasks.ts'

export type WatchingData = ReturnType<typeof createWatchingData>

/**
 * The documents that this service stores of a person, as they are stored, without lock numbers, and
 * the person's acts as a superior.
 */
export function createWatchingData(connection: Connection) {
  return {
    read: async function* (personId: string): PersonalDataParts {
      const own = { person_id: personId }
      const parts = {
        tasks: readRows(connection, 'assignments', own),
        changes_of_due_dates: readRows(connection, 'assignment_changes', own),
        positions: readRows(connection, 'progress', own, { projection: { fence: 0 } }),
        monitored_sessions: readRows(connection, 'monitoring_sessions', own, { projection: { fence: 0 } }),
        notice_answers: readRows(connection, 'notice_answers', own),
        uncompletable_tasks: readRows(connection, 'uncompletable_tasks', filterOwnTasks(personId)),
        time_zones: readRows(connection, 'time_zones', { _id: personId }),
        former_leaders: readRows(connection, 'former_leaders', { _id: personId }),
        task_groups: readRows(connection, 'group_members', own),
        reminders: readRows(connection, 'reminders', { _id: personId }),
        ...readOwnActs(connection, personId),
        videos_reported: readRows(
          connection,
          'unavailable_reports',
          { 'reports.person_id': personId },
          { projection: { playlist_id: 1, video_id: 1, 'reports.$': 1 }, ...fullScan },
        ),
      }
      yield* readKinds(parts)
    },
  }
}

/**
 * The person's acts about playlists and tasks of others: whose, when, and in which words. The rest
 * of these documents belongs to the others.
 */
function readOwnActs(connection: Connection, personId: string) {
  const latest = (field: string) => ({ sort: { [field]: -1 as const }, limit: maxOwnActs })
  const ofOthers = { $ne: personId }
  return {
    own_playlists: readRows(
      connection,
      'playlists',
      { created_by: personId },
      { projection: { title: 1, description: 1, created_at: 1, shared_with: 1 }, ...latest('created_at') },
    ),
    own_deleted_playlists: readRows(
      connection,
      'deleted_playlists',
      { $or: [{ created_by: personId }, { deleted_by: personId }] },
      { projection: { title: 1, created_at: 1, deleted_at: 1 }, ...latest('deleted_at') },
    ),
    own_assignments: readRows(
      connection,
      'assignments',
      { assigned_by: personId, person_id: ofOthers },
      { projection: { person_id: 1, playlist_id: 1, assigned_date: 1 }, ...latest('assigned_date') },
    ),
    own_group_assignments: readRows(
      connection,
      'group_assignments',
      { $or: [{ assigned_by: personId }, { changed_by: personId }] },
      { projection: { playlist_id: 1, group_id: 1, assigned_at: 1, note: 1 }, ...latest('assigned_at') },
    ),
    own_task_changes: readRows(
      connection,
      'assignment_changes',
      { by: personId, person_id: ofOthers },
      { projection: { person_id: 1, playlist_id: 1, at: 1, action: 1, reason: 1 }, ...latest('at') },
    ),
  }
}
