import { pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCheck {
  /** The person’s id. */
  _id: string
  requests: number
}

export type MembershipCheckStore = ReturnType<typeof createMembershipCheckStore>

/**
 * The people whose groups must be checked, one row each. A change that may move a person between
 * groups requests a check in its own transaction, so none is lost. The transaction of a check
 * removes the row, so it conflicts with every change that it has not read.
 *
 * Its callers are other stores. They have the session of a transaction, but not its `afterCommit`.
 * So `onRequested` follows the end of the session, also after an abort, which costs one empty run.
 */
export function createMembershipCheckStore(connection: Connection, onRequested: () => void = () => {}) {
  const model = connection.model<StoredCheck>(
    'MembershipCheck',
    new Schema<StoredCheck>({ _id: String, requests: Number }, { versionKey: false, collection: 'group_checks' }),
  )
  const watched = new WeakSet<ClientSession>()

  function notifyAfter(session: ClientSession | undefined) {
    if (!session) return onRequested()
    if (watched.has(session)) return
    watched.add(session)
    session.once('ended', onRequested)
  }

  return {
    request: async (personIds: readonly string[], session: ClientSession | undefined): Promise<void> => {
      if (personIds.length === 0) return
      const writes = [...new Set(personIds)].map(_id => ({
        updateOne: { filter: { _id }, update: { $inc: { requests: 1 } }, upsert: true },
      }))
      await model.collection.bulkWrite(writes as never, { ordered: false, ...(session && { session }) })
      notifyAfter(session)
    },

    /** The people after this id. */
    afterId: async (after: string, limit: number): Promise<string[]> =>
      (await pageById(model, { after, limit })).map(({ _id }) => _id),

    remove: async (personIds: readonly string[], session: ClientSession): Promise<void> => {
      await model.deleteMany({ _id: { $in: [...personIds] } }, { session })
    },
  }
}
