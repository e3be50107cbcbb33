import type { DetailView } from '@watchline/contracts/privacy'
import { cutPage, type TimeCursor } from '@watchline/kit/http/paging'
import { type Connection, Schema } from 'mongoose'

export type ViewedPart = DetailView['what']

interface StoredView {
  /** Person, day, viewer and part, so that there is one row a day. */
  _id: string
  person_id: string
  viewer_id: string
  what: ViewedPart
  /** The first time on that day. */
  at: Date
}

/**
 * Records that somebody opened another person's details: one row for each viewer, person, day and
 * part. A report by person therefore adds a row for everybody in it, at most once a day.
 */
export interface DetailViews {
  /** Stores each view once a day; further calls cost nothing. */
  record(views: {
    viewerId: string
    personIds: readonly string[]
    what: ViewedPart
    day: string
    at: number
  }): Promise<void>
  /** Latest first. */
  page(
    personId: string,
    query: { limit: number; after?: TimeCursor | undefined },
  ): Promise<{ views: { viewerId: string; what: ViewedPart; at: Date }[]; next?: TimeCursor }>
  /** Removes what the list holds about a person. */
  removeOf(personId: string): Promise<void>
}

const maxRemembered = 100_000
/** A report by person has a row for everybody. */
const rowsInOneWrite = 1_000

export function createDetailViews(connection: Connection, retentionS: number): DetailViews {
  const schema = new Schema<StoredView>(
    { _id: String, person_id: String, viewer_id: String, what: String, at: Date },
    { versionKey: false, collection: 'detail_views' },
  )
  schema.index({ person_id: 1, at: -1, _id: -1 })
  // For the viewer's export.
  schema.index({ viewer_id: 1, at: -1 })
  schema.index({ at: 1 }, { expireAfterSeconds: retentionS, name: 'kept' })
  const stored = connection.model<StoredView>('DetailView', schema)
  /** The rows that are known to be stored. */
  const remembered = new Set<string>()

  return {
    record: async ({ viewerId, personIds, what, day, at }) => {
      const rows = personIds
        .filter(personId => personId !== viewerId)
        .map(personId => ({ _id: `${personId}:${day}:${viewerId}:${what}`, person_id: personId }))
        .filter(({ _id }) => !remembered.has(_id))
      for (let start = 0; start < rows.length; start += rowsInOneWrite) {
        const written = rows.slice(start, start + rowsInOneWrite)
        await stored.bulkWrite(
          written.map(({ _id, person_id }) => ({
            updateOne: {
              filter: { _id },
              update: { $setOnInsert: { person_id, viewer_id: viewerId, what, at: new Date(at) } },
              upsert: true,
            },
          })),
          { ordered: false },
        )
        if (remembered.size > maxRemembered) remembered.clear()
        for (const { _id } of written) remembered.add(_id)
      }
    },

    page: async (personId, { limit, after }) => {
      const at = after && new Date(after.at)
      const filter = {
        person_id: personId,
        ...(after && { $or: [{ at: { $lt: at } }, { at, _id: { $lt: after.id } }] }),
      }
      const rows = await stored
        .find(filter)
        .sort({ at: -1, _id: -1 })
        .limit(limit + 1)
        .lean()
      const { items, ...page } = cutPage(rows, limit, row => ({ at: row.at.getTime(), id: row._id }))
      return { views: items.map(row => ({ viewerId: row.viewer_id, what: row.what, at: row.at })), ...page }
    },

    removeOf: async personId => {
      await stored.deleteMany({ person_id: personId })
    },
  }
}
