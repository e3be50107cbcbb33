import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { listCreditedParts } from '../../src/rules/credited-parts.ts'
import type { Intervals } from '../../src/rules/intervals.ts'
import type { Playlist } from '../../src/rules/playlist.ts'
import { videoKey, type Watches } from '../../src/rules/watch-state.ts'

function makePlaylist(id: string, durations: number[]): Playlist {
  const videos = durations.map((duration, index) => ({
    id: `v${index}`,
    title: '',
    duration,
    unavailable: duration === 0,
    lostAt: null,
  }))
  return { id, title: '', createdBy: '', sharedWith: [], revision: 1, videos, removedVideos: [], deletedAt: null }
}

function makeWatches(intervals: Record<string, Intervals>): Watches {
  return Object.fromEntries(
    Object.entries(intervals).map(([key, list]) => [
      videoKey(...(key.split(' ') as [string, string])),
      { intervals: list, watchTime: 0, notes: {}, completedAt: null, lastReportAt: 0 },
    ]),
  ) as unknown as Watches
}

test('the videos of all playlists stand end to end, and parts that touch are one', () => {
  const watches = makeWatches({ 'a v0': [[10, 20]], 'a v1': [[0, 5]], 'b v0': [[40, 60]] })
  const assigned = [makePlaylist('a', [20, 20, 0]), makePlaylist('b', [60])]
  expect(listCreditedParts(assigned, watches)).toEqual([
    [0.1, 0.25],
    [0.8, 1],
  ])
})

test('there are none without credit, and without a known length', () => {
  expect(listCreditedParts([makePlaylist('a', [20])], {})).toEqual([])
  expect(listCreditedParts([makePlaylist('a', [0])], {})).toEqual([])
})

test('however many gaps there are, the parts are few, in order, and their sum is what was credited', () => {
  const gap = fc.record({ skipped: fc.integer({ min: 1, max: 9 }), seen: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(fc.array(gap, { minLength: 1, maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (list, max) => {
      let at = 0
      const intervals = list.map(({ skipped, seen }): [number, number] => {
        const from = at + skipped
        at = from + seen
        return [from, at]
      })
      const parts = listCreditedParts([makePlaylist('a', [at + 1])], makeWatches({ 'a v0': intervals }), max)
      expect(parts.length).toBeLessThanOrEqual(max)
      const flat = parts.flat()
      expect(flat).toEqual([...flat].sort((left, right) => left - right))
      const credited = list.reduce((sum, { seen }) => sum + seen, 0) / (at + 1)
      const drawn = parts.reduce((sum, [from, to]) => sum + to - from, 0)
      expect(Math.abs(drawn - credited)).toBeLessThan(0.03)
    }),
  )
})
