import { expect, test } from '@jest/globals'
import { overallProgressAt } from '../../src/features/player/controls/overall-progress.ts'
import { playlistOf } from './_session-driver.ts'

test('videos that cannot play count on neither side of the overall progress', () => {
  const playlist = playlistOf(4)
  const at = (changes = {}) => ({ playlist, index: 2, unavailable: [], phase: 'playing' as const, ...changes })
  expect(overallProgressAt(at(), 30)).toEqual({ percent: 62, watchedMinutes: 2, totalMinutes: 4 })
  expect(overallProgressAt(at({ unavailable: ['v0'] }), 30)).toEqual({
    percent: 50,
    watchedMinutes: 1,
    totalMinutes: 3,
  })
  expect(overallProgressAt(at({ phase: 'completed', index: 3 }), 0).percent).toBe(100)
  expect(overallProgressAt({ ...at(), playlist: playlistOf(0) }, 0).percent).toBe(0)
})
