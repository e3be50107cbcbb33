import { isTimeZone } from '@watchline/contracts/fields'
import { isText } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredTimeZone {
  /** The id of the person. */
  _id: string
  /** Null if the person went back to that of the organisation. */
  time_zone: string | null
  changed_at: Date
}

/** The time zones that people chose. The notification service owns them. */
export interface TimeZoneStore {
  /** Ignores a change that is not newer than the stored one. */
  apply(change: { personId: string; timeZone: string | null; changedAt: Date }, session: ClientSession): Promise<void>
  /** The time zone of each of these people: the organisation's for those who chose none. */
  ofPeople(personIds: readonly string[], session?: ClientSession): Promise<ReadonlyMap<string, string>>
  /** Every time zone that a person may have, that of the organisation included. */
  findAll(): Promise<string[]>
  removeOf(personId: string, session?: ClientSession): Promise<void>
}

export function createTimeZoneStore(connection: Connection, organisationZone: string): TimeZoneStore {
  const schema = new Schema<StoredTimeZone>(
    { _id: String, time_zone: String, changed_at: Date },
    { versionKey: false, collection: 'time_zones' },
  )
  // For `findAll`.
  schema.index({ time_zone: 1 })
  const stored = connection.model<StoredTimeZone>('TimeZone', schema)

  return {
    apply: async ({ personId, timeZone, changedAt }, session) => {
      const row = await stored.findById(personId, null, { session }).lean()
      if (row && row.changed_at >= changedAt) return
      const replacement = { time_zone: timeZone, changed_at: changedAt }
      await stored.replaceOne({ _id: personId }, replacement, { upsert: true, session })
    },
    ofPeople: async (personIds, session) => {
      if (personIds.length === 0) return new Map()
      const chosen = { _id: { $in: [...personIds] }, time_zone: isText }
      const rows = await stored.find(chosen, null, session ? { session } : {}).lean()
      const zones = new Map(rows.map(row => [row._id, row.time_zone]))
      return new Map(
        personIds.map(personId => {
          const zone = zones.get(personId)
          return [personId, zone && isTimeZone(zone) ? zone : organisationZone]
        }),
      )
    },
    findAll: async () => {
      const zones = await stored.distinct('time_zone', { time_zone: isText })
      return [...new Set([organisationZone, ...zones.filter(zone => zone !== null && isTimeZone(zone))])] as string[]
    },
    removeOf: async (personId, session) => {
      await stored.deleteOne({ _id: personId }, session ? { session } : {})
    },
  }
}
