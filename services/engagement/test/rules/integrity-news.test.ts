import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { integrityNews } from '../../src/rules/integrity-news.ts'
import { emptyState, type NoteCode, noteCodes, type VideoWatch, type WatchState } from '../../src/rules/watch-state.ts'

const keys = ['p:a', 'p:b', 'p:c'] as const
const noted: fc.Arbitrary<{ key: string; code: NoteCode | null; waitMs: number }> = fc.record({
  key: fc.constantFrom(...keys),
  code: fc.option(fc.constantFrom(...noteCodes)),
  waitMs: fc.integer({ min: 0, max: 90_000 }),
})

function note(state: WatchState, key: string, code: NoteCode | null, now: number): WatchState {
  const before: VideoWatch = state.videos[key] ?? {
    intervals: [],
    watchTime: 0,
    duration: 10,
    notes: {},
    completedAt: null,
    lastReportAt: now,
  }
  const times = (code && before.notes[code]?.times) ?? 0
  const notes = code ? { ...before.notes, [code]: { times: times + 1, seconds: times } } : before.notes
  return { ...state, videos: { ...state.videos, [key]: { ...before, lastReportAt: now, notes } } }
}

test('whatever is noted is told once, of each video once a minute at most, and a later report tells the rest', () => {
  fc.assert(
    fc.property(fc.array(noted, { maxLength: 60 }), reports => {
      let now = 1_000_000
      let stored: { state: WatchState; untold: readonly string[] } = { state: emptyState, untold: [] }
      const told = new Map<string, number>()
      const toldAt = new Map<string, number>()
      const take = (state: WatchState, touched: string[]) => {
        const telling = integrityNews(stored, state, new Set(touched), now)
        for (const { key, notes } of telling.news) {
          expect(now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(limits.integrityNoteMs)
          toldAt.set(key, now)
          for (const { code, times } of notes) {
            expect(times).toBeGreaterThan(0)
            told.set(`${key} ${code}`, (told.get(`${key} ${code}`) ?? 0) + times)
          }
        }
        stored = telling
      }
      for (const { key, code, waitMs } of reports) {
        now += waitMs
        take(note(stored.state, key, code, now), [key])
      }
      now += limits.integrityNoteMs
      take(stored.state, [])
      expect(stored.untold).toEqual([])
      for (const [key, video] of Object.entries(stored.state.videos))
        for (const code of noteCodes) expect(told.get(`${key} ${code}`) ?? 0).toBe(video.notes[code]?.times ?? 0)
    }),
  )
})

test('without anything noted nothing changes, and nothing is copied', () => {
  const state = note(emptyState, 'p:a', null, 1)
  const stored = { state: emptyState, untold: [] }
  const telling = integrityNews(stored, state, new Set(['p:a']), 1)
  // The first watch of a video has notes of its own, none.
  expect(telling.news).toEqual([])
  const again = note(state, 'p:a', null, 2)
  const quiet = integrityNews({ state, untold: telling.untold }, again, new Set(['p:a']), 2)
  expect(quiet.state).toBe(again)
  expect(quiet.untold).toBe(telling.untold)
})
