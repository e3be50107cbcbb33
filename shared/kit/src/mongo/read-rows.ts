import type { Connection, mongo } from 'mongoose'

interface Row {
  _id: unknown
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
