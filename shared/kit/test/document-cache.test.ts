import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { createDatabase, openDatabase } from '../src/mongo/database.ts'
import { createDocumentCache, type DocumentCache } from '../src/mongo/document-cache.ts'
import { createLogger } from '../src/observability/log.ts'

interface Thing {
  _id: string
  value: number
}

const log = createLogger('test', 'silent')
const connection = createDatabase()
/** The connection of another process, which changes cached documents. */
const peerConnection = createDatabase()
const database = `t${randomBytes(5).toString('hex')}-cache`
let things: ReturnType<typeof peerConnection.collection<Thing>>
beforeAll(async () => {
  await openDatabase(connection, serverUrl('MONGO_URL'), database)
  await openDatabase(peerConnection, serverUrl('MONGO_URL'), database)
  things = peerConnection.collection<Thing>('things')
})
afterAll(async () => {
  await peerConnection.dropDatabase()
  await Promise.all([connection.close(), peerConnection.close()])
})

describe.each(['id', 'all'] as const)('a document cache with invalidation by %s', invalidate => {
  let loads: string[][]
  let cache: DocumentCache<number>
  beforeEach(async () => {
    loads = []
    await things.deleteMany({})
    await things.insertMany([
      { _id: 'a', value: 1 },
      { _id: 'b', value: 1 },
    ])
    cache = createDocumentCache<number>({
      connection,
      collection: 'things',
      invalidate,
      log,
      load: async keys => {
        loads.push(keys)
        const found = await connection
          .collection<Thing>('things')
          .find({ _id: { $in: keys } })
          .toArray()
        return new Map(found.map(thing => [thing._id, thing.value]))
      },
    })
  })
  afterEach(() => cache.stop())

  /** Reads the key until a second read in a row loads nothing. */
  const waitUntilCached = (key: string) =>
    eventually(async () => {
      await cache.get(key)
      const before = loads.length
      await cache.get(key)
      expect(loads).toHaveLength(before)
    })

  test('keeps documents, and the absence of documents, until they change', async () => {
    cache.start()
    await waitUntilCached('a')
    await waitUntilCached('absent')
    await things.updateOne({ _id: 'a' }, { $set: { value: 2 } })
    await eventually(async () => expect(await cache.get('a')).toBe(2))
    await things.insertOne({ _id: 'absent', value: 3 })
    await eventually(async () => expect(await cache.get('absent')).toBe(3))
    await things.deleteOne({ _id: 'a' })
    await eventually(async () => expect(await cache.get('a')).toBeUndefined())
  })

  test('loads several documents with one query', async () => {
    cache.start()
    await Promise.all(['a', 'b', 'a', 'c'].map(key => cache.get(key)))
    expect(loads).toEqual([['a', 'b', 'c']])
  })

  test('caches nothing without its change stream', async () => {
    expect(await cache.get('a')).toBe(1)
    await things.updateOne({ _id: 'a' }, { $set: { value: 2 } })
    expect(await cache.get('a')).toBe(2)
    cache.start()
    await waitUntilCached('a')
    await cache.stop()
    await things.updateOne({ _id: 'a' }, { $set: { value: 3 } })
    expect(await cache.get('a')).toBe(3)
  })

  test('forgets what it is told to forget', async () => {
    cache.start()
    await waitUntilCached('a')
    const before = loads.length
    cache.evict('a')
    await cache.get('a')
    expect(loads).toHaveLength(before + 1)
  })

  test('a failing query fails for every caller, and is not cached', async () => {
    let fails = true
    const failing = createDocumentCache<number>({
      connection,
      collection: 'things',
      log,
      load: async keys => {
        if (fails) throw new Error('away')
        return new Map(keys.map(key => [key, 1]))
      },
    })
    const outcomes = await Promise.allSettled([failing.get('a'), failing.get('b')])
    expect(outcomes.map(outcome => outcome.status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await failing.get('a')).toBe(1)
  })
})

test('a document cache evicts the entry that a change names', async () => {
  await things.deleteMany({})
  const cache = createDocumentCache<number>({
    ...{ connection, collection: 'things', log },
    // Things by the first letter of their id.
    load: async keys => {
      const counts = keys.map(async key => [key, await things.countDocuments({ _id: { $regex: `^${key}` } })] as const)
      return new Map(await Promise.all(counts))
    },
    invalidate: ({ id, operationType }) => (operationType === 'update' ? undefined : id[0]),
  })
  cache.start()
  const waitForCount = (key: string, count: number) => eventually(async () => expect(await cache.get(key)).toBe(count))
  await waitForCount('a', 0)
  await things.insertOne({ _id: 'a1', value: 1 })
  await waitForCount('a', 1)
  await things.updateOne({ _id: 'a1' }, { $set: { value: 2 } })
  await things.insertMany([
    { _id: 'a2', value: 1 },
    { _id: 'b1', value: 1 },
  ])
  await waitForCount('a', 2)
  await waitForCount('b', 1)
  await things.deleteOne({ _id: 'a1' })
  await waitForCount('a', 1)
  await cache.stop()
})

test('caches of a connection share one change stream, and each goes on while another stops', async () => {
  await things.deleteMany({})
  const others = peerConnection.collection<Thing>('others')
  await others.deleteMany({})
  const createCountingCache = (collection: string) =>
    createDocumentCache<number>({
      ...{ connection, collection, log, invalidate: 'all' },
      load: async keys => {
        const count = await peerConnection.collection(collection).countDocuments({})
        return new Map(keys.map(key => [key, count]))
      },
    })
  const [ofThings, alsoOfThings, ofOthers] = ['things', 'things', 'others'].map(createCountingCache)
  const waitForCount = (cache: DocumentCache<number> | undefined, count: number) =>
    eventually(async () => expect(await cache!.get('all')).toBe(count))
  ofThings!.start()
  await waitForCount(ofThings, 0)
  alsoOfThings!.start()
  ofOthers!.start()
  for (const cache of [ofThings, alsoOfThings, ofOthers]) await waitForCount(cache, 0)
  await eventually(async () => expect(await countChangeStreams()).toBe(1))

  await ofThings!.stop()
  await things.insertOne({ _id: 'a', value: 1 })
  await others.insertOne({ _id: 'b', value: 1 })
  for (const cache of [ofThings, alsoOfThings, ofOthers]) await waitForCount(cache, 1)
  await eventually(async () => expect(await countChangeStreams()).toBe(1))
  await things.drop()
  await waitForCount(alsoOfThings, 0)

  await Promise.all([alsoOfThings!.stop(), ofOthers!.stop()])
  await eventually(async () => expect(await countChangeStreams()).toBe(0))
})

test('a cache that starts later with another collection gets its changes', async () => {
  await things.deleteMany({})
  const load = async (keys: string[]) => {
    const count = await peerConnection.collection('later').countDocuments({})
    return new Map(keys.map(key => [key, count]))
  }
  const first = createDocumentCache<number>({ ...{ connection, collection: 'things', log }, load })
  first.start()
  await eventually(async () => expect(await countChangeStreams()).toBe(1))
  const later = createDocumentCache<number>({ ...{ connection, collection: 'later', log, invalidate: 'all' }, load })
  later.start()
  await eventually(async () => expect(await later.get('all')).toBe(0))
  await peerConnection.collection<Thing>('later').insertOne({ _id: 'a', value: 1 })
  await eventually(async () => expect(await later.get('all')).toBe(1))
  await eventually(async () => expect(await countChangeStreams()).toBe(1))
  await Promise.all([first.stop(), later.stop()])
})

test('a cache works again after the database was dropped', async () => {
  await things.deleteMany({})
  let loads = 0
  const cache = createDocumentCache<number>({
    ...{ connection, collection: 'things', log, invalidate: 'all' },
    load: async keys => {
      loads += 1
      const count = await peerConnection.collection('things').countDocuments({})
      return new Map(keys.map(key => [key, count]))
    },
  })
  cache.start()
  await eventually(async () => expect(await countChangeStreams()).toBe(1))
  await peerConnection.dropDatabase()
  await eventually(async () => {
    await cache.get('all')
    const before = loads
    expect([await cache.get('all'), loads]).toEqual([0, before])
  })
  await things.insertOne({ _id: 'a', value: 1 })
  await eventually(async () => expect(await cache.get('all')).toBe(1))
  await cache.stop()
})

/** The open change streams of the test's database. */
async function countChangeStreams(): Promise<number> {
  const operations = await connection
    .getClient()
    .db('admin')
    .aggregate([{ $currentOp: { idleCursors: true } }, { $match: { appName: database } }])
    .toArray()
  return operations.filter(operation => '$changeStream' in (operation.cursor?.originatingCommand?.pipeline?.[0] ?? {}))
    .length
}
