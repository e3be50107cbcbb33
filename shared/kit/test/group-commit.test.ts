import { describe, expect, jest, test } from '@jest/globals'
import { ServiceError } from '@watchline/kit/core/errors'
import { type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import fc from 'fast-check'

describe('group commit', () => {
  test('callers of a moment share a batch and each gets its own outcome, in order', async () => {
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

  test('nobody is answered before the write is done', async () => {
    let finish: (outcome: CommitResult<string>[]) => void = () => {}
    let started: () => void = () => {}
    const flushing = new Promise<void>(resolve => {
      started = resolve
    })
    const commit = createGroupCommit<string, string>({
      flush: () => {
        started()
        return new Promise(resolve => {
          finish = resolve
        })
      },
    })
    let answered = false
    const submitted = commit.submit('x').then(value => {
      answered = true
      return value
    })
    await flushing
    await new Promise(setImmediate)
    expect(answered).toBe(false)
    finish([{ ok: true, value: 'durable' }])
    expect(await submitted).toBe('durable')
  })

  test('beyond its bound a caller is told to come back, and nothing is dropped', async () => {
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

  test('a batch that fails is everybody’s failure, and the next one is written', async () => {
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

  test('a batch grows while company keeps coming, and no longer than the window', async () => {
    const batches: number[][] = []
    const flush = async (items: number[]) => {
      batches.push(items)
      return items.map(item => ({ ok: true as const, value: item }))
    }
    const patient = createGroupCommit<number, number>({ flush, windowMs: 60_000, quietMs: 60_000, maxBatch: 3 })
    await Promise.all([1, 2, 3].map(item => patient.submit(item)))
    expect(batches).toEqual([[1, 2, 3]])
    const bounded = createGroupCommit<number, number>({ flush, windowMs: 5, quietMs: 60_000 })
    expect(await bounded.submit(4)).toBe(4)
    const quiet = createGroupCommit<number, number>({ flush, windowMs: 60_000, quietMs: 5 })
    expect(await quiet.submit(5)).toBe(5)
  })

  test.each([
    ['a third of the window apart: they fill it', 10, 3],
    ['further apart than half of it: nobody waits for them', 20, 1],
  ])('a steady stream, %s', async (_name, gapMs, usualSize) => {
    jest.useFakeTimers()
    try {
      const sizes: number[] = []
      const flush = async (items: number[]) => {
        sizes.push(items.length)
        return items.map(item => ({ ok: true as const, value: item }))
      }
      const commit = createGroupCommit<number, number>({ flush, windowMs: 30 })
      // The usual gap has to be learned first.
      for (let item = 0; item < 200; item += 1) {
        void commit.submit(item)
        await jest.advanceTimersByTimeAsync(gapMs)
      }
      const learned = sizes.slice(-20)
      expect(learned.reduce((sum, size) => sum + size, 0) / learned.length).toBeCloseTo(usualSize, 0)
    } finally {
      jest.useRealTimers()
    }
  })

  test('as many batches are under way as are allowed, and the next one waits for its turn', async () => {
    const finish: (() => void)[] = []
    const commit = createGroupCommit<number, number>({
      maxBatch: 1,
      atOnce: 2,
      flush: items =>
        new Promise(resolve => finish.push(() => resolve(items.map(item => ({ ok: true as const, value: item }))))),
    })
    const submitted = [1, 2, 3].map(item => commit.submit(item))
    expect(finish).toHaveLength(2)
    expect(commit.waiting).toBe(1)
    finish[1]!()
    expect(await submitted[1]).toBe(2)
    await new Promise(setImmediate)
    expect(finish).toHaveLength(3)
    const closing = commit.stop()
    finish[0]!()
    finish[2]!()
    await closing
    expect(await Promise.all(submitted)).toEqual([1, 2, 3])
  })

  test('closing writes what waits and takes nothing more', async () => {
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

  test('whatever the sizes, every item is written once and in order', async () => {
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
