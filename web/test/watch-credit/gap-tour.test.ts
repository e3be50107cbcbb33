import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { followTour, type Gap, startTour } from '../../src/features/watch-credit/gap-tour.ts'

const makeGap = (from: number, to: number, videoId = 'v0'): Gap => ({ videoId, from, to })
const gaps = [makeGap(10, 20), makeGap(50, 55)]
const playing = (position: number, duration: number, videoId = 'v0') => ({ videoId, ended: false, position, duration })

describe('a tour of the gaps', () => {
  test('begins shortly before the first gap', () => {
    expect(startTour(gaps, 0)).toMatchObject({ type: 'jump', to: 9.5, tour: { index: 0 } })
    expect(startTour([makeGap(0, 5)], 0).to).toBe(0)
  })

  test('jumps at the end of a gap and ends after the last', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, playing(15, 60), 5_000)).toEqual({ type: 'stay' })
    const next = followTour(tour, playing(20.6, 60), 11_000)
    expect(next).toMatchObject({ type: 'jump', to: 49.5, tour: { index: 1 } })
    if (next.type !== 'jump') throw new Error('it must jump')
    expect(followTour(next.tour, playing(55.2, 60), 17_000)).toEqual({ type: 'stay' })
    expect(followTour(next.tour, playing(55.6, 60), 18_000)).toEqual({ type: 'finish' })
  })

  test('ignores the player’s position just after a jump', () => {
    const { tour } = startTour(gaps, 1_000)
    expect(followTour(tour, playing(300, 400), 2_000)).toEqual({ type: 'stay' })
    expect(followTour(tour, playing(300, 400), 3_000)).toEqual({ type: 'give-up' })
  })

  test('stops when the viewer moves elsewhere', () => {
    const { tour } = startTour(gaps, 0)
    expect(followTour(tour, playing(2, 60), 3_000)).toEqual({ type: 'give-up' })
    expect(followTour(tour, playing(40, 60), 3_000)).toEqual({ type: 'give-up' })
  })

  test('goes on in another video, also when the video ends before the gap does', () => {
    const { tour } = startTour([makeGap(50, 60), makeGap(5, 9, 'v2')], 0)
    expect(followTour(tour, { ...playing(59.6, 60), ended: true }, 1_000)).toMatchObject({
      type: 'jump',
      videoId: 'v2',
      to: 4.5,
    })
    const next = followTour(tour, playing(60, 60), 11_000)
    if (next.type !== 'jump') throw new Error('it must jump')
    expect(followTour(next.tour, { ...playing(60, 60), ended: true }, 11_500)).toEqual({ type: 'stay' })
    expect(followTour(next.tour, playing(6, 60, 'v2'), 14_000)).toEqual({ type: 'stay' })
    expect(followTour(next.tour, playing(9.5, 60, 'v2'), 17_000)).toEqual({ type: 'finish' })
    expect(followTour(next.tour, playing(6, 60, 'v1'), 14_000)).toEqual({ type: 'give-up' })
  })

  test('plays every second of every gap and little else, for any gaps', () => {
    const gapLists = fc
      .uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 2, maxLength: 12 })
      .map(bounds => bounds.sort((a, b) => a - b))
      .map(bounds =>
        Array.from({ length: Math.floor(bounds.length / 2) }, (_, index) =>
          makeGap(bounds[2 * index]!, bounds[2 * index + 1]!),
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
          const next = followTour(move.tour, playing(position, duration), second * 1_000)
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
        for (const { from, to } of gapList)
          expect(playedRanges.some(([start, end]) => start! <= from && end! >= to)).toBe(true)
        const playedSeconds = playedRanges.reduce((sum, [start, end]) => sum + end! - start!, 0)
        expect(playedSeconds).toBeLessThanOrEqual(gapList.reduce((sum, { from, to }) => sum + to - from + 4, 0))
      }),
    )
  })
})
