import { expect, test } from '@jest/globals'
import { createKeyedBatcher, type Outcome } from '@watchline/kit/core/keyed-batcher'

const done: Outcome = { status: 'fulfilled', value: undefined }
const canShareBatch = () => true

test('items that arrive during a batch form the next batches, in order and within the limit', async () => {
  const batches: string[][] = []
  const batcher = createKeyedBatcher<string>(
    async items => {
      batches.push([...items])
      await new Promise(resolve => setImmediate(resolve))
      return items.map(() => done)
    },
    { canShareBatch, maxBatch: 3 },
  )
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(item => batcher.add('key', item)))
  expect(batches).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})

test('only items that may share a batch do so, and the order stays', async () => {
  const batches: string[] = []
  const batcher = createKeyedBatcher<string>(
    async items => {
      batches.push(items.join('+'))
      await new Promise(resolve => setImmediate(resolve))
      return items.map(() => done)
    },
    { canShareBatch: (first, next) => first[0] === 'm' && next[0] === 'm' },
  )
  await Promise.all(['m1', 'm2', 'm3', 'o1', 'o2', 'm4', 'm5', 'o3'].map(item => batcher.add('key', item)))
  expect(batches).toEqual(['m1', 'm2+m3', 'o1', 'o2', 'm4+m5', 'o3'])
})

test('an item gets its outcome at once, although others with its key still wait', async () => {
  const slow = Promise.withResolvers<readonly Outcome[]>()
  const batcher = createKeyedBatcher<string>(async ([item]) => (item === 'slow' ? slow.promise : [done]), {
    canShareBatch: () => false,
  })
  const [first, ...later] = ['first', 'slow', 'waits'].map(item => batcher.add('key', item))
  await first
  slow.resolve([done])
  await Promise.all(later)
})

test('a limited number of keys run at the same time, in the order of their requests', async () => {
  const batches: string[] = []
  let underWay = 0
  let most = 0
  const batcher = createKeyedBatcher<string>(
    async items => {
      underWay += 1
      most = Math.max(most, underWay)
      batches.push(items.join('+'))
      await new Promise(resolve => setImmediate(resolve))
      underWay -= 1
      return items.map(() => done)
    },
    { canShareBatch, maxConcurrent: 2 },
  )
  await Promise.all(['a1', 'b1', 'c1', 'a2', 'd1', 'c2', 'a3'].map(item => batcher.add(item[0]!, item)))
  expect([batches, most]).toEqual([['a1', 'b1', 'c1+c2', 'd1', 'a2+a3'], 2])
})

test('every item gets its own outcome; a failing batch fails for all of its items', async () => {
  const batcher = createKeyedBatcher<string>(
    async items => {
      if (items.includes('worst')) throw new Error('all')
      return items.map(item => (item === 'bad' ? { status: 'rejected', reason: new Error(item) } : done))
    },
    { canShareBatch },
  )
  const oneFailed = await Promise.allSettled(['first', 'good', 'bad'].map(item => batcher.add('key', item)))
  expect(oneFailed.map(outcome => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  const batchFailed = await Promise.allSettled(['first', 'good', 'worst'].map(item => batcher.add('key', item)))
  expect(batchFailed.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('other keys do not wait, and a hanging batch delays its key only for releaseKeyAfterMs', async () => {
  const batcher = createKeyedBatcher<string>(
    items => (items.includes('hangs') ? new Promise(() => {}) : Promise.resolve(items.map(() => done))),
    { canShareBatch, releaseKeyAfterMs: 20 },
  )
  void batcher.add('key', 'hangs')
  await batcher.add('other', 'at once')
  await batcher.add('key', 'in the end')
  await batcher.add('key', 'and the next')
})
