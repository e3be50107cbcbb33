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
const ours = createDatabase()
/** Another process that changes what we keep. */
const theirs = createDatabase()
const database = `t${randomBytes(5).toString('hex')}-cache`
let things: ReturnType<typeof theirs.collection<Thing>>
beforeAll(async () => {
  await openDatabase(ours, serverUrl('MONGO_URL'), database)
  await openDatabase(theirs, serverUrl('MONGO_URL'), database)
  things = theirs.collection<Thing>('things')
})
afterAll(async () => {
  await theirs.dropDatabase()
  await Promise.all([ours.close(), theirs.close()])
})

describe.each(['id', 'all'] as const)('a document cache emptied by %s', invalidate => {
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
      connection: ours,
      collection: 'things',
      invalidate,
      log,
      load: async keys => {
        loads.push(keys)
        const found = await ours
          .collection<Thing>('things')
          .find({ _id: { $in: keys } })
          .toArray()
        return new Map(found.map(each => [each._id, each.value]))
      },
    })
  })
  afterEach(() => cache.stop())

  /** A second reading in a row that loads nothing. */
  const warm = (key: string) =>
    eventually(async () => {
      await cache.get(key)
      const before = loads.length
      await cache.get(key)
      expect(loads).toHaveLength(before)
    })

  test('keeps what it has read, the absent included, until it changes', async () => {
    cache.start()
    await warm('a')
    await warm('absent')
    await things.updateOne({ _id: 'a' }, { $set: { value: 2 } })
    await eventually(async () => expect(await cache.get('a')).toBe(2))
    await things.insertOne({ _id: 'absent', value: 3 })
    await eventually(async () => expect(await cache.get('absent')).toBe(3))
    await things.deleteOne({ _id: 'a' })
    await eventually(async () => expect(await cache.get('a')).toBeUndefined())
  })

  test('reads many at once with one query', async () => {
    cache.start()
    await Promise.all(['a', 'b', 'a', 'c'].map(key => cache.get(key)))
    expect(loads).toEqual([['a', 'b', 'c']])
  })

  test('keeps nothing without its change stream', async () => {
    expect(await cache.get('a')).toBe(1)
    await things.updateOne({ _id: 'a' }, { $set: { value: 2 } })
    expect(await cache.get('a')).toBe(2)
    cache.start()
    await warm('a')
    await cache.stop()
    await things.updateOne({ _id: 'a' }, { $set: { value: 3 } })
    expect(await cache.get('a')).toBe(3)
  })

  test('forgets what it is told to forget', async () => {
    cache.start()
    await warm('a')
    const before = loads.length
    cache.forget('a')
    await cache.get('a')
    expect(loads).toHaveLength(before + 1)
  })

  test('a failing query is everybody’s who asked, and nothing is kept of it', async () => {
    let fails = true
    const failing = createDocumentCache<number>({
      connection: ours,
      collection: 'things',
      log,
      load: async keys => {
        if (fails) throw new Error('away')
        return new Map(keys.map(key => [key, 1]))
      },
    })
    const asked = await Promise.allSettled([failing.get('a'), failing.get('b')])
    expect(asked.map(each => each.status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await failing.get('a')).toBe(1)
  })
})
