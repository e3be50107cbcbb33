import { type ClientSession, type Connection, Schema } from 'mongoose'

/**
 * The failed sign-ins of one administrator, or of unknown addresses, within a window. Times in ms.
 */
export interface FailedSignIns {
  id: string
  /** Null for addresses that no administrator has. */
  personId: string | null
  count: number
  firstAt: number
  lastAt: number
  /** At most `maxNetworks`. */
  networks: string[]
}

interface StoredWindow {
  _id: string
  person_id: string | null
  count: number
  first_at: Date
  last_at: Date
  networks: string[]
  closes_at: Date
  audited: boolean
}

const windowMs = 15 * 60_000
/** Clocks of replicas may differ by this much. */
const clockToleranceMs = 60_000
const maxNetworks = 20
const keptS = 90 * 24 * 3_600

export type FailedSignInStore = ReturnType<typeof createFailedSignInStore>

/**
 * Counts of failed sign-ins, apart from the audit log: thousands of guesses must not become
 * thousands of entries. A job writes one entry for each window. Windows are deleted after 90 days.
 */
export function createFailedSignInStore(connection: Connection) {
  const schema = new Schema<StoredWindow>(
    {
      _id: String,
      person_id: String,
      count: Number,
      first_at: Date,
      last_at: Date,
      networks: [String],
      closes_at: Date,
      audited: Boolean,
    },
    { versionKey: false, collection: 'failed_sign_ins' },
  )
  schema.index({ closes_at: 1 }, { expireAfterSeconds: keptS })
  schema.index({ audited: 1, closes_at: 1 }, { partialFilterExpression: { audited: false }, name: 'unaudited' })
  schema.index({ person_id: 1, last_at: -1 })
  const model = connection.model<StoredWindow>('FailedSignIns', schema)

  return {
    record: async (personId: string | null, network: string, now: number): Promise<void> => {
      const start = now - (now % windowMs)
      const known = { $ifNull: ['$networks', []] }
      const isFull = { $gte: [{ $size: known }, maxNetworks] }
      const update = {
        person_id: personId,
        count: { $add: [{ $ifNull: ['$count', 0] }, 1] },
        first_at: { $ifNull: ['$first_at', new Date(now)] },
        last_at: new Date(now),
        networks: { $cond: [isFull, known, { $setUnion: [known, [network]] }] },
        closes_at: new Date(start + windowMs),
        audited: false,
      }
      const filter = { _id: `${personId ?? 'unknown'}:${start}` }
      await model.updateOne(filter, [{ $set: update }], { upsert: true, updatePipeline: true })
    },

    /** Windows that are over and not in the audit log yet. */
    findUnaudited: async (now: number, limit: number): Promise<FailedSignIns[]> => {
      const rows = await model
        .find({ audited: false, closes_at: { $lte: new Date(now - clockToleranceMs) } })
        .hint('unaudited')
        .limit(limit)
        .lean()
      return rows.map(toFailedSignIns)
    },

    /** False if another replica has done it. */
    markAudited: async (id: string, session: ClientSession): Promise<boolean> => {
      const { modifiedCount } = await model.updateOne(
        { _id: id, audited: false },
        { $set: { audited: true } },
        { session },
      )
      return modifiedCount === 1
    },

    /** Removes those of an erased person, who was an administrator before. */
    removeOf: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteMany({ person_id: personId }, { session })
    },

    /** The windows of an administrator that had a failure after a time, the latest first. */
    since: async (personId: string, time: number): Promise<FailedSignIns[]> => {
      const rows = await model
        .find({ person_id: personId, last_at: { $gt: new Date(time) } })
        .sort({ last_at: -1 })
        .lean()
      return rows.map(toFailedSignIns)
    },
  }
}

function toFailedSignIns({ _id, person_id, count, first_at, last_at, networks }: StoredWindow): FailedSignIns {
  return {
    id: _id,
    personId: person_id,
    count,
    firstAt: first_at.getTime(),
    lastAt: last_at.getTime(),
    networks,
  }
}
