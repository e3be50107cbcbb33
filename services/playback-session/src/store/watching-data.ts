import type { PersonalDataParts } from '@watchline/identity/personal-data'
import { fullScan } from '@watchline/kit/mongo/database'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'
import { filterOwnTasks } from './uncompletable-tasks.ts'

export type WatchingData = ReturnType<typeof createWatchingData>

/** The documents that this service stores of a person, as they are stored, without lock numbers. */
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
        former_leaders: readRows(connection, 'former_leaders', { _id: personId }),
        task_groups: readRows(connection, 'group_members', own),
        reminders: readRows(connection, 'reminders', { _id: personId }),
        videos_reported: readRows(
          connection,
          'unavailable_reports',
          { 'reports.person_id': personId },
          { projection: { playlist_id: 1, video_id: 1, 'reports.$': 1 }, ...fullScan },
        ),
      }
      for (const [kind, rows] of Object.entries(parts)) for await (const data of rows) yield { kind, data }
    },
  }
}
