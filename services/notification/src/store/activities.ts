import type { NotificationKind } from '@watchline/contracts/notification'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { type Facts, factsOf, fold, type Happening } from '../rules/activity.ts'

/** What is folded together: one kind of happening for one recipient. */
export interface FoldKey {
  recipientId: string
  kind: NotificationKind
}

interface StoredHappening {
  _id: string
  recipient_id: string
  kind: NotificationKind
  facts: Facts
  at: Date
}

interface StoredFold {
  _id: string
  notification_id: string
  until: Date
}

export type HappeningStore = ReturnType<typeof createHappeningStore>

/** What has happened and is in no notification yet, and which notification is still open for more. */
export function createHappeningStore(connection: Connection) {
  const schema = new Schema<StoredHappening>(
    { _id: String, recipient_id: String, kind: String, facts: Schema.Types.Mixed, at: Date },
    { versionKey: false, collection: 'happenings', minimize: false },
  )
  schema.index({ recipient_id: 1, kind: 1, at: 1 })
  schema.index({ at: 1 })
  const stored = connection.model<StoredHappening>('Happening', schema)
  const folds = connection.model<StoredFold>(
    'Fold',
    new Schema<StoredFold>(
      { _id: String, notification_id: String, until: { type: Date, expires: 0 } },
      { versionKey: false, collection: 'folds' },
    ),
  )
  const idOf = ({ recipientId, kind }: FoldKey) => `${recipientId}:${kind}`

  return {
    add: async (recipientIds: readonly string[], happening: Happening, at: Date, session: ClientSession) => {
      if (recipientIds.length === 0) return
      const { kind } = happening
      const facts = factsOf(happening)
      await stored.insertMany(
        recipientIds.map(recipientId => ({ _id: newId(), recipient_id: recipientId, kind, facts, at })),
        { session },
      )
    },

    /** Takes the oldest out, added up; undefined when there are none. Of two takers of the same, MongoDB lets one through. */
    take: async ({ recipientId, kind }: FoldKey, limit: number, session: ClientSession): Promise<Facts | undefined> => {
      const rows = await stored
        .find({ recipient_id: recipientId, kind }, null, { session })
        .sort({ at: 1 })
        .limit(limit)
        .lean()
      if (rows.length === 0) return undefined
      await stored.deleteMany({ _id: { $in: rows.map(each => each._id) } }, { session })
      return rows.map(each => each.facts).reduce(fold)
    },

    /** Of what has waited since before then, some keys. */
    waitingSince: async (at: Date, limit: number): Promise<FoldKey[]> => {
      const rows = await stored
        .find({ at: { $lte: at } }, { recipient_id: 1, kind: 1 })
        .sort({ at: 1 })
        .limit(limit)
        .lean()
      const keys = rows.map(each => ({ recipientId: each.recipient_id, kind: each.kind }))
      return [...new Map(keys.map(key => [idOf(key), key])).values()]
    },

    /** The notification that takes more of this in, if there is one. */
    open: async (key: FoldKey, now: Date, session: ClientSession): Promise<string | undefined> => {
      const found = await folds.findById(idOf(key), null, { session }).lean()
      return found && found.until > now ? found.notification_id : undefined
    },

    openWith: async (key: FoldKey, notificationId: string, until: Date, session: ClientSession): Promise<void> => {
      await folds.updateOne(
        { _id: idOf(key) },
        { $set: { notification_id: notificationId, until } },
        { session, upsert: true },
      )
    },
  }
}
