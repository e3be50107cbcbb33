import { serviceNames } from '@watchline/contracts/operation'
import type { mongo } from 'mongoose'
import type { Log } from '../../provision/types.ts'

interface SeedMarker {
  _id: 'history'
  state: 'playing' | 'complete'
}

export interface SeedOnceOptions {
  client: mongo.MongoClient
  /** The prefix of the services' databases. */
  prefix: string
  /** Fills empty databases. */
  play(): Promise<void>
  log: Log
}

/**
 * Fills the databases once. Databases that already have people stay as they are. An interrupted run
 * starts again with empty databases, unless somebody has signed in since then. Two starts must not
 * seed the same databases at once.
 */
export async function seedOnce({ client, prefix, play, log }: SeedOnceOptions): Promise<void> {
  const markers = client.db(`${prefix}-demo`).collection<SeedMarker>('history')
  const database = (service: string) => client.db(`${prefix}-${service}`)
  const has = async (collection: string) => (await database('auth').collection(collection).findOne()) !== null
  const mark = (state: SeedMarker['state']) =>
    markers.updateOne({ _id: 'history' }, { $set: { state } }, { upsert: true })

  const marker = await markers.findOne({ _id: 'history' })
  if (marker?.state === 'complete') return
  if (marker) {
    // The seed signs nobody in, so a session means that people work with this data.
    if (await has('sessions')) {
      await mark('complete')
      return
    }
    log('the last seeding was interrupted, starting again')
    for (const name of serviceNames) await database(name).dropDatabase()
  } else if (await has('people')) return

  await mark('playing')
  await play()
  await mark('complete')
}
