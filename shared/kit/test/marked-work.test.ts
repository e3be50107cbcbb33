import { expect, test } from '@jest/globals'
import { finishMarkedWork } from '@watchline/kit/core/marked-work'
import fc from 'fast-check'

/** Rows by item, and the items whose mark was cleared. */
function createWork(rowCounts: readonly number[], batchSize: number, onBatch: () => void = () => {}) {
  const rows = [...rowCounts]
  const cleared: number[] = []
  const work = {
    ...{ marked: rows.map((_, item) => item), batchSize },
    runBatch: async (item: number, limit: number) => {
      onBatch()
      const count = Math.min(limit, rows[item]!)
      rows[item]! -= count
      return count
    },
    clearMark: async (item: number) => {
      expect(rows[item]).toBe(0)
      cleared.push(item)
    },
  }
  return { rows, cleared, work }
}

const rowCounts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 5 })
const batchSize = fc.integer({ min: 1, max: 5 })

test('every item loses its mark after its last row, also if two replicas work at once', async () => {
  await fc.assert(
    fc.asyncProperty(rowCounts, batchSize, fc.integer({ min: 1, max: 2 }), async (counts, size, replicas) => {
      const { rows, cleared, work } = createWork(counts, size)
      await Promise.all(Array.from({ length: replicas }, () => finishMarkedWork(work)))
      expect(rows).toEqual(counts.map(() => 0))
      expect(new Set(cleared)).toEqual(new Set(counts.keys()))
    }),
  )
})

test('after the signal no mark of unfinished work is cleared, and the next run continues', async () => {
  await fc.assert(
    fc.asyncProperty(rowCounts, batchSize, fc.integer({ min: 1, max: 8 }), async (counts, size, batches) => {
      const stopping = new AbortController()
      let count = 0
      const { rows, cleared, work } = createWork(counts, size, () => {
        count += 1
        if (count === batches) stopping.abort()
      })
      await finishMarkedWork(work, stopping.signal)
      expect(count).toBeLessThanOrEqual(batches)
      const marked = work.marked.filter(item => !cleared.includes(item))
      await finishMarkedWork({ ...work, marked })
      expect(rows).toEqual(counts.map(() => 0))
      expect(cleared.toSorted()).toEqual([...counts.keys()])
    }),
  )
})
