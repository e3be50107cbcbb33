import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, Schema } from 'mongoose'

interface StoredCheck {
  _id: string
  /** The replica that checks renews it; after it, another one may begin. */
  lease_until: Date
  /** The last night that was checked to its end. */
  done_date?: string
}

/** The lease of a check that one replica makes each night. */
export interface NightlyCheckStore {
  /** False if the night is done, or another replica is at it. */
  claim(date: string, now: Date, leaseMs: number): Promise<boolean>
  extend(until: Date): Promise<void>
  finish(date: string): Promise<void>
  /** Another replica may begin at once. */
  release(): Promise<void>
}

export function createNightlyCheckStore(connection: Connection, name: string): NightlyCheckStore {
  const schema = new Schema<StoredCheck>(
    { _id: String, lease_until: Date, done_date: String },
    { versionKey: false, collection: 'nightly_checks' },
  )
  const stored = connection.model<StoredCheck>('NightlyCheck', schema)
  const free = new Date(0)

  return {
    claim: async (date, now, leaseMs) => {
      const filter = { _id: name, lease_until: { $lte: now }, done_date: { $not: { $gte: date } } }
      const lease_until = new Date(now.getTime() + leaseMs)
      try {
        await stored.updateOne(filter, { $set: { lease_until } }, { upsert: true })
        return true
      } catch (error) {
        // The document exists, and the filter does not match it.
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    extend: async until => {
      await stored.updateOne({ _id: name }, { $max: { lease_until: until } })
    },
    finish: async date => {
      await stored.updateOne({ _id: name }, { $set: { done_date: date, lease_until: free } })
    },
    release: async () => {
      await stored.updateOne({ _id: name }, { $set: { lease_until: free } })
    },
  }
}
