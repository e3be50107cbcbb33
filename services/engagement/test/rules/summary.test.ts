import { describe, expect, test } from '@jest/globals'
import type { Intervals } from '../../src/rules/intervals.ts'
import { creditedSeconds, summarise } from '../../src/rules/summary.ts'
import type { VideoWatch } from '../../src/rules/watch-state.ts'

function watch(intervals: Intervals, fields: Partial<VideoWatch> = {}): VideoWatch {
  return { intervals, watchTime: 0, duration: null, notes: {}, completedAt: null, lastReportAt: 0, ...fields }
}

describe('the summary of a video', () => {
  test.each([
    [89.96, 89.9],
    [89.94, 89.9],
    [89.84, 89.8],
    [90, 90],
    [90.04, 90],
    [45.67, 45.7],
    [0, 0],
    [100, 100],
  ])('shows %d percent as %d', (rate, shown) => {
    const summary = summarise(watch([[0, rate]]), 100)
    expect(summary.completionRate).toBe(shown)
    expect(summary.completed).toBe(rate >= 90)
  })

  test('lists watched and missing parts within the video', () => {
    const intervals: Intervals = [
      [10, 20],
      [20.4, 50],
      [90, 130],
    ]
    expect(summarise(watch(intervals, { watchTime: 81.26 }), 100)).toMatchObject({
      watched: [
        [10, 20],
        [20.4, 50],
        [90, 100],
      ],
      missing: [
        [0, 10],
        [50, 90],
      ],
      watchTime: 81.26,
      completed: false,
    })
  })

  test('lists short missing parts when it has no longer parts', () => {
    const slivers = Array.from({ length: 5 }, (_, n) => [n * 2, n * 2 + 1.5] as const)
    expect(summarise(watch(slivers), 10).missing).toHaveLength(5)
  })

  test('is empty for an unwatched video and for an unknown duration', () => {
    const nothing = { completionRate: 0, watchTime: 0, watched: [], notes: [], completed: false, completedAt: null }
    expect(summarise(undefined, 60)).toEqual({ ...nothing, missing: [[0, 60]] })
    expect(summarise(watch([[0, 5]]), null)).toEqual({ ...nothing, watchTime: 5, watched: [[0, 5]], missing: [] })
    expect(summarise(watch([[0, 5]]), 0).completionRate).toBe(0)
  })

  test('never rounds the watch time below what was credited once', () => {
    const intervals: Intervals = [
      [0, 10.006],
      [12.004, 20.006],
    ]
    const { watched, watchTime } = summarise(watch(intervals, { watchTime: 18.008 }), 30)
    expect(watchTime).toBe(18.02)
    expect(watchTime).toBe(creditedSeconds(watched))
  })

  test('describes each note in a sentence', () => {
    const notes = {
      elsewhere: { times: 1, seconds: 9.96 },
      hidden: { times: 2, seconds: 30 },
      too_fast: { times: 4, seconds: 61 },
      skipped: { times: 2, seconds: 400.04 },
    }
    expect(summarise(watch([], { notes }), 100).notes).toEqual([
      { code: 'skipped', times: 2, seconds: 400, words: 'Jumped ahead 2 times, over 6:40' },
      { code: 'too_fast', times: 4, seconds: 61, words: '1:01 reported faster than they could be watched' },
      { code: 'hidden', times: 2, seconds: 30, words: '0:30 played where nobody could see it' },
      { code: 'elsewhere', times: 1, seconds: 10, words: '0:10 reported once without the monitored session' },
    ])
  })
})
