import { type ClientSession, type Connection, Schema } from 'mongoose'

export type StopReason = 'released' | 'taken_over' | 'signed_out' | 'expired'

/** A monitored session: one person watches one playlist in one login session. */
export interface MonitoredSession {
  id: string
  personId: string
  sid: string
  playlistId: string
  fence: number
  startedAt: Date
  /**
   * The latest recorded evidence of activity. Progress and the live store may hold later evidence.
   */
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
  /** Absent after the end, so that the partial indexes hold open sessions only. */
  open?: true
  ended_at?: Date
  reason?: StopReason
}

interface StoredFence {
  _id: string
  /** The last fencing token that was issued. */
  fence: number
  /** The fencing token of the session that was opened last. */
  held: number
  /** Write sequence: makes each claim a write, so that concurrent claims conflict. */
  turn: number
}

export interface MonitoringStore {
  /** Issues a fencing token higher than all earlier ones of this person. */
  nextFence(personId: string): Promise<number>
  /** False if a session with a higher fencing token was opened. Concurrent claims conflict. */
  claimFence(personId: string, fence: number, session: ClientSession): Promise<boolean>
  open(session: MonitoredSession, tx: ClientSession): Promise<void>
  /** False if the session has ended already. */
  close(id: string, at: Date, reason: StopReason, tx: ClientSession): Promise<boolean>
  /** The person's open session; there is at most one. */
  findOpen(personId: string, tx?: ClientSession): Promise<MonitoredSession | undefined>
  /** The open sessions on a playlist: all, or those of the given people. */
  findOpenOn(playlistId: string, personIds?: readonly string[]): Promise<MonitoredSession[]>
  /** The person's latest session, open or ended. */
  findLatest(personId: string): Promise<MonitoredSession | undefined>
  /** The person's latest sessions with their ends, latest first. */
  findLatestSessions(personId: string, limit: number): Promise<(MonitoredSession & { endedAt: Date | null })[]>
  /** The number of the person's sessions, open and ended. */
  countFor(personId: string): Promise<number>
  /** Removes all ended sessions of a person. */
  removeEndedOf(personId: string): Promise<void>
  /** Open sessions without recorded evidence after `before`. */
  findSilent(before: Date, limit: number): Promise<MonitoredSession[]>
  /** Never moves a session's evidence back in time. */
  recordEvidence(evidence: readonly { id: string; at: Date }[]): Promise<void>
}

/** Ended sessions are deleted after `retentionS`. */
export function createMonitoringStore(connection: Connection, retentionS: number): MonitoringStore {
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
  schema.index({ ended_at: 1 }, { expireAfterSeconds: retentionS })
  const stored = connection.model<StoredSession>('MonitoredSession', schema)
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
    claimFence: async (personId, fence, session) => {
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
    findOpen: async (personId, session) => {
      const row = await stored.findOne({ person_id: personId, open: true }, null, session && { session }).lean()
      return row ? toSession(row) : undefined
    },
    findOpenOn: async (playlistId, personIds) => {
      const people = personIds && { person_id: { $in: [...personIds] } }
      return (await stored.find({ playlist_id: playlistId, open: true, ...people }).lean()).map(toSession)
    },
    findLatest: async personId => {
      const row = await stored.findOne({ person_id: personId }).sort({ started_at: -1, fence: -1 }).lean()
      return row ? toSession(row) : undefined
    },
    findLatestSessions: async (personId, limit) => {
      const rows = await stored.find({ person_id: personId }).sort({ started_at: -1, fence: -1 }).limit(limit).lean()
      return rows.map(row => ({ ...toSession(row), endedAt: row.ended_at ?? null }))
    },
    countFor: personId => stored.countDocuments({ person_id: personId }),
    removeEndedOf: async personId => {
      await stored.deleteMany({ person_id: personId, open: { $ne: true } })
    },
    findSilent: async (before, limit) => {
      const rows = await stored
        .find({ open: true, last_evidence_at: { $lt: before } })
        .sort({ last_evidence_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(toSession)
    },
    recordEvidence: async evidence => {
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

function toSession(row: StoredSession): MonitoredSession {
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
