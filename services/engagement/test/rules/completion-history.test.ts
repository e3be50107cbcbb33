import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { listPersonDays } from '../../src/rules/completion-history.ts'
import { insert } from '../../src/rules/intervals.ts'
import { findMembership } from '../../src/rules/membership.ts'
import { summariseMember } from '../../src/rules/overview.ts'
import type { Playlist } from '../../src/rules/playlist.ts'
import {
  addToHistory,
  addToTotals,
  averageOf,
  describeDays,
  emptyHistory,
  emptyTotals,
} from '../../src/rules/team-figures.ts'
import { changeVideo, closeDraft, openDraft } from '../../src/rules/watch-draft.ts'
import { emptyState, type Watches, type WatchState } from '../../src/rules/watch-state.ts'

const dayMs = 24 * 3600_000
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const dates = Array.from({ length: 12 }, (_, day) => dateOf(day * dayMs))

function makePlaylist(durations: number[]): Playlist {
  const videos = durations.map((duration, index) => ({
    id: `v${index}`,
    title: '',
    duration,
    unavailable: false,
    lostAt: null,
  }))
  return { id: 'p', title: '', createdBy: '', sharedWith: [], revision: 1, videos, removedVideos: [], deletedAt: null }
}

const durations = [60, 200]
const playlist = makePlaylist(durations)
const credit = fc.record({
  video: fc.integer({ min: 0, max: 1 }),
  from: fc.integer({ min: 0, max: 199 }),
  seconds: fc.integer({ min: 1, max: 60 }),
  at: fc.integer({ min: 0, max: dates.length * dayMs - 1 }),
})
const credits = fc.array(credit, { maxLength: 20 }).map(list => list.toSorted((left, right) => left.at - right.at))

function watch(list: readonly { video: number; from: number; seconds: number; at: number }[]): Watches {
  let state: WatchState = emptyState
  for (const { video, from, seconds, at } of list) {
    const duration = durations[video]!
    const start = Math.min(from, duration - 1)
    const draft = openDraft(state)
    changeVideo(draft, `p:v${video}`, at, ({ intervals }) => ({
      lastReportAt: at,
      duration,
      intervals: insert(intervals, [start, Math.min(duration, start + seconds)]),
    }))
    state = closeDraft(draft).state
  }
  return state.videos
}

/** Removes what the version before this one did not store. */
function forgetHistory(watches: Watches): Watches {
  return Object.fromEntries(Object.entries(watches).map(([key, { creditHistory: _, ...stored }]) => [key, stored]))
}

describe('the history of a person', () => {
  test('gives every day what the figures of that day were', () => {
    fc.assert(
      fc.property(credits, list => {
        const days = listPersonDays([playlist], watch(list), dateOf)
        for (const [index, date] of dates.entries()) {
          const then = summariseMember([playlist], watch(list.filter(({ at }) => at < (index + 1) * dayMs)))
          const day = days.findLast(candidate => candidate.date <= date)
          expect(day?.rate ?? 0).toBe(then.completionRate)
          expect(day?.completedVideos ?? 0).toBe(then.completedVideos)
        }
      }),
    )
  })

  test('ends at the present figures, also for watching of earlier versions', () => {
    fc.assert(
      fc.property(credits, list => {
        for (const watches of [watch(list), forgetHistory(watch(list))]) {
          const last = listPersonDays([playlist], watches, dateOf).at(-1)
          expect(last?.rate ?? 0).toBe(summariseMember([playlist], watches).completionRate)
        }
      }),
    )
  })

  test('keeps the credit of an earlier version when more is added', () => {
    const old = forgetHistory(watch([{ video: 1, from: 0, seconds: 50, at: dayMs }]))
    const draft = openDraft({ ...emptyState, videos: old })
    changeVideo(draft, 'p:v1', 3 * dayMs, ({ intervals }) => ({ intervals: insert(intervals, [50, 100]) }))
    expect(closeDraft(draft).state.videos['p:v1']?.creditHistory).toEqual([
      [dayMs, 50],
      [3 * dayMs, 100],
    ])
  })

  test('stays small', () => {
    const list = Array.from({ length: 500 }, (_, index) => ({
      video: 1,
      from: index % 199,
      seconds: 1,
      at: index * limits.playingEventS * 60_000,
    }))
    expect(watch(list)['p:v1']?.creditHistory?.length).toBeLessThanOrEqual(64)
  })
})

const undone = { progress: 'under_way', overdueTasks: 0, markedDoneTasks: 0 } as const

describe('the history of a team', () => {
  test('ends at the average', () => {
    fc.assert(
      fc.property(fc.array(credits, { maxLength: 6 }), members => {
        const totals = emptyTotals()
        const history = emptyHistory()
        for (const list of members) {
          const watches = watch(list)
          addToTotals(totals, summariseMember([playlist], watches), 1, undone)
          addToHistory(history, listPersonDays([playlist], watches, dateOf), { from: dates[3]!, isKnown: true })
        }
        const days = describeDays(history, dates)
        expect(days.at(-1)).toEqual({
          date: dates.at(-1),
          averageCompletion: averageOf(totals),
          completedVideos: totals.completedVideos,
          isCredited: members.some(list => list.length > 0),
        })
      }),
    )
  })

  test('begins with the first member, and counts a member from their first date', () => {
    const history = emptyHistory()
    addToHistory(history, [{ date: dates[2]!, rate: 40, completedVideos: 1 }], { from: dates[1]!, isKnown: true })
    addToHistory(history, [], { from: dates[3]!, isKnown: true })
    expect(describeDays(history, dates.slice(0, 5)).map(day => [day.date, day.averageCompletion])).toEqual([
      [dates[1], 0],
      [dates[2], 40],
      [dates[3], 20],
      [dates[4], 20],
    ])
    expect(describeDays(emptyHistory(), dates)).toEqual([
      { date: dates.at(-1), averageCompletion: 0, completedVideos: 0, isCredited: false },
    ])
  })

  test('says from which date on something was credited, even if the average rounds to zero', () => {
    const history = emptyHistory()
    addToHistory(history, [{ date: dates[2]!, rate: 2, completedVideos: 0 }], { from: dates[1]!, isKnown: true })
    for (let member = 0; member < 5; member += 1) addToHistory(history, [], { from: dates[1]!, isKnown: true })
    const days = describeDays(history, dates.slice(0, 4))
    expect(days.map(day => [day.averageCompletion, day.isCredited])).toEqual([
      [0, false],
      [0, true],
      [0, true],
    ])
  })

  test('counts what a member completed before joining from the day of joining', () => {
    const history = emptyHistory()
    addToHistory(history, [{ date: dates[0]!, rate: 40, completedVideos: 1 }], { from: dates[2]!, isKnown: true })
    expect(describeDays(history, dates.slice(0, 4)).map(day => [day.date, day.averageCompletion])).toEqual([
      [dates[2], 40],
      [dates[3], 40],
    ])
  })

  test('does not begin with people of whom only the age of the account is known', () => {
    const history = emptyHistory()
    addToHistory(history, [], { from: dates[0]!, isKnown: false })
    addToHistory(history, [{ date: dates[2]!, rate: 40, completedVideos: 1 }], { from: dates[2]!, isKnown: true })
    expect(describeDays(history, dates.slice(0, 3))).toEqual([
      { date: dates[2], averageCompletion: 20, completedVideos: 1, isCredited: true },
    ])
  })

  test.each([
    [{ joined: '2026-03-05', assigned: '2026-03-02', credited: '2026-03-03' }, true, '2026-03-05', true],
    [{ joined: '2026-03-05', assigned: '2026-03-02', credited: '2026-03-03' }, false, '2026-03-02', true],
    [{ joined: undefined, assigned: '2026-03-04', credited: '2026-03-03' }, true, '2026-03-03', true],
    [{ joined: '2026-03-05', assigned: undefined, credited: undefined }, false, '2026-03-05', true],
    [{ joined: undefined, assigned: undefined, credited: undefined }, true, '2026-01-01', false],
  ])('of a person with %j, in one team: %s, begins on %s', (dates, isOneTeam, from, isKnown) => {
    expect(findMembership({ ...dates, created: '2026-01-01' }, isOneTeam)).toEqual({ from, isKnown })
  })
})
