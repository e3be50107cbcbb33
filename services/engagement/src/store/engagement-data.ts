import { maxOwnActs, type PersonalDataParts, readKinds } from '@watchline/identity/personal-data'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'

export type EngagementData = ReturnType<typeof createEngagementData>

/**
 * The stored data of a person in this service beside the watch record, in the stored form, and the
 * person's acts as a superior.
 */
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
        ...readOwnActs(connection, personId),
        player_reports: readRows(connection, 'reports', { person_id: personId }, { projection: { _id: 0 } }),
      }
      yield* readKinds(parts)
    },
  }
}

/**
 * The person's reviews of comments of others, with their own words, and the people whose details
 * they looked at. The issuer of a document is not stored; issuing one is a look at the details.
 */
function readOwnActs(connection: Connection, personId: string) {
  const latest = { limit: maxOwnActs }
  const videoFields = { playlist_id: 1, video_id: 1 }
  return {
    own_reviews: readRows(
      connection,
      'comments',
      { 'review.person_id': personId },
      {
        projection: { ...videoFields, 'review.at': 1, 'review.approved': 1, 'review.text': 1 },
        sort: { 'review.at': -1 },
        ...latest,
      },
    ),
    own_hidden_comments: readRows(
      connection,
      'comments',
      { 'hidden.person_id': personId },
      { projection: { ...videoFields, 'hidden.at': 1 }, sort: { 'hidden.at': -1 }, ...latest },
    ),
    own_detail_views: readRows(
      connection,
      'detail_views',
      { viewer_id: personId },
      { projection: { _id: 0, person_id: 1, what: 1, at: 1 }, sort: { at: -1 }, ...latest },
    ),
  }
}
