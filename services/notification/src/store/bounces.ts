import { type Connection, Schema } from 'mongoose'
import { shortenReply } from '../rules/shorten-reply.ts'

/** A person's address that refused a mail for good. It counts until the address changes. */
export interface Bounce {
  personId: string
  address: string
  at: Date
  serverReply: string
}

interface StoredBounce {
  _id: string
  address: string
  at: Date
  server_reply: string
}

export type BounceStore = ReturnType<typeof createBounceStore>

export function createBounceStore(connection: Connection) {
  const schema = new Schema<StoredBounce>(
    { _id: String, address: String, at: Date, server_reply: String },
    { versionKey: false, collection: 'mail_bounces' },
  )
  schema.index({ at: -1 })
  const stored = connection.model<StoredBounce>('Bounce', schema)

  return {
    add: async ({ personId, address, at, serverReply }: Bounce): Promise<void> => {
      const server_reply = shortenReply(serverReply)
      await stored.updateOne({ _id: personId }, { $set: { address, at, server_reply } }, { upsert: true })
    },

    isBouncing: async ({ id, email }: { id: string; email: string }): Promise<boolean> =>
      (await stored.exists({ _id: id, address: email })) !== null,

    find: async (personId: string): Promise<Bounce | undefined> => {
      const row = await stored.findById(personId).lean()
      return row ? fromRow(row) : undefined
    },

    /** The latest first. */
    list: async (limit: number): Promise<Bounce[]> => {
      const rows = await stored.find().sort({ at: -1 }).limit(limit).lean()
      return rows.map(fromRow)
    },

    /** Returns false if there is none. */
    remove: async (personId: string): Promise<boolean> =>
      (await stored.deleteOne({ _id: personId })).deletedCount === 1,
  }
}

function fromRow({ _id, address, at, server_reply }: StoredBounce): Bounce {
  return { personId: _id, address, at, serverReply: server_reply }
}
