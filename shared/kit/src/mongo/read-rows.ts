import type { Connection, mongo } from 'mongoose'

/** Every collection of this system has ids of text. */
interface Row {
  _id: string
  [field: string]: unknown
}

/** Documents one after the other, a few hundred in memory at once. */
export async function* readRows(
  connection: Connection,
  collection: string,
  filter: mongo.Filter<Row>,
  options: mongo.FindOptions = {},
): AsyncGenerator<Row> {
  yield* connection.collection<Row>(collection).find(filter, { batchSize: 500, ...options })
}
