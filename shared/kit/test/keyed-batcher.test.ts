import { expect, test } from '@jest/globals'
import { createKeyedBatcher, type Outcome } from '@watchline/kit/core/keyed-batcher'

const done: Outcome = { status: 'fulfilled', value: undefined }
const together = () => true

test('what comes while another has its turn is worked on together, in order, at most so many at once', async () => {
  const seen: string[][] = []
  const turns = createKeyedBatcher<string>(
    async items => {
      seen.push([...items])
      await new Promise(resolve => setImmediate(resolve))
      return items.map(() => done)
    },
    { together, most: 3 },
  )
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(each => turns.add('key', each)))
  expect(seen).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})

test('only what may goes together, and the order is kept', async () => {
  const seen: string[] = []
  const turns = createKeyedBatcher<string>(
    async items => {
      seen.push(items.join('+'))
      await new Promise(resolve => setImmediate(resolve))
      return items.map(() => done)
    },
    { together: (first, next) => first[0] === 'm' && next[0] === 'm' },
  )
  await Promise.all(['m1', 'm2', 'm3', 'o1', 'o2', 'm4', 'm5', 'o3'].map(each => turns.add('key', each)))
  expect(seen).toEqual(['m1', 'm2+m3', 'o1', 'o2', 'm4+m5', 'o3'])
})

test('one is told at once what became of it, though others under its key still wait', async () => {
  const slow = Promise.withResolvers<readonly Outcome[]>()
  const turns = createKeyedBatcher<string>(async ([item]) => (item === 'slow' ? slow.promise : [done]), {
    together: () => false,
  })
  const [first, ...others] = ['first', 'slow', 'waits'].map(each => turns.add('key', each))
  await first
  slow.resolve([done])
  await Promise.all(others)
})

test('so many keys have their turn at once, in the order in which they asked', async () => {
  const seen: string[] = []
  let underWay = 0
  let most = 0
  const turns = createKeyedBatcher<string>(
    async items => {
      underWay += 1
      most = Math.max(most, underWay)
      seen.push(items.join('+'))
      await new Promise(resolve => setImmediate(resolve))
      underWay -= 1
      return items.map(() => done)
    },
    { together, atOnce: 2 },
  )
  await Promise.all(['a1', 'b1', 'c1', 'a2', 'd1', 'c2', 'a3'].map(each => turns.add(each[0]!, each)))
  expect([seen, most]).toEqual([['a1', 'b1', 'c1+c2', 'd1', 'a2+a3'], 2])
})

test('each is told what became of it, and what fails as a whole fails for all of it', async () => {
  const turns = createKeyedBatcher<string>(
    async items => {
      if (items.includes('worst')) throw new Error('all')
      return items.map(each => (each === 'bad' ? { status: 'rejected', reason: new Error(each) } : done))
    },
    { together },
  )
  const some = await Promise.allSettled(['first', 'good', 'bad'].map(each => turns.add('key', each)))
  expect(some.map(each => each.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  const all = await Promise.allSettled(['first', 'good', 'worst'].map(each => turns.add('key', each)))
  expect(all.map(each => each.status)).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('other keys do not wait, and nobody waits for ever for what hangs', async () => {
  const turns = createKeyedBatcher<string>(
    items => (items.includes('hangs') ? new Promise(() => {}) : Promise.resolve(items.map(() => done))),
    { together, patienceMs: 20 },
  )
  void turns.add('key', 'hangs')
  await turns.add('other', 'at once')
  await turns.add('key', 'in the end')
  await turns.add('key', 'and the next')
})
