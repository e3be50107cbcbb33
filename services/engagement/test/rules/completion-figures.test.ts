import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { averageRate, ratePerson, type WeightedRate, weighRates } from '../../src/rules/completion-figures.ts'

const tenth = fc.integer({ min: 0, max: 1000 }).map(value => value / 10)
const video: fc.Arbitrary<WeightedRate> = fc.record({ rate: tenth, duration: fc.integer({ min: 1, max: 86_400 }) })
const videos = fc.array(video, { minLength: 1, maxLength: 20 })

describe('completion over several videos', () => {
  test('is credited seconds of all seconds', () => {
    const playlist = [
      { rate: 100, duration: 300 },
      { rate: 0, duration: 600 },
    ]
    expect([weighRates(playlist), ratePerson(playlist)]).toEqual([33.3, 33])
    expect(weighRates([{ rate: 50, duration: 0 }])).toBe(0)
    expect([weighRates([]), ratePerson([])]).toEqual([0, 0])
  })

  test('lies between the lowest and the highest rate', () => {
    fc.assert(
      fc.property(videos, list => {
        const rates = list.map(({ rate }) => rate)
        const rate = weighRates(list)
        expect(rate).toBeGreaterThanOrEqual(Math.min(...rates) - 0.05)
        expect(rate).toBeLessThanOrEqual(Math.max(...rates) + 0.05)
      }),
    )
  })

  test('reads 100 exactly when every video does', () => {
    fc.assert(
      fc.property(videos, list => {
        expect(weighRates(list) === 100).toBe(list.every(({ rate }) => rate === 100))
        expect(ratePerson(list) === 100).toBe(list.every(({ rate }) => rate === 100))
      }),
    )
  })

  test('does not depend on the order, and more credit never lowers it', () => {
    fc.assert(
      fc.property(videos, tenth, (list, added) => {
        expect(weighRates(list.toReversed())).toBeCloseTo(weighRates(list), 5)
        const [first, ...others] = list as [WeightedRate, ...WeightedRate[]]
        const more = [{ ...first, rate: Math.min(100, first.rate + added) }, ...others]
        expect(weighRates(more)).toBeGreaterThanOrEqual(weighRates(list))
      }),
    )
  })

  test('of a person with one playlist shows the same figure as the playlist', () => {
    fc.assert(fc.property(videos, list => expect(ratePerson(list)).toBe(Math.floor(weighRates(list)))))
  })
})

test('a team’s average is the rounded mean of its members, and 0 without members', () => {
  expect([averageRate(0, 0), averageRate(141, 2), averageRate(66, 1)]).toEqual([0, 71, 66])
})
