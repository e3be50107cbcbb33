import type { PersonSnapshot } from '@watchline/contracts/people'
import { orderKey } from '@watchline/identity/name-key'
import type mongoose from 'mongoose'

/** Inserts documents directly, without the service that owns them. */
export async function insertDocuments(
  database: mongoose.mongo.Db,
  collection: string,
  documents: object[],
): Promise<void> {
  if (documents.length > 0)
    await database.collection(collection).insertMany(documents, { ordered: false, writeConcern: { w: 1 } })
}

/** Flushes inserted documents to disk, so that no measured call waits for that. */
export async function flushToDisk(client: mongoose.mongo.MongoClient): Promise<void> {
  await client.db('admin').command({ fsync: 1 })
}

/** A person as services other than auth store them. */
export function toProjectedPerson({ id, ...fields }: PersonSnapshot) {
  return { _id: id, ...fields, name_key: orderKey(fields.name) }
}
