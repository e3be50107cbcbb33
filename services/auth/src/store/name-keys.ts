import type { Clock } from '@watchline/kit/core/clock'
import { fullScan } from '@watchline/kit/mongo/database'
import { type Connection, Schema } from 'mongoose'
import { nameKeyForm, nameOrderKey, type PersonModel } from './person-model.ts'

interface StoredState {
  _id: 'people'
  form: number
  /** The first update of this form. */
  since: Date
  /** No replica of a version before this form can have written a key after the last update. */
  is_final: boolean
}

/** A rollout lasts less. While it lasts, replicas of the version before write names, too. */
export const rolloutMs = 24 * 3_600_000
const batchSize = 1_000

/**
 * Corrects the keys by which lists order names, at the starts after an update of Watchline that
 * changed their form. People of older versions have none, and a replica of such a version may
 * change a name without its key. So the starts within a day read all people, and the first one
 * after it for the last time.
 */
export function createNameKeyUpdate(connection: Connection, people: PersonModel, clock: Clock) {
  const states = connection.model<StoredState>(
    'NameKeyState',
    new Schema<StoredState>(
      { _id: String, form: Number, since: Date, is_final: Boolean },
      { versionKey: false, collection: 'name_key_states' },
    ),
  )

  async function updateAll(): Promise<void> {
    let after = ''
    for (;;) {
      const rows = await people
        .find({ _id: { $gt: after } }, { name: 1, name_key: 1 }, fullScan)
        .sort({ _id: 1 })
        .limit(batchSize)
        .lean()
      const last = rows.at(-1)
      if (!last) return
      after = last._id
      const writes = rows
        .filter(({ name, name_key }) => name_key !== nameOrderKey(name))
        .map(({ _id, name }) => ({
          updateOne: { filter: { _id, name }, update: { $set: { name_key: nameOrderKey(name) } } },
        }))
      if (writes.length > 0) await people.bulkWrite(writes, { ordered: false })
    }
  }

  return {
    run: async (): Promise<void> => {
      const known = await states.findById('people').lean()
      const isKnownForm = known?.form === nameKeyForm
      if (isKnownForm && known.is_final) return
      const startedAt = clock.now()
      await updateAll()
      const since = isKnownForm ? known.since : new Date(startedAt)
      const isFinal = startedAt - since.getTime() >= rolloutMs
      await states.updateOne(
        { _id: 'people' },
        { $set: { form: nameKeyForm, since, is_final: isFinal } },
        { upsert: true },
      )
    },
  }
}
