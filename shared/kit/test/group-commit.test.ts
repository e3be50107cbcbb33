import { describe, expect, jest, test } from '@jest/globals'
import { ServiceError } from '@watchline/kit/core/errors'
import { type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import fc from 'fast-check'

describe('group commit', () => {
  test('simultaneous calls share a batch, and every caller gets the outcome of its own item', async () => {
    const batches: number[][] = []
    const commit = createGroupCommit<number, number>({
      flush: async items => {
        batches.push(items)
        return items.map(item =>
          item % 2 ? { ok: false, error: new Error(`odd ${item}`) } : { ok: true, value: item * 10 },
        )
      },
    })
    const outcomes = await Promise.allSettled([0, 1, 2, 3].map(item => commit.submit(item)))
    expect(batches).toEqual([[0, 1, 2, 3]])
    expect(outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason)))).toEqual([
      0,
      'Error: odd 1',
      20,
      'Error: odd 3',
    ])
  })

  test('no call resolves before its write is done', async () => {
    const started = Promise.withResolvers<void>()
    const written = Promise.withResolvers<CommitResult<string>[]>()
    const commit = createGroupCommit<string, string>({
      flush: () => {
        started.resolve()
        return written.promise
      },
    })
    let isResolved = false
    const submitted = commit.submit('x').then(value => {
      isResolved = true
      return value
    })
    await started.promise
    await new Promise(setImmediate)
    expect(isResolved).toBe(false)
    written.resolve([{ ok: true, value: 'durable' }])
    expect(await submitted).toBe('durable')
  })

  test('a full queue refuses further calls as overloaded and drops none', async () => {
    const written: number[] = []
    const commit = createGroupCommit<number, void>({
      maxQueue: 2,
      flush: async items => {
        written.push(...items)
        return items.map(() => ({ ok: true, value: undefined }))
      },
    })
    const outcomes = await Promise.allSettled([1, 2, 3].map(item => commit.submit(item)))
    expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    const refused = outcomes[2] as PromiseRejectedResult
    expect(refused.reason).toBeInstanceOf(ServiceError)
    expect(refused.reason).toMatchObject({ code: 'overloaded', retryAfterS: 1 })
    expect(written).toEqual([1, 2])
  })

  test('a failing batch fails for every caller, and the next batch is written', async () => {
    let fails = true
    const commit = createGroupCommit<number, number>({
      flush: async items => {
        if (fails) throw new Error('away')
        return items.map(item => ({ ok: true, value: item }))
      },
    })
    await expect(Promise.allSettled([commit.submit(1), commit.submit(2)])).resolves.toMatchObject([
      { reason: { message: 'away' } },
      { reason: { message: 'away' } },
    ])
    fails = false
    expect(await commit.submit(3)).toBe(3)
  })

  test('a batch grows while calls keep arriving, at most for the window', async () => {
    const batches: number[][] = []
    const flush = async (items: number[]) => {
      batches.push(items)
      return items.map(item => ({ ok: true as const, value: item }))
    }
    const boundedBySize = createGroupCommit<number, number>({ flush, windowMs: 60_000, quietMs: 60_000, maxBatch: 3 })
    await Promise.all([1, 2, 3].map(item => boundedBySize.submit(item)))
    expect(batches).toEqual([[1, 2, 3]])
    const boundedByWindow = createGroupCommit<number, number>({ flush, windowMs: 5, quietMs: 60_000 })
    expect(await boundedByWindow.submit(4)).toBe(4)
    const boundedByQuiet = createGroupCommit<number, number>({ flush, windowMs: 60_000, quietMs: 5 })
    expect(await boundedByQuiet.submit(5)).toBe(5)
  })

  test.each([
    ['a third of the window share a batch', 10, 3],
    ['more than half of the window are written one by one', 20, 1],
  ])('calls at intervals of %s', async (_name, gapMs, usualSize) => {
    jest.useFakeTimers()
    try {
      const sizes: number[] = []
      const flush = async (items: number[]) => {
        sizes.push(items.length)
        return items.map(item => ({ ok: true as const, value: item }))
      }
      const commit = createGroupCommit<number, number>({ flush, windowMs: 30 })
      // The group commit first learns the usual interval.
      for (let item = 0; item < 200; item += 1) {
        void commit.submit(item)
        await jest.advanceTimersByTimeAsync(gapMs)
      }
      const lastSizes = sizes.slice(-20)
      expect(lastSizes.reduce((sum, size) => sum + size, 0) / lastSizes.length).toBeCloseTo(usualSize, 0)
    } finally {
      jest.useRealTimers()
    }
  })

  test('at most the allowed number of batches is written at the same time', async () => {
    const finishBatch: (() => void)[] = []
    const commit = createGroupCommit<number, number>({
      maxBatch: 1,
      maxConcurrent: 2,
      flush: items =>
        new Promise(resolve =>
          finishBatch.push(() => resolve(items.map(item => ({ ok: true as const, value: item })))),
        ),
    })
    const submitted = [1, 2, 3].map(item => commit.submit(item))
    expect(finishBatch).toHaveLength(2)
    expect(commit.waiting).toBe(1)
    finishBatch[1]!()
    expect(await submitted[1]).toBe(2)
    await new Promise(setImmediate)
    expect(finishBatch).toHaveLength(3)
    const stopping = commit.stop()
    finishBatch[0]!()
    finishBatch[2]!()
    await stopping
    expect(await Promise.all(submitted)).toEqual([1, 2, 3])
  })

  test('stop writes the waiting items and refuses further calls', async () => {
    const written: number[] = []
    const commit = createGroupCommit<number, number>({
      windowMs: 60_000,
      quietMs: 60_000,
      flush: async items => {
        written.push(...items)
        return items.map(item => ({ ok: true, value: item }))
      },
    })
    const early = commit.submit(1)
    await commit.stop()
    expect(await early).toBe(1)
    expect(written).toEqual([1])
    await expect(commit.submit(2)).rejects.toMatchObject({ code: 'overloaded' })
  })

  describe('while a batch hangs', () => {
    /** A group commit with one batch that is written until `finishBatch` is called. */
    function startHangingBatch(options: { windowMs?: number; maxWaitMs?: number; now?: () => number } = {}) {
      const written: string[] = []
      const finishBatch: (() => void)[] = []
      const commit = createGroupCommit<string, string>({
        maxBatch: 2,
        ...options,
        flush: async items => {
          written.push(...items)
          await new Promise<void>(resolve => finishBatch.push(resolve))
          return items.map(item => ({ ok: true as const, value: item }))
        },
      })
      const first = [commit.submit('first'), commit.submit('second')]
      expect(written).toEqual(['first', 'second'])
      return { commit, written, first, finishBatch: () => finishBatch.shift()!() }
    }

    test('an item whose client has gone is refused, and the next one takes its place in the batch', async () => {
      const { commit, written, first, finishBatch } = startHangingBatch()
      let isGone = false
      const abandoned = commit.submit('abandoned', () => isGone)
      const awaited = [commit.submit('third', () => false), commit.submit('fourth')]
      isGone = true
      finishBatch()
      await expect(abandoned).rejects.toMatchObject({ code: 'overloaded' })
      expect(await Promise.all(first)).toEqual(['first', 'second'])
      finishBatch()
      expect(await Promise.all(awaited)).toEqual(['third', 'fourth'])
      expect(written).toEqual(['first', 'second', 'third', 'fourth'])
    })

    test('an item that is being written is not refused, even if its client goes', async () => {
      const { commit, written, first, finishBatch } = startHangingBatch()
      let isGone = false
      const submitted = [commit.submit('third', () => isGone), commit.submit('fourth')]
      finishBatch()
      await Promise.all(first)
      await new Promise(setImmediate)
      isGone = true
      finishBatch()
      expect(await Promise.all(submitted)).toEqual(['third', 'fourth'])
      expect(written).toEqual(['first', 'second', 'third', 'fourth'])
    })

    test('an item that waited too long is refused as overloaded, and a younger one is written', async () => {
      let now = 0
      const { commit, written, finishBatch } = startHangingBatch({ windowMs: 30, maxWaitMs: 1_000, now: () => now })
      const late = commit.submit('late')
      now = 1
      const young = commit.submit('young')
      now = 1_031
      finishBatch()
      await expect(late).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 1 })
      const stopped = commit.stop()
      await new Promise(setImmediate)
      finishBatch()
      await stopped
      expect(await young).toBe('young')
      expect(written).toEqual(['first', 'second', 'young'])
    })

    test('nothing is written if all waiting items are refused, and the next item is', async () => {
      const { commit, written, first, finishBatch } = startHangingBatch()
      const abandoned = ['a', 'b', 'c'].map(item => commit.submit(item, () => true))
      finishBatch()
      await Promise.all(first)
      expect((await Promise.allSettled(abandoned)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
      expect(commit.waiting).toBe(0)
      const next = [commit.submit('third'), commit.submit('fourth')]
      finishBatch()
      await Promise.all(next)
      expect(written).toEqual(['first', 'second', 'third', 'fourth'])
    })
  })

  test('every item is written once and in order, for any batch size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        async (items, maxBatch) => {
          const written: number[] = []
          const commit = createGroupCommit<number, number>({
            maxBatch,
            windowMs: 0,
            flush: async batch => {
              expect(batch.length).toBeLessThanOrEqual(maxBatch)
              await Promise.resolve()
              written.push(...batch)
              return batch.map(item => ({ ok: true, value: item }))
            },
          })
          expect(await Promise.all(items.map(item => commit.submit(item)))).toEqual(items)
          expect(written).toEqual(items)
        },
      ),
      { numRuns: 100 },
    )
  })
})
