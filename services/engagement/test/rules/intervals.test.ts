import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { clip, gaps, type Interval, type Intervals, insert, totalLength, union } from '../../src/rules/intervals.ts'

const interval = fc.tuple(fc.nat(60), fc.nat(20)).map(([from, size]): Interval => [from / 4, (from + size) / 4])
const pieces = fc.array(interval, { maxLength: 20 })

/** The covered quarters of a second. */
function quarters(intervals: Iterable<Interval>): number[] {
  const ticks = new Set<number>()
  for (const [from, to] of intervals) for (let quarter = from; quarter < to; quarter += 0.25) ticks.add(quarter)
  return [...ticks].sort((left, right) => left - right)
}

function expectInOrder(intervals: Intervals) {
  intervals.forEach(([from, to], index) => {
    expect(to).toBeGreaterThan(from)
    if (index > 0) expect(from).toBeGreaterThan(intervals[index - 1]![1])
  })
}

describe('intervals', () => {
  test('contain exactly the inserted pieces, sorted and disjoint', () => {
    fc.assert(
      fc.property(pieces, inserted => {
        const intervals = union([], inserted)
        expectInOrder(intervals)
        expect(quarters(intervals)).toEqual(quarters(inserted))
        expect(totalLength(intervals)).toBe(quarters(inserted).length / 4)
      }),
      { numRuns: 3_000 },
    )
  })

  test('do not depend on order, repetition or splits', () => {
    fc.assert(
      fc.property(
        pieces.chain(list => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        pieces,
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        ([inserted, shuffled], others, share) => {
          const intervals = union([], inserted)
          expect(union([], shuffled)).toEqual(intervals)
          expect(union(intervals, inserted)).toEqual(intervals)
          expect(union(union([], others), intervals)).toEqual(union(intervals, others))
          const halves = shuffled.flatMap(([from, to]): Interval[] => {
            const cut = from + (to - from) * share
            return [
              [cut, to],
              [from, cut],
            ]
          })
          expect(union([], halves)).toEqual(intervals)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('and their gaps cover the whole', () => {
    fc.assert(
      fc.property(pieces, interval, (inserted, [from, to]) => {
        const intervals = union([], inserted)
        const inside = clip(intervals, from, to)
        const missing = gaps(intervals, from, to)
        expectInOrder(missing)
        expect(quarters([...inside, ...missing])).toEqual(quarters([[from, to]]))
        expect(totalLength(inside) + totalLength(missing)).toBeCloseTo(to - from)
      }),
      { numRuns: 3_000 },
    )
  })

  test('merge touching pieces and ignore empty and inverted ones', () => {
    expect(insert([[0, 1]], [1 + 5e-7, 2])).toEqual([[0, 2]])
    expect(insert([[0, 1]], [1.01, 2])).toEqual([
      [0, 1],
      [1.01, 2],
    ])
    for (const [from, to] of [
      [3, 3],
      [4, 3],
      [Number.NaN, 3],
      [0, Number.NaN],
    ] as Interval[])
      expect(insert([[0, 1]], [from, to])).toEqual([[0, 1]])
  })

  test('beyond the maximum lose the shortest and never gain anything', () => {
    fc.assert(
      fc.property(fc.array(interval, { minLength: 8, maxLength: 40 }), inserted => {
        let intervals: Intervals = []
        for (const piece of inserted) intervals = insert(intervals, piece, 4)
        expectInOrder(intervals)
        expect(intervals.length).toBeLessThanOrEqual(4)
        const insertedQuarters = new Set(quarters(inserted))
        expect(quarters(intervals).filter(quarter => !insertedQuarters.has(quarter))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
    expect(
      insert(
        [
          [0, 5],
          [10, 11],
        ],
        [20, 30],
        2,
      ),
    ).toEqual([
      [0, 5],
      [20, 30],
    ])
  })
})
