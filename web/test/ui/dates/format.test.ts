import { describe, expect, test } from '@jest/globals'
import {
  formatCount,
  formatDuration,
  formatPosition,
  formatRelativeTime,
  formatWatched,
  formatWatchTime,
  initialsOf,
} from '../../../src/ui/dates/format.ts'
import { findDateLocale } from '../../../src/ui/dates/time-format.ts'

test.each([
  [0, '0 s'],
  [0.4, '1 s'],
  [45.6, '45 s'],
  [60, '1m'],
  [95, '1m 35s'],
  [213, '3m 33s'],
  [3_599, '59m 59s'],
  [3_600, '1h 00m'],
  [3_900, '1h 05m'],
  [3_959.9, '1h 05m'],
  [36_000, '10h 00m'],
])('a duration of %d s is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test.each([
  [0, '0:00'],
  [9.99, '0:09'],
  [130, '2:10'],
  [3_600, '1:00:00'],
  [3_725, '1:02:05'],
  [-3, '0:00'],
  [Number.NaN, '0:00'],
])('a position of %d s is %s', (seconds, text) => {
  expect(formatPosition(seconds)).toBe(text)
})

describe('formatRelativeTime', () => {
  const now = Date.parse('2026-11-20T12:00:00.000Z')
  const formatAgo = (ms: number) => formatRelativeTime(new Date(now - ms).toISOString(), now)

  test.each([
    [0, 'Just now'],
    [59_999, 'Just now'],
    [60_000, '1m ago'],
    [59 * 60_000 + 59_999, '59m ago'],
    [3_600_000, '1h ago'],
    [24 * 3_600_000 - 1, '23h ago'],
  ])('%d ms ago is %s', (ms, text) => {
    expect(formatAgo(ms)).toBe(text)
  })

  test('after a day shows the date', () => {
    expect(formatAgo(24 * 3_600_000)).toMatch(/2026/)
  })

  test('treats a server clock that is ahead as now', () => {
    expect(formatAgo(-5_000)).toBe('Just now')
  })

  test('shows nothing for an invalid time', () => {
    expect(formatRelativeTime('never', now)).toBe('')
  })
})

test('watch time is shown in minutes, and below a minute in seconds', () => {
  expect([0, 0.4, 36.8, 59.9, 60, 754].map(formatWatchTime)).toEqual([
    '0 min',
    '1 s',
    '36 s',
    '59 s',
    '1 min',
    '12 min',
  ])
})

test.each([
  [36.6, 36.6, '36 of 36 s watched'],
  [23.9, 37, '23 of 37 s watched'],
  [0, 37, '0 of 37 s watched'],
  [0, 300, '0 s of 5m watched'],
  [90, 300, '1m 30s of 5m watched'],
  [3_659, 7_200, '1h 00m of 2h 00m watched'],
  // A missing part of a second never reads as complete.
  [50.1, 50.6, '49 of 50 s watched'],
  [0.2, 0.8, '0 of 1 s watched'],
  [90.1, 90.9, '1m 29s of 1m 30s watched'],
  [7_201, 7_230, '1h 59m of 2h 00m watched'],
  [7_230, 7_230, '2h 00m of 2h 00m watched'],
])('%d s of %d s read as %s', (watched, total, text) => {
  expect(formatWatched(watched, total)).toBe(text)
})

test('a count agrees with its noun', () => {
  expect([0, 1, 2].map(count => formatCount(count, 'video'))).toEqual(['0 videos', '1 video', '2 videos'])
})

test.each([
  ['Trainee One', 'TO'],
  ['  Supervisor of  Two ', 'ST'],
  ['Director', 'D'],
  ['Trainee 12', 'T12'],
  ['Trainee Number 2041', 'T041'],
  ['Trainee7', 'T7'],
  ['2041', '2'],
  ['', ''],
])('the initials of "%s" are "%s"', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test.each([
  ['en-US', 'Nov 3, 2026, 2:05 PM'],
  ['en-GB', '3 Nov 2026, 14:05'],
  ['de-DE', '3 Nov 2026, 14:05'],
  ['de', '3 Nov 2026, 14:05'],
  ['fa-IR', '3 Nov 2026, 14:05'],
])('a date in a browser in %s is English and in the order of its region', (systemLocale, text) => {
  const date = new Date('2026-11-03T14:05:00Z')
  const format = { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' } as const
  expect(date.toLocaleString(findDateLocale(systemLocale), format).replaceAll('\u202f', ' ')).toBe(text)
})

test.each(['C', '', 'en-US@posix', 'not a locale'])(
  'a browser whose system locale is "%s" shows dates',
  systemLocale => {
    expect(new Date('2026-11-03T14:05:00Z').toLocaleDateString(findDateLocale(systemLocale))).toContain('2026')
  },
)
