import { randomUUID } from 'node:crypto'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, Schema } from 'mongoose'

interface StoredLease {
  _id: string
  /** The replica that has the lease renews it; after this time, another one may claim it. */
  lease_until: Date
  /** Identifies the claim. Absent in leases of earlier versions. */
  owner?: string
  /** The last night whose work was finished. */
  done_date?: string
}

/** The lease of work that one replica does each night. */
export interface NightlyLeaseStore {
  /** Undefined if the night is done, or another replica has the lease. */
  claim(date: string, now: Date, leaseMs: number): Promise<NightlyLease | undefined>
}

/** A claimed lease. It changes nothing after another replica has claimed the expired lease. */
export interface NightlyLease {
  /** False if another replica has the lease. */
  extend(until: Date): Promise<boolean>
  finish(date: string): Promise<void>
  /** Another replica may begin at once. */
  release(): Promise<void>
}

export function createNightlyLeaseStore(connection: Connection, name: string): NightlyLeaseStore {
  const schema = new Schema<StoredLease>(
    { _id: String, lease_until: Date, owner: String, done_date: String },
    { versionKey: false, collection: 'nightly_checks' },
  )
  const stored = connection.model<StoredLease>('NightlyLease', schema)
  const expired = new Date(0)

  function createLease(owner: string): NightlyLease {
    const own = { _id: name, owner }
    return {
      extend: async until => {
        const { matchedCount } = await stored.updateOne(own, { $max: { lease_until: until } })
        return matchedCount === 1
      },
      finish: async date => {
        await stored.updateOne(own, { $set: { done_date: date, lease_until: expired } })
      },
      release: async () => {
        await stored.updateOne(own, { $set: { lease_until: expired } })
      },
    }
  }

  return {
    claim: async (date, now, leaseMs) => {
      const filter = { _id: name, lease_until: { $lte: now }, done_date: { $not: { $gte: date } } }
      const owner = randomUUID()
      try {
        const lease_until = new Date(now.getTime() + leaseMs)
        await stored.updateOne(filter, { $set: { lease_until, owner } }, { upsert: true })
        return createLease(owner)
      } catch (error) {
        // The document exists, and the filter does not match it.
        if (isDuplicateKey(error)) return undefined
        throw error
      }
    },
  }
}
