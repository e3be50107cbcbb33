import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { followTour, type Gap, startTour } from '../../src/features/credited/gap-tour.ts'

const gaps: Gap[] = [
  [10, 20],
  [50, 55],
]

describe('playing just the gaps', () => {
  test('begins a little before the first', () => {
    expect(startTour(gaps, 0)).toMatchObject({ type: 'jump', to: 9.5, tour: { index: 0 } })
    expect(startTour([[0, 5]], 0).to).toBe(0)
  })

  test('goes on at the end of one and is over at the end of the last', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, 15, 60, 5_000)).toEqual({ type: 'stay' })
    const next = followTour(tour, 20.6, 60, 11_000)
    expect(next).toMatchObject({ type: 'jump', to: 49.5, tour: { index: 1 } })
    if (next.type !== 'jump') throw new Error('it must jump')
    expect(followTour(next.tour, 55.2, 60, 17_000)).toEqual({ type: 'stay' })
    expect(followTour(next.tour, 55.6, 60, 18_000)).toEqual({ type: 'finish' })
  })

  test('takes no notice of where the player stands just after a jump', () => {
    const { tour } = startTour(gaps, 1_000)
    expect(followTour(tour, 300, 400, 2_000)).toEqual({ type: 'stay' })
    expect(followTour(tour, 300, 400, 3_000)).toEqual({ type: 'give-up' })
  })

  test('gives up when the viewer goes elsewhere', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, 2, 60, 3_000)).toEqual({ type: 'give-up' })
    expect(followTour(tour, 40, 60, 3_000)).toEqual({ type: 'give-up' })
  })

  test('plays every second of every gap and little else, however the gaps lie', () => {
    const lists = fc
      .uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 2, maxLength: 12 })
      .map(cuts => cuts.sort((a, b) => a - b))
      .map(cuts =>
        Array.from({ length: Math.floor(cuts.length / 2) }, (_, at): Gap => [cuts[2 * at]!, cuts[2 * at + 1]!]),
      )
    fc.assert(
      fc.property(lists, gapList => {
        const duration = 300
        let move = startTour(gapList, 0)
        let position = move.to
        let stretch = [position, position]
        const played: number[][] = []
        for (let second = 1; second < 2_000; second += 1) {
          position = Math.min(duration, position + 1)
          stretch[1] = position
          const next = followTour(move.tour, position, duration, second * 1_000)
          if (next.type === 'stay') continue
          played.push(stretch)
          if (next.type !== 'jump') {
            expect(next.type).toBe('finish')
            break
          }
          move = next
          position = next.to
          stretch = [position, position]
        }
        for (const [from, to] of gapList) expect(played.some(([start, end]) => start! <= from && end! >= to)).toBe(true)
        const surplus = played.reduce((sum, [start, end]) => sum + end! - start!, 0)
        expect(surplus).toBeLessThanOrEqual(gapList.reduce((sum, [from, to]) => sum + to - from + 4, 0))
      }),
    )
  })
})
