import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { RecordPeriod, SessionFact } from '../rules/record/compose-record.ts'

interface StoredSession {
  /** Person and fencing token. */
  _id: string
  person_id: string
  playlist_id: string
  started_at?: Date
  ended_at?: Date
  reason?: SessionFact['reason']
  /** The time of the latest event, for the retention. */
  at: Date
}

/** An event about a session. Absent fields are not known from it. */
export interface SessionChange {
  personId: string
  playlistId: string
  fence: number
  startedAt?: Date | undefined
  endedAt?: Date
  reason?: SessionFact['reason']
}

/** Sessions of one task or of all, which were open at any moment of the period. */
export interface SessionQuery {
  playlistId: string | undefined
  period: RecordPeriod
}

/** The monitored sessions of people, for records. The order of events does not matter. */
export interface MonitoredSessionStore {
  put(change: SessionChange, session: ClientSession): Promise<void>
  /**
   * A person's sessions, or those of one task, latest first. Sessions that are not over count for
   * every period after their start.
   */
  listOf(personId: string, query: SessionQuery & { limit: number }): Promise<SessionFact[]>
  /** The sessions of people by person, in no order. */
  listOfMany(personIds: readonly string[], query: SessionQuery): Promise<Map<string, SessionFact[]>>
  removeOf(personId: string): Promise<void>
}

/** Sessions are deleted after the same time as at their owner. */
export function createMonitoredSessionStore(connection: Connection, retentionS: number): MonitoredSessionStore {
  const schema = new Schema<StoredSession>(
    {
      ...{ _id: String, person_id: String, playlist_id: String, started_at: Date, ended_at: Date, reason: String },
      at: Date,
    },
    { versionKey: false, collection: 'monitored_sessions' },
  )
  // For `listOf`.
  schema.index({ person_id: 1, at: -1 })
  schema.index({ at: 1 }, { expireAfterSeconds: retentionS, name: 'kept' })
  const stored = connection.model<StoredSession>('MonitoredSession', schema)

  return {
    put: async ({ personId, playlistId, fence, startedAt, endedAt, reason }, session) => {
      await stored.updateOne(
        { _id: `${personId}:${fence}` },
        {
          $set: {
            ...{ person_id: personId, playlist_id: playlistId },
            ...(startedAt && { started_at: startedAt }),
            ...(endedAt && { ended_at: endedAt, reason }),
          },
          $max: { at: endedAt ?? startedAt ?? new Date(0) },
        },
        { upsert: true, session },
      )
    },
    listOf: async (personId, { limit, ...query }) => {
      const rows = await stored
        .find({ person_id: personId, ...filterSessions(query) })
        .sort({ at: -1 })
        .limit(limit)
        .lean()
      return rows.map(fromRow)
    },
    listOfMany: async (personIds, query) => {
      const rows = await stored.find({ person_id: { $in: [...personIds] }, ...filterSessions(query) }).lean()
      const byPerson = Map.groupBy(rows, row => row.person_id)
      return new Map([...byPerson].map(([personId, own]) => [personId, own.map(fromRow)]))
    },
    removeOf: async personId => {
      await stored.deleteMany({ person_id: personId })
    },
  }
}

function filterSessions({ playlistId, period: { from, until } }: SessionQuery) {
  return {
    ...(playlistId !== undefined && { playlist_id: playlistId }),
    $nor: [
      ...(Number.isFinite(from) ? [{ ended_at: { $lt: new Date(from) } }] : []),
      { started_at: { $gte: new Date(Number.isFinite(until) ? until : 8.64e15) } },
    ],
  }
}

function fromRow({ playlist_id, started_at, ended_at, reason }: StoredSession): SessionFact {
  return {
    playlistId: playlist_id,
    startedAt: started_at?.getTime() ?? null,
    endedAt: ended_at?.getTime() ?? null,
    reason: reason ?? null,
  }
}
