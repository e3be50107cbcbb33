import { listOrderKey } from '@watchline/identity/name-key'
import { fullScan } from '@watchline/kit/mongo/database'
import { type Connection, Schema } from 'mongoose'
import { nameKeyForm, type PersonModel } from './person-model.ts'

/** The correction of all keys to the present `nameKeyForm`. */
export interface NameKeyCorrection {
  firstRunAt: Date
  isFinished: boolean
}

interface StoredCorrection {
  _id: 'people'
  form: number
  /** The first run for this form. */
  since: Date
  /** No replica of a version before this form can have written a key after the last run. */
  is_final: boolean
}

export interface NameKeyStore {
  /** Undefined before the first run for the present form. */
  findCorrection(): Promise<NameKeyCorrection | undefined>
  saveCorrection(correction: NameKeyCorrection): Promise<void>
  /**
   * Corrects the keys of people after this id. Resolves with the last id that it read; undefined
   * without further people.
   */
  correctKeys(afterId: string, limit: number): Promise<string | undefined>
}

export function createNameKeyStore(connection: Connection, people: PersonModel): NameKeyStore {
  const corrections = connection.model<StoredCorrection>(
    'NameKeyState',
    new Schema<StoredCorrection>(
      { _id: String, form: Number, since: Date, is_final: Boolean },
      { versionKey: false, collection: 'name_key_states' },
    ),
  )
  return {
    findCorrection: async () => {
      const row = await corrections.findOne({ _id: 'people', form: nameKeyForm }).lean()
      return row ? { firstRunAt: row.since, isFinished: row.is_final } : undefined
    },
    saveCorrection: async ({ firstRunAt, isFinished }) => {
      const fields = { form: nameKeyForm, since: firstRunAt, is_final: isFinished }
      await corrections.updateOne({ _id: 'people' }, { $set: fields }, { upsert: true })
    },
    correctKeys: async (afterId, limit) => {
      const rows = await people
        .find({ _id: { $gt: afterId } }, { name: 1, name_key: 1 }, fullScan)
        .sort({ _id: 1 })
        .limit(limit)
        .lean()
      const writes = rows
        .filter(({ name, name_key }) => name_key !== listOrderKey(name))
        .map(({ _id, name }) => ({
          updateOne: { filter: { _id, name }, update: { $set: { name_key: listOrderKey(name) } } },
        }))
      if (writes.length > 0) await people.bulkWrite(writes, { ordered: false })
      return rows.at(-1)?._id
    },
  }
}
