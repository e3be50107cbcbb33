import type { PersonalDataParts } from '@watchline/identity/personal-data'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'

export type EngagementData = ReturnType<typeof createEngagementData>

/** The stored data of a person in this service beside the watch record, in the stored form. */
export function createEngagementData(connection: Connection) {
  return {
    read: async function* (personId: string): PersonalDataParts {
      const parts = {
        comments: readRows(connection, 'comments', { person_id: personId }, { hint: 'of_author' }),
        task_history: readRows(connection, 'task_facts', { person_id: personId }),
        recorded_sessions: readRows(connection, 'monitored_sessions', { person_id: personId }),
        issued_records: readRows(connection, 'issued_records', { person_id: personId }),
        // The other people's parts of such a record are theirs.
        named_in_records: readRows(
          connection,
          'issued_records',
          { 'people.id': personId, person_id: { $ne: personId } },
          { projection: { code: 1, kind: 1, group_id: 1, 'seal.issued_at': 1, 'people.$': 1 } },
        ),
        attention_checks: readRows(
          connection,
          'watchers',
          { _id: personId, attention: { $ne: null } },
          { projection: { _id: 0, attention: 1 } },
        ),
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
