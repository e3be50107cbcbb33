import { erasedName } from '@watchline/contracts/people'
import { isText } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** A setting that an administrator has saved; without `value` the default is restored. */
export interface SavedSetting<Value> {
  value: Value | undefined
  version: number
  updatedAt: Date
  updatedBy: string
}

export interface SettingChange<Value> {
  /** null restores the default. */
  value: Value | null
  /** The version that the change replaces; 0 before the first. */
  version: number
  at: Date
  by: { id: string; name: string }
}

interface StoredSetting {
  _id: string
  value?: unknown
  version: number
  updated_at: Date
  updated_by: string
  updated_by_id: string
}

/** Settings by key, each in one document with its version and latest author. */
export interface SavedSettings<Key extends string, Value> {
  find(key: Key, session?: ClientSession): Promise<SavedSetting<Value> | undefined>
  list(): Promise<Map<Key, SavedSetting<Value>>>
  /** False if there is a newer version. */
  replace(key: Key, change: SettingChange<Value>, session: ClientSession): Promise<boolean>
  eraseAuthor(personId: string): Promise<void>
}

export function createSavedSettings<Key extends string, Value>(
  connection: Connection,
  { model, collection }: { model: string; collection: string },
): SavedSettings<Key, Value> {
  const stored = connection.model<StoredSetting>(
    model,
    new Schema<StoredSetting>(
      {
        _id: String,
        value: Schema.Types.Mixed,
        version: Number,
        updated_at: Date,
        updated_by: String,
        updated_by_id: String,
      },
      { versionKey: false, collection, minimize: false },
    ),
  )
  const everyKey = { _id: isText }
  return {
    find: async (key, session) => {
      const row = await stored.findOne({ _id: key }, null, session ? { session } : {}).lean()
      return row ? fromRow<Value>(row) : undefined
    },

    list: async () => {
      const rows = await stored.find(everyKey).lean()
      return new Map(rows.map(row => [row._id as Key, fromRow<Value>(row)]))
    },

    replace: async (key, { value, version, at, by }, session) => {
      const fields = { value, version: version + 1, updated_at: at, updated_by: by.name, updated_by_id: by.id }
      if (version > 0) {
        const { matchedCount } = await stored.updateOne({ _id: key, version }, { $set: fields }, { session })
        return matchedCount === 1
      }
      try {
        await stored.insertMany([{ _id: key, ...fields }], { session })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },

    eraseAuthor: async personId => {
      await stored.updateMany({ ...everyKey, updated_by_id: personId }, { $set: { updated_by: erasedName } })
    },
  }
}

function fromRow<Value>({ value, version, updated_at, updated_by }: StoredSetting): SavedSetting<Value> {
  return { value: (value ?? undefined) as Value | undefined, version, updatedAt: updated_at, updatedBy: updated_by }
}
