import type { mongo } from 'mongoose'
import { eventually } from './harness.ts'

export interface HeldDocument {
  /** Leaves the document as it was. Rejects if it was not held all the time. */
  release(): Promise<void>
}

const touchMs = 1_000

/**
 * Writes a document in an open transaction. Other transactions that write it conflict and retry
 * until `release`, which must come within a minute (transactionLifetimeLimitSeconds).
 */
export async function holdDocument(database: mongo.Db, collection: string, id: string): Promise<HeldDocument> {
  const session = database.client.startSession()
  const write = () =>
    database
      .collection<{ _id: string }>(collection)
      .updateOne({ _id: id }, { $set: { held_by: 'a test' } }, { session, upsert: true })
  // Another transaction may be writing the document.
  await eventually(async () => {
    if (session.inTransaction()) await session.abortTransaction()
    session.startTransaction()
    await write()
  })
  // Services end a transaction in which nothing happens.
  let touched: Promise<unknown> = Promise.resolve()
  let failure: unknown
  const timer = setInterval(() => {
    touched = touched.then(write).catch(error => {
      failure ??= error
    })
  }, touchMs)
  return {
    release: async () => {
      clearInterval(timer)
      await touched
      if (!failure) await session.abortTransaction()
      await session.endSession()
      if (failure) throw new Error('the document was not held until the release', { cause: failure })
    },
  }
}
