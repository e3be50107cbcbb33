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
import { openFaultyProxy, uniqueName } from './servers.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

test('a silent connection is closed, and the next call opens another one', async () => {
  const proxy = await openFaultyProxy(serverUrl('MONGO_URL'))
  cleanups.push(() => proxy.close())
  const url = new URL(proxy.url)
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const connection = createDatabase()
  cleanups.push(() => connection.close())
  await openDatabase(connection, url.href, uniqueName())
  const ping = () => connection.db!.command({ ping: 1 })
  await ping()

  proxy.freeze()
  // Only the driver's monitor ends this call; without it, it would wait for ever.
  await expect(ping()).rejects.toThrow()
  proxy.restore()
  await ping()
})

test('pageById respects after, upTo and limit', async () => {
  const connection = createDatabase()
  cleanups.push(() => connection.close())
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  cleanups.push(() => connection.dropDatabase())
  const notes = connection.model<{ _id: string }>('Note', new Schema({ _id: String }, { versionKey: false }))
  await notes.insertMany(['d', 'b', 'a', 'c'].map(_id => ({ _id })))
  const ids = async (page: { after: string; upTo?: string; limit: number }) =>
    (await pageById(notes, page)).map(note => note._id)

  expect(await ids({ after: '', limit: 2 })).toEqual(['a', 'b'])
  expect(await ids({ after: 'b', limit: 9 })).toEqual(['c', 'd'])
  expect(await ids({ after: 'a', upTo: 'c', limit: 9 })).toEqual(['b', 'c'])
  expect(await ids({ after: 'a', upTo: 'c', limit: 1 })).toEqual(['b'])
})

test('an index with the isText filter serves queries for one and for several values, and replaces a retired index', async () => {
  const connection = createDatabase()
  cleanups.push(() => connection.close())
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  cleanups.push(() => connection.dropDatabase())
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
  expect((await notes.indexes()).map(index => index.name)).toEqual(['_id_', 'later'])
  for (const filter of ['60', { $in: ['60', '61'] }]) {
    const { executionStats } = await notes.find({ of: filter }).explain('executionStats')
    expect(executionStats.totalDocsExamined).toBe(executionStats.nReturned)
    expect(executionStats.nReturned).toBeGreaterThan(0)
  }
})

test('a start does not wait for a transaction that uses a collection with a retired index', async () => {
  const connection = createDatabase()
  cleanups.push(() => connection.close())
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  cleanups.push(() => connection.dropDatabase())
  const schema = new Schema<{ _id: string }>({ _id: String }, { versionKey: false })
  retireIndexes(schema, 'earlier')
  const notes = connection.model('Note', schema)
  await ensureIndexes(connection)

  const session = await connection.startSession()
  session.startTransaction()
  await notes.create([{ _id: 'a' }], { session })
  await ensureIndexes(connection)
  // If the start had waited, MongoDB would have aborted the transaction after a minute.
  await session.commitTransaction()
  await session.endSession()
  expect(await notes.countDocuments()).toBe(1)
})

test('a changed retention is applied to an index and to a time series that exist', async () => {
  const name = uniqueName()
  const open = async (seconds: number) => {
    const connection = createDatabase()
    await openDatabase(connection, serverUrl('MONGO_URL'), name)
    cleanups.push(() => connection.close())
    const notes = new Schema({ _id: String, at: Date }, { versionKey: false })
    notes.index({ at: 1 }, { expireAfterSeconds: seconds })
    connection.model('Note', notes)
    const timeseries = { timeField: 'at', granularity: 'seconds' } as const
    connection.model('Report', new Schema({ at: Date }, { timeseries, expireAfterSeconds: seconds }))
    await ensureIndexes(connection)
    const [index] = (await connection.collection('notes').indexes()).filter(({ key }) => key.at === 1)
    const [series] = await connection.db!.listCollections({ name: 'reports' }).toArray()
    return [index!.expireAfterSeconds, (series as { options?: { expireAfterSeconds?: unknown } }).options]
  }
  const seriesOf = (seconds: number) => expect.objectContaining({ expireAfterSeconds: seconds })
  expect(await open(100_000)).toEqual([100_000, seriesOf(100_000)])
  expect(await open(200_000)).toEqual([200_000, seriesOf(200_000)])
  cleanups.push(async () => {
    const connection = createDatabase()
    await openDatabase(connection, serverUrl('MONGO_URL'), name)
    await connection.dropDatabase()
    await connection.close()
  })
})
