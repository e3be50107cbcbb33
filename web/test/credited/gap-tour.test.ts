import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { followTour, type Gap, startTour } from '../../src/features/credited/gap-tour.ts'

const gaps: Gap[] = [
  [10, 20],
  [50, 55],
]

describe('a tour of the gaps', () => {
  test('begins shortly before the first gap', () => {
    expect(startTour(gaps, 0)).toMatchObject({ type: 'jump', to: 9.5, tour: { index: 0 } })
    expect(startTour([[0, 5]], 0).to).toBe(0)
  })

  test('jumps at the end of a gap and ends after the last', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, 15, 60, 5_000)).toEqual({ type: 'stay' })
    const next = followTour(tour, 20.6, 60, 11_000)
    expect(next).toMatchObject({ type: 'jump', to: 49.5, tour: { index: 1 } })
    if (next.type !== 'jump') throw new Error('it must jump')
    expect(followTour(next.tour, 55.2, 60, 17_000)).toEqual({ type: 'stay' })
    expect(followTour(next.tour, 55.6, 60, 18_000)).toEqual({ type: 'finish' })
  })

  test('ignores the player’s position just after a jump', () => {
    const { tour } = startTour(gaps, 1_000)
    expect(followTour(tour, 300, 400, 2_000)).toEqual({ type: 'stay' })
    expect(followTour(tour, 300, 400, 3_000)).toEqual({ type: 'give-up' })
  })

  test('stops when the viewer moves elsewhere', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, 2, 60, 3_000)).toEqual({ type: 'give-up' })
    expect(followTour(tour, 40, 60, 3_000)).toEqual({ type: 'give-up' })
  })

  test('plays every second of every gap and little else, for any gaps', () => {
    const gapLists = fc
      .uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 2, maxLength: 12 })
      .map(bounds => bounds.sort((a, b) => a - b))
      .map(bounds =>
        Array.from(
          { length: Math.floor(bounds.length / 2) },
          (_, index): Gap => [bounds[2 * index]!, bounds[2 * index + 1]!],
        ),
      )
    fc.assert(
      fc.property(gapLists, gapList => {
        const duration = 300
        let move = startTour(gapList, 0)
        let position = move.to
        let range = [position, position]
        const playedRanges: number[][] = []
        for (let second = 1; second < 2_000; second += 1) {
          position = Math.min(duration, position + 1)
          range[1] = position
          const next = followTour(move.tour, position, duration, second * 1_000)
          if (next.type === 'stay') continue
          playedRanges.push(range)
          if (next.type !== 'jump') {
            expect(next.type).toBe('finish')
            break
          }
          move = next
          position = next.to
          range = [position, position]
        }
        for (const [from, to] of gapList)
          expect(playedRanges.some(([start, end]) => start! <= from && end! >= to)).toBe(true)
        const playedSeconds = playedRanges.reduce((sum, [start, end]) => sum + end! - start!, 0)
        expect(playedSeconds).toBeLessThanOrEqual(gapList.reduce((sum, [from, to]) => sum + to - from + 4, 0))
      }),
    )
  })
})
