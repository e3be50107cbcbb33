import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openGaps, playlistFigures, videoFigures } from '../../src/features/watch-credit/credit-figures.ts'
import { makePlaylistWatch, makeVideoWatch } from './_watch-data.ts'

const video = makeVideoWatch({ duration: 100, completion_rate: 40, watched: [[0, 40]], missing: [[40, 100]] })
const played = (from: number, to: number, videoId = 'v0') => ({ videoId, from, to })

describe('the credited figures', () => {
  test('are the server’s while nothing is provisional', () => {
    expect(videoFigures(makeVideoWatch({ completion_rate: 89.9 })).percent).toBe(89)
    expect(videoFigures(video)).toMatchObject({ percent: 40, watchedS: 40, provisionalS: 0 })
    expect(videoFigures(video, [played(10, 30)])).toMatchObject({ percent: 40, watchedS: 40, provisionalS: 0 })
  })

  test('grow by what is played and not credited yet, once', () => {
    const figures = videoFigures(video, [played(30, 45), played(43, 50), played(0, 90, 'v1')])
    expect(figures).toMatchObject({ percent: 50, watchedS: 50, provisionalS: 10 })
  })

  test('of a playlist leave out unavailable videos and what is played in them', () => {
    const watch = makePlaylistWatch(
      [
        video,
        makeVideoWatch({ video_id: 'v1', duration: 50, unavailable: true, watched: [[0, 50]] }),
        makeVideoWatch({ video_id: 'v2', duration: 100, completion_rate: 0, watched: [] }),
      ],
      { completion_rate: 20 },
    )
    const figures = playlistFigures(watch, [played(0, 10, 'v2'), played(0, 50, 'v1')])
    expect(figures).toMatchObject({ length: 200, percent: 25, watchedS: 50, provisionalS: 10 })
    expect(figures.provisional).toEqual([{ from: 100, to: 110 }])
    expect(playlistFigures(makePlaylistWatch([], { completion_rate: 0 })).percent).toBe(0)
  })

  test('never exceed the length, for any ranges', () => {
    const position = fc.double({ min: -10, max: 130, noNaN: true })
    const ranges = fc.array(fc.tuple(position, position), { maxLength: 8 })
    fc.assert(
      fc.property(ranges, ranges, (watched, provisional) => {
        const figures = videoFigures(
          { ...video, watched },
          provisional.map(([from, to]) => played(from, to)),
        )
        expect(figures.watchedS).toBeLessThanOrEqual(100.0001)
        expect(figures.percent).toBeLessThanOrEqual(100)
        expect(figures.provisionalS).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('the open gaps of a video', () => {
  test('are the server’s, without what is played and being confirmed', () => {
    expect(openGaps(video)).toEqual([{ from: 40, to: 100 }])
    expect(openGaps(video, [played(0, 90, 'v1')])).toEqual([{ from: 40, to: 100 }])
    expect(openGaps(video, [played(30, 60.5), played(70, 80)])).toEqual([
      { from: 60.5, to: 70 },
      { from: 80, to: 100 },
    ])
    expect(openGaps(video, [played(40, 99.5)])).toEqual([])
  })
})
