import { type Connection, Schema } from 'mongoose'

/** A person's answer to one version of the monitoring notice. */
export interface NoticeAnswer {
  accepted: boolean
  at: Date
}

interface StoredAnswer {
  /** Person and version. */
  _id: string
  person_id: string
  version: string
  mode: string
  accepted: boolean
  at: Date
}

export interface NoticeAnswerStore {
  find(personId: string, version: string): Promise<NoticeAnswer | undefined>
  /** Replaces an earlier answer to the same version. */
  save(personId: string, notice: { version: string; mode: string }, answer: NoticeAnswer): Promise<void>
  removeOf(personId: string): Promise<void>
}

export function createNoticeAnswerStore(connection: Connection): NoticeAnswerStore {
  const schema = new Schema<StoredAnswer>(
    { _id: String, person_id: String, version: String, mode: String, accepted: Boolean, at: Date },
    { versionKey: false, collection: 'notice_answers' },
  )
  schema.index({ person_id: 1 })
  const stored = connection.model<StoredAnswer>('NoticeAnswer', schema)
  const idOf = (personId: string, version: string) => `${personId}:${version}`

  return {
    find: async (personId, version) => {
      const row = await stored.findById(idOf(personId, version)).lean()
      return row ? { accepted: row.accepted, at: row.at } : undefined
    },
    save: async (personId, { version, mode }, { accepted, at }) => {
      const fields = { person_id: personId, version, mode, accepted, at }
      await stored.updateOne({ _id: idOf(personId, version) }, { $set: fields }, { upsert: true })
    },
    removeOf: async personId => {
      await stored.deleteMany({ person_id: personId })
    },
  }
}
