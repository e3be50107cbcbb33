import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { applyReports } from '../../src/rules/apply-reports.ts'
import { applyReport, fillBank, type Report } from '../../src/rules/crediting.ts'
import { isPlaylistComplete, summarisePlaylist } from '../../src/rules/overview.ts'
import type { Playlist } from '../../src/rules/playlist.ts'
import { resetPlaylist } from '../../src/rules/reset-playlist.ts'
import { emptyState, videoKey, type WatchState } from '../../src/rules/watch-state.ts'
import type { Watcher } from '../../src/rules/watcher-update.ts'

const rules = { maxPlaybackRate: 1 }
const resetAt = 1_000_000
const video = (id: string) => ({ id, title: id, duration: 100, unavailable: false })
const playlist = { id: 'p', title: 'P', deletedAt: null, videos: [video('a'), video('b')] } as unknown as Playlist
const sid = 'sid'

const aReport = fc.record({
  key: fc.constantFrom(videoKey('p', 'a'), videoKey('p', 'b'), videoKey('other', 'a')),
  type: fc.constantFrom('play' as const, 'playing' as const, 'pause' as const),
  position: fc.integer({ min: 0, max: 100 }),
  clientTime: fc.option(fc.integer({ min: resetAt - 400_000, max: resetAt + 400_000 })),
})
const reports = fc.array(aReport, { maxLength: 30 })

/** Applies reports one second after the other, from `from` on, with the lock since `lockedAt`. */
function applyAll(
  state: WatchState,
  list: readonly Pick<Report, 'key' | 'type' | 'position' | 'clientTime'>[],
  { from, lockedAt }: { from: number; lockedAt: number | undefined },
): WatchState {
  return list.reduce((before, report, index) => {
    const now = from + index * 1_000
    const lock = lockedAt === undefined ? undefined : { sid, fence: lockedAt, acquiredAt: lockedAt }
    return applyReport(before, { ...report, eventId: null, sid, rate: 1 }, { now, lock, duration: 100 }, rules).state
  }, state)
}
const watchTimeOf = (state: WatchState) =>
  Object.values(state.videos).reduce((sum, { watchTime }) => sum + watchTime, 0)
const watcherOf = (state: WatchState): Watcher => ({
  ...{ personId: 'person', version: 1, state },
  ...{ completedPlaylists: ['other', 'p'], unpublishedKeys: Object.keys(state.videos) },
})
const reset = (state: WatchState, playlistId: string, at: number) => resetPlaylist(watcherOf(state), playlistId, at)
const present = (state: WatchState) => summarisePlaylist(playlist, state.videos)

test('after a reset nothing of the playlist is watched, all of it is in the history, and other playlists stay', () => {
  fc.assert(
    fc.property(reports, list => {
      const before = applyAll(emptyState, list, { from: resetAt - 60_000, lockedAt: resetAt - 200_000 })
      const { state } = reset(before, 'p', resetAt)!
      const { completionRate, watchTime, completedVideos, earlierAttempts } = present(state)
      expect([completionRate, watchTime, completedVideos]).toEqual([0, 0, 0])
      expect(watchTimeOf(state)).toBeCloseTo(watchTimeOf(before))
      expect(earlierAttempts.map(attempt => attempt.watchTime)).toEqual(
        before.videos[videoKey('p', 'a')] || before.videos[videoKey('p', 'b')] ? [present(before).watchTime] : [],
      )
      expect(state.videos[videoKey('other', 'a')]).toBe(before.videos[videoKey('other', 'a')])
      expect(isPlaylistComplete(playlist, state.videos)).toBe(false)
      expect(reset(state, 'p', resetAt)).toBeUndefined()
      expect(reset(state, 'p', resetAt - 1)).toBeUndefined()
    }),
  )
})

test('reports and lock time from before a reset earn nothing after it, whenever they arrive', () => {
  fc.assert(
    fc.property(reports, reports, fc.integer({ min: 0, max: 20 }), (early, late, lockedS) => {
      const before = applyAll(emptyState, early, { from: resetAt - 60_000, lockedAt: resetAt - 200_000 })
      const afterReset = reset(before, 'p', resetAt)!.state
      const lockedUntil = { fence: resetAt - 200_000, sid, from: resetAt - 200_000, to: resetAt + lockedS * 1_000 }
      const filled = fillBank(afterReset, lockedUntil, resetAt + 30_000, rules).state
      const after = applyAll(filled, late, { from: resetAt + 30_000, lockedAt: undefined })
      expect(present(after).watchTime).toBeLessThanOrEqual(lockedS + limits.overdraftS + 0.1)
    }),
  )
})

test('a report whose lock names the reset has the result of a report after the event of the reset', () => {
  const after = { sid, fence: 2, acquiredAt: resetAt + 1_000 }
  fc.assert(
    fc.property(reports, aReport, (list, report) => {
      const before = watcherOf(applyAll(emptyState, list, { from: resetAt - 60_000, lockedAt: resetAt - 200_000 }))
      const now = resetAt + 20_000
      const submit = (watcher: Watcher, facts: { resetAt?: number }) => {
        const submitted = { ...report, eventId: null, sid, rate: 1 }
        const submission = {
          personId: 'person',
          report: submitted,
          facts: { now, lock: after, duration: 100, ...facts },
        }
        return applyReports(watcher, [submission], rules, now)
      }
      const isReported = report.key !== videoKey('other', 'a')
      const update = submit(before, { resetAt: isReported ? resetAt : undefined })
      const expected = submit(isReported ? { ...before, ...reset(before.state, 'p', resetAt) } : before, {})
      const resultOf = ({ state, completedPlaylists, unpublishedKeys, credited, notesToPublish }: typeof update) => ({
        ...{ state, completedPlaylists, unpublishedKeys, credited, notesToPublish },
      })
      expect(resultOf(update)).toEqual(resultOf(expected))
      expect(update.before).toBe(before)
      // A repeated submission, and the event, find the reset applied.
      const stored = { ...before, ...resultOf(update) }
      expect(submit(stored, { resetAt: isReported ? resetAt : undefined }).state).toEqual(submit(stored, {}).state)
    }),
  )
})
