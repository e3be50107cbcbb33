import { expect, test } from '@jest/globals'
import { overallProgressAt } from '../../src/features/player/controls/overall-progress.ts'
import { makeSessionPlaylist } from './_session-driver.ts'

test('the overall progress leaves unavailable videos out', () => {
  const playlist = makeSessionPlaylist(4)
  const makeState = (changes = {}) => ({ playlist, index: 2, unavailable: [], phase: 'playing' as const, ...changes })
  expect(overallProgressAt(makeState(), 30)).toEqual({ percent: 62, watchedMinutes: 2, totalMinutes: 4 })
  expect(overallProgressAt(makeState({ unavailable: ['v0'] }), 30)).toEqual({
    percent: 50,
    watchedMinutes: 1,
    totalMinutes: 3,
  })
  expect(overallProgressAt(makeState({ phase: 'completed', index: 3 }), 0).percent).toBe(100)
  expect(overallProgressAt({ ...makeState(), playlist: makeSessionPlaylist(0) }, 0).percent).toBe(0)
})
