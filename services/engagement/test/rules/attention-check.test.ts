import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import { answerCheck, askForAttention } from '../../src/rules/attention-check.ts'
import { resetPlaylist } from '../../src/rules/reset-playlist.ts'
import { emptyState, videoKey, type WatchState } from '../../src/rules/watch-state.ts'

const key = videoKey('p', 'v')
const draw = (checkId: string, random = 0) => ({ checkId, random })
const watch = (state: WatchState, credited: number, checkId: string, now: number, random = 0) =>
  askForAttention(state, { key, isPlaying: true, credited }, draw(checkId, random), now).state
const notesOf = (state: WatchState) => state.videos[key]?.notes.unanswered?.times ?? 0

const answer = (state: WatchState, action: 'answer' | 'extend', answeredAt: number, id = 'a', random = 0) =>
  answerCheck(state, { id, action, answeredAt, random })
const late = limits.attentionAnswerMs + 60_000

/** The check `a` was asked at 0 ms, and a second later a report confirmed its delivery. */
const askAndDeliver = () => watch(ask(), 0, 'b', 1_000)

/** A state in which the check `a` was asked at 0 ms. */
function ask(): WatchState {
  const state = watch(emptyState, limits.attentionMinS, 'a', 0)
  expect(state.attention?.open).toMatchObject({ id: 'a', key, askedAt: 0, answerUntil: limits.attentionAnswerMs })
  return state
}

test('a check comes after the drawn number of credited seconds, between the two limits', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), random => {
      let state: WatchState = emptyState
      let credited = 0
      for (; !state.attention?.open; credited += 10) state = watch(state, 10, 'a', credited * 1_000, random)
      expect(credited).toBeGreaterThanOrEqual(limits.attentionMinS)
      expect(credited).toBeLessThan(limits.attentionMaxS + 10)
    }),
  )
})

test('no check comes while nothing plays', () => {
  const report = { key, isPlaying: false, credited: limits.attentionMaxS }
  expect(askForAttention(emptyState, report, draw('a'), 0).state.attention?.open).toBeUndefined()
})

describe('an answer', () => {
  test('in time ends the check without a note, and a repetition changes nothing', () => {
    const effect = answer(ask(), 'answer', limits.attentionAnswerMs, 'a', 0.5)!
    expect(notesOf(effect.state)).toBe(0)
    expect(effect.state.attention).toMatchObject({ watched: 0, answeredId: 'a' })
    expect(effect.state.attention?.open).toBeUndefined()
    const repeated = answer(effect.state, 'answer', 99_999_999, 'a', 0.1)
    expect(repeated?.state).toBe(effect.state)
  })

  test('late ends the check with one note', () => {
    const noted = watch(askAndDeliver(), 10, 'b', late)
    expect(notesOf(noted)).toBe(1)
    expect(noted.attention?.open).toMatchObject({ id: 'a', noted: true })
    const effect = answer(noted, 'answer', late)!
    expect([notesOf(effect.state), effect.state.attention?.open]).toEqual([1, undefined])
  })

  test('of another check is refused', () => {
    expect(answer(ask(), 'answer', 0, 'b')).toBeUndefined()
    expect(answer(emptyState, 'extend', 0)).toBeUndefined()
  })
})

test('more time counts from the question, and also when it is asked for twice', () => {
  let state = ask()
  for (const now of [1_000, 2_000]) state = answer(state, 'extend', now)!.state
  expect(state.attention?.open?.answerUntil).toBe(limits.attentionExtendedMs)
  expect(notesOf(watch(state, 10, 'b', limits.attentionExtendedMs))).toBe(0)
})

describe('a check that no report followed in time', () => {
  test('was not delivered: its time begins again, without a note', () => {
    const state = watch(ask(), 10, 'b', late)
    expect(notesOf(state)).toBe(0)
    expect(state.attention?.open).toMatchObject({ id: 'a', answerUntil: late + limits.attentionAnswerMs, noted: false })
    expect(answer(state, 'extend', late)?.state.attention?.open?.answerUntil).toBe(late + limits.attentionExtendedMs)
  })

  test('is a note once a report has followed', () => {
    const again = watch(watch(ask(), 10, 'b', late), 10, 'b', late + 10_000)
    expect(notesOf(watch(again, 10, 'b', 2 * late + 10_000))).toBe(1)
  })
})

test('who ignores the checks gets a note for each', () => {
  let state: WatchState = emptyState
  const hour = 3_600
  for (let second = 0; second < hour; second += 10) state = watch(state, 10, `at ${second}`, second * 1_000)
  expect(notesOf(state)).toBeGreaterThanOrEqual(
    hour / (limits.attentionMinS + limits.attentionAnswerMs / 1_000 + 20) - 1,
  )
})

test('nobody avoids a check by changing tasks: one comes before the longest wait is credited', () => {
  const aReport = fc.record({ playlistId: fc.constantFrom('p', 'q', 'r'), credited: fc.integer({ min: 0, max: 15 }) })
  fc.assert(
    fc.property(fc.array(aReport, { minLength: 200, maxLength: 400 }), reports => {
      let state: WatchState = emptyState
      let credited = 0
      for (const [index, report] of reports.entries()) {
        const part = { key: videoKey(report.playlistId, 'v'), isPlaying: true, credited: report.credited }
        state = askForAttention(state, part, draw(`${index}`, 0.999), index * 10_000).state
        credited += report.credited
        if (state.attention?.open) return
        expect(credited).toBeLessThan(limits.attentionMaxS)
      }
    }),
  )
})

test('a check stays open in another task, and without an answer it is one note', () => {
  const other = { key: videoKey('q', 'v'), isPlaying: true, credited: 10 }
  const changed = askForAttention(ask(), other, draw('b'), 10_000).state
  expect(changed.attention).toMatchObject({ watched: 10, open: { id: 'a', key } })
  const noted = askForAttention(changed, other, draw('c'), late).state
  expect(notesOf(noted)).toBe(1)
  expect(noted.attention).toMatchObject({ watched: 20, open: { id: 'a', noted: true } })
})

test('a reset ends the check of the task, and the count goes on', () => {
  const state = watch(ask(), 10, 'b', 10_000)
  const watcher = { state, completedPlaylists: [], unpublishedKeys: [] }
  const expected = { watched: 10, askAfter: limits.attentionMinS }
  expect(resetPlaylist(watcher, 'p', 20_000)?.state.attention).toEqual(expected)
  expect(resetPlaylist(watcher, 'q', 20_000)?.state.attention).toBe(state.attention)
})
