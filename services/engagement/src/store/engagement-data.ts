import type { PersonalDataParts } from '@watchline/identity/personal-data'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'

export type EngagementData = ReturnType<typeof createEngagementData>

/** Comments and reports of a person, as they are stored. */
export function createEngagementData(connection: Connection) {
  return {
    read: async function* (personId: string): PersonalDataParts {
      const parts = {
        comments: readRows(connection, 'comments', { person_id: personId }, { hint: 'of_author' }),
        task_history: readRows(connection, 'task_facts', { person_id: personId }),
        recorded_sessions: readRows(connection, 'monitored_sessions', { person_id: personId }),
        issued_records: readRows(connection, 'issued_records', { person_id: personId }),
        saved_reports: readRows(connection, 'saved_reports', { owner_id: personId }),
        received_reports: readRows(
          connection,
          'saved_reports',
          { recipient_ids: personId, owner_id: { $ne: personId } },
          { projection: { name: 1, schedule: 1, next_send_at: 1 } },
        ),
        detail_views: readRows(connection, 'detail_views', { person_id: personId }),
        player_reports: readRows(connection, 'reports', { person_id: personId }, { projection: { _id: 0 } }),
      }
      for (const [kind, rows] of Object.entries(parts)) for await (const data of rows) yield { kind, data }
    },
  }
}
