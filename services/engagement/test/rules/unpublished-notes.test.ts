import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { selectNotesToPublish } from '../../src/rules/unpublished-notes.ts'
import { emptyState, type NoteCode, noteCodes, type VideoWatch, type WatchState } from '../../src/rules/watch-state.ts'

const keys = ['p:a', 'p:b', 'p:c'] as const
const report: fc.Arbitrary<{ key: string; code: NoteCode | null; waitMs: number }> = fc.record({
  key: fc.constantFrom(...keys),
  code: fc.option(fc.constantFrom(...noteCodes)),
  waitMs: fc.integer({ min: 0, max: 90_000 }),
})

function addNote(state: WatchState, key: string, code: NoteCode | null, now: number): WatchState {
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

test('publishes every note once, at most once a minute for each video; a later report publishes the remaining notes', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 60 }), reports => {
      let now = 1_000_000
      let stored: { state: WatchState; unpublishedKeys: readonly string[] } = { state: emptyState, unpublishedKeys: [] }
      const publishedTimes = new Map<string, number>()
      const publishedAt = new Map<string, number>()
      const publishDue = (state: WatchState, touched: string[]) => {
        const selection = selectNotesToPublish(stored, state, new Set(touched), now)
        for (const { key, notes } of selection.notesToPublish) {
          expect(now - (publishedAt.get(key) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(
            limits.integrityNoteMs,
          )
          publishedAt.set(key, now)
          for (const { code, times } of notes) {
            expect(times).toBeGreaterThan(0)
            publishedTimes.set(`${key} ${code}`, (publishedTimes.get(`${key} ${code}`) ?? 0) + times)
          }
        }
        stored = selection
      }
      for (const { key, code, waitMs } of reports) {
        now += waitMs
        publishDue(addNote(stored.state, key, code, now), [key])
      }
      now += limits.integrityNoteMs
      publishDue(stored.state, [])
      expect(stored.unpublishedKeys).toEqual([])
      for (const [key, video] of Object.entries(stored.state.videos))
        for (const code of noteCodes)
          expect(publishedTimes.get(`${key} ${code}`) ?? 0).toBe(video.notes[code]?.times ?? 0)
    }),
  )
})

test('changes and copies nothing when there are no new notes', () => {
  const state = addNote(emptyState, 'p:a', null, 1)
  const stored = { state: emptyState, unpublishedKeys: [] }
  const selection = selectNotesToPublish(stored, state, new Set(['p:a']), 1)
  // The first watch of a video has an empty set of notes.
  expect(selection.notesToPublish).toEqual([])
  const later = addNote(state, 'p:a', null, 2)
  const unchanged = selectNotesToPublish(
    { state, unpublishedKeys: selection.unpublishedKeys },
    later,
    new Set(['p:a']),
    2,
  )
  expect(unchanged.state).toBe(later)
  expect(unchanged.unpublishedKeys).toBe(selection.unpublishedKeys)
})
