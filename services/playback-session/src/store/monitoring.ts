import { type ClientSession, type Connection, Schema } from 'mongoose'

export type StopReason = 'released' | 'taken_over' | 'signed_out' | 'expired'

/** A monitored session that has not ended. */
export interface MonitoringSession {
  id: string
  personId: string
  sid: string
  playlistId: string
  fence: number
  startedAt: Date
  /** The latest sign of life that was looked up; there may be later ones in the progress and the live store. */
  lastEvidenceAt: Date
}

interface StoredSession {
  _id: string
  person_id: string
  sid: string
  playlist_id: string
  fence: number
  started_at: Date
  last_evidence_at: Date
  /** Only while it lasts, so that the indexes hold nothing of the past. */
  open?: true
  ended_at?: Date
  reason?: StopReason
}

interface StoredFence {
  _id: string
  /** The last number given out. */
  fence: number
  /** The number of the latest session that was opened. */
  held: number
  turn: number
}

const keepEndedS = 90 * 24 * 3600

export interface MonitoringStore {
  /** A number higher than any this person had before. */
  nextFence(personId: string): Promise<number>
  /** False when a session with a higher number was opened. Of two at once one is asked to try again. */
  claim(personId: string, fence: number, session: ClientSession): Promise<boolean>
  open(session: MonitoringSession, tx: ClientSession): Promise<void>
  /** False when it has ended already. */
  close(id: string, at: Date, reason: StopReason, tx: ClientSession): Promise<boolean>
  /** The person's session that lasts. */
  current(personId: string, tx?: ClientSession): Promise<MonitoringSession | undefined>
  /** Those that last on a playlist: of everybody, or of these people. */
  openOn(playlistId: string, personIds?: readonly string[]): Promise<MonitoringSession[]>
  /** The person's session that was opened last, whether it lasts or not. */
  latest(personId: string): Promise<MonitoringSession | undefined>
  /** The person's latest, and when each ended; latest first. */
  recent(personId: string, limit: number): Promise<(MonitoringSession & { endedAt: Date | null })[]>
  /** Open ones of which nothing was heard after `before`, as far as was looked up. */
  silentSince(before: Date, limit: number): Promise<MonitoringSession[]>
  noteEvidence(evidence: readonly { id: string; at: Date }[]): Promise<void>
}

export function createMonitoringStore(connection: Connection): MonitoringStore {
  const schema = new Schema<StoredSession>(
    {
      _id: String,
      person_id: String,
      sid: String,
      playlist_id: String,
      fence: Number,
      started_at: Date,
      last_evidence_at: Date,
      open: Boolean,
      ended_at: Date,
      reason: String,
    },
    { versionKey: false, collection: 'monitoring_sessions' },
  )
  schema.index({ person_id: 1 }, { unique: true, partialFilterExpression: { open: true }, name: 'one_open_a_person' })
  schema.index({ person_id: 1, started_at: -1, fence: -1 })
  schema.index({ last_evidence_at: 1 }, { partialFilterExpression: { open: true }, name: 'silent' })
  schema.index({ playlist_id: 1 }, { partialFilterExpression: { open: true }, name: 'open_on' })
  schema.index({ ended_at: 1 }, { expireAfterSeconds: keepEndedS })
  const stored = connection.model<StoredSession>('MonitoringSession', schema)
  const fences = connection.model<StoredFence>(
    'Fence',
    new Schema<StoredFence>(
      { _id: String, fence: Number, held: Number, turn: Number },
      { versionKey: false, collection: 'fences' },
    ),
  )

  return {
    nextFence: async personId => {
      const row = await fences
        .findOneAndUpdate(
          { _id: personId },
          { $inc: { fence: 1 }, $setOnInsert: { held: 0, turn: 0 } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean()
      return row!.fence
    },
    claim: async (personId, fence, session) => {
      // The turn makes it a write also when the number stays, so that of two at once one waits for the other.
      const { matchedCount } = await fences.updateOne(
        { _id: personId, held: { $lte: fence } },
        { $set: { held: fence }, $inc: { turn: 1 } },
        { session },
      )
      return matchedCount === 1
    },
    open: async ({ id, personId, sid, playlistId, fence, startedAt, lastEvidenceAt }, session) => {
      await stored.create(
        [
          {
            _id: id,
            person_id: personId,
            sid,
            playlist_id: playlistId,
            fence,
            started_at: startedAt,
            last_evidence_at: lastEvidenceAt,
            open: true,
          },
        ],
        { session },
      )
    },
    close: async (id, at, reason, session) => {
      const { modifiedCount } = await stored.updateOne(
        { _id: id, open: true },
        { $set: { ended_at: at, reason }, $unset: { open: 1 } },
        { session },
      )
      return modifiedCount === 1
    },
    current: async (personId, session) => {
      const row = await stored.findOne({ person_id: personId, open: true }, null, session && { session }).lean()
      return row ? present(row) : undefined
    },
    openOn: async (playlistId, personIds) => {
      const people = personIds && { person_id: { $in: [...personIds] } }
      return (await stored.find({ playlist_id: playlistId, open: true, ...people }).lean()).map(present)
    },
    latest: async personId => {
      const row = await stored.findOne({ person_id: personId }).sort({ started_at: -1, fence: -1 }).lean()
      return row ? present(row) : undefined
    },
    recent: async (personId, limit) => {
      const rows = await stored.find({ person_id: personId }).sort({ started_at: -1, fence: -1 }).limit(limit).lean()
      return rows.map(row => ({ ...present(row), endedAt: row.ended_at ?? null }))
    },
    silentSince: async (before, limit) => {
      const rows = await stored
        .find({ open: true, last_evidence_at: { $lt: before } })
        .sort({ last_evidence_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(present)
    },
    noteEvidence: async evidence => {
      if (evidence.length === 0) return
      await stored.bulkWrite(
        evidence.map(({ id, at }) => ({
          updateOne: { filter: { _id: id, open: true }, update: { $max: { last_evidence_at: at } } },
        })),
        { ordered: false },
      )
    },
  }
}

function present(row: StoredSession): MonitoringSession {
  return {
    id: row._id,
    personId: row.person_id,
    sid: row.sid,
    playlistId: row.playlist_id,
    fence: row.fence,
    startedAt: row.started_at,
    lastEvidenceAt: row.last_evidence_at,
  }
}
