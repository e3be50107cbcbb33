import type { Connection, mongo } from 'mongoose'

/** Every collection of this system has ids of text. */
interface StoredRow {
  _id: string
  [field: string]: unknown
}

/** Documents one after the other, a few hundred in memory at once. */
export async function* readRows(
  connection: Connection,
  collection: string,
  filter: mongo.Filter<StoredRow>,
  options: mongo.FindOptions = {},
): AsyncGenerator<StoredRow> {
  yield* connection.collection<StoredRow>(collection).find(filter, { batchSize: 500, ...options })
}
