import { expect, test } from '@jest/globals'
import { overallAt } from '../../src/features/player/overall-progress.ts'
import { durationText, positionText } from '../../src/features/player/time-text.ts'
import { playlistOf } from './_session-driver.ts'

test('positions are m:ss, with hours h:mm:ss, and nonsense is the start', () => {
  expect([0, 9.9, 65, 3599, 3661, -3, Number.NaN].map(positionText)).toEqual([
    '0:00',
    '0:09',
    '1:05',
    '59:59',
    '1:01:01',
    '0:00',
    '0:00',
  ])
})

test('durations are hours and minutes, and below a minute seconds too', () => {
  expect([0, 45.6, 60, 3600, 3899, 7260].map(durationText)).toEqual([
    '0h 00m',
    '0h 00m 45s',
    '0h 01m',
    '1h 00m',
    '1h 05m',
    '2h 01m',
  ])
})

test('videos that cannot play count on neither side of the overall progress', () => {
  const playlist = playlistOf(4)
  const at = (changes = {}) => ({ playlist, index: 2, unavailable: [], phase: 'playing' as const, ...changes })
  expect(overallAt(at(), 30)).toEqual({ percent: 62, watchedMinutes: 2, totalMinutes: 4 })
  expect(overallAt(at({ unavailable: ['v0'] }), 30)).toEqual({ percent: 50, watchedMinutes: 1, totalMinutes: 3 })
  expect(overallAt(at({ phase: 'completed', index: 3 }), 0).percent).toBe(100)
  expect(overallAt({ ...at(), playlist: playlistOf(0) }, 0).percent).toBe(0)
})
