import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { limitOfEach } from '../../src/rules/assignee-limit.ts'

const entriesOf = (counts: readonly number[], limit: number) =>
  counts.reduce((sum, count) => sum + Math.min(count, limit), 0)

test('lists get the greatest common limit with which they fit, and at least one entry each', () => {
  const bounds = fc.record({ most: fc.integer({ min: 1, max: 50 }), total: fc.integer({ min: 0, max: 300 }) })
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 20 }), bounds, (counts, { most, total }) => {
      const limit = limitOfEach(counts, { most, total })
      expect(limit).toBeGreaterThanOrEqual(1)
      expect(limit).toBeLessThanOrEqual(most)
      if (limit > 1) expect(entriesOf(counts, limit)).toBeLessThanOrEqual(total)
      if (limit < most) expect(entriesOf(counts, limit + 1)).toBeGreaterThan(total)
    }),
  )
})

test('lists that fit are whole', () => {
  expect(limitOfEach([3, 2, 1], { most: 1_000, total: 6 })).toBe(1_000)
  expect(limitOfEach([2_000, 2, 1], { most: 1_000, total: 100 })).toBe(97)
})
