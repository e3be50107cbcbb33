import { afterEach, expect, test } from '@jest/globals'
import {
  createDatabase,
  ensureIndexes,
  isText,
  openDatabase,
  pageById,
  retireIndexes,
} from '@watchline/kit/mongo/database'
import { serverUrl } from '@watchline/testing/harness'
import { Schema } from 'mongoose'
import { openWire, uniqueName } from './servers.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

test('a connection that carries nothing any more is given up, and the next call goes over another', async () => {
  const wire = await openWire(serverUrl('MONGO_URL'))
  undo.push(() => wire.close())
  const url = new URL(wire.url)
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const connection = createDatabase()
  undo.push(() => connection.close())
  await openDatabase(connection, url.href, uniqueName())
  const ask = () => connection.db!.command({ ping: 1 })
  await ask()

  wire.freeze()
  // Without the driver's monitor this would wait for ever.
  await expect(ask()).rejects.toThrow()
  wire.mend()
  await ask()
}, 30_000)

test('a page by ids begins after one, ends with another or with what there is, and is no longer than asked for', async () => {
  const connection = createDatabase()
  undo.push(() => connection.close())
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  undo.push(() => connection.dropDatabase())
  const notes = connection.model<{ _id: string }>('Note', new Schema({ _id: String }, { versionKey: false }))
  await notes.insertMany(['d', 'b', 'a', 'c'].map(_id => ({ _id })))
  const ids = async (page: { after: string; upTo?: string; limit: number }) =>
    (await pageById(notes, page)).map(each => each._id)

  expect(await ids({ after: '', limit: 2 })).toEqual(['a', 'b'])
  expect(await ids({ after: 'b', limit: 9 })).toEqual(['c', 'd'])
  expect(await ids({ after: 'a', upTo: 'c', limit: 9 })).toEqual(['b', 'c'])
  expect(await ids({ after: 'a', upTo: 'c', limit: 1 })).toEqual(['b'])
})

test('an index of texts serves queries for one and for several, and comes in the place of an earlier one', async () => {
  const connection = createDatabase()
  undo.push(() => connection.close())
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  undo.push(() => connection.dropDatabase())
  const notes = connection.collection<{ _id: string; of: string | null }>('notes')
  await notes.createIndex({ of: 1 }, { name: 'earlier', partialFilterExpression: { of: { $type: 'string' } } })
  await notes.insertMany(
    Array.from({ length: 100 }, (_, index) => ({ _id: `${index}`, of: index < 50 ? null : `${index}` })),
  )

  const schema = new Schema<{ _id: string; of: string | null }>({ _id: String, of: String }, { collection: 'notes' })
  schema.index({ of: 1 }, { name: 'later', partialFilterExpression: { of: isText } })
  retireIndexes(schema, 'earlier')
  connection.model('Note', schema)
  await ensureIndexes(connection)
  await ensureIndexes(connection)
  expect((await notes.indexes()).map(each => each.name)).toEqual(['_id_', 'later'])
  for (const wanted of ['60', { $in: ['60', '61'] }]) {
    const { executionStats } = await notes.find({ of: wanted }).explain('executionStats')
    expect(executionStats.totalDocsExamined).toBe(executionStats.nReturned)
    expect(executionStats.nReturned).toBeGreaterThan(0)
  }
})
