import { expect, test } from '@jest/globals'
import { findReportDates, reportPeriod } from '@watchline/contracts/reports'
import type { ReportSchedule } from '@watchline/contracts/saved-reports'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import fc from 'fast-check'
import { findLastSending, findNextSending } from '../../src/rules/report-schedule.ts'

const quarterMs = 15 * 60_000
const clocks = { instantOf, localTimeOf }
const findNext = (schedule: ReportSchedule, after: string | number) =>
  new Date(findNextSending(schedule, new Date(after).getTime(), clocks)).toISOString()

const times = fc
  .record({ hour: fc.nat(23), quarter: fc.nat(3) })
  .map(({ hour, quarter }) => `${String(hour).padStart(2, '0')}:${String(quarter * 15).padStart(2, '0')}`)
const schedules: fc.Arbitrary<ReportSchedule> = fc
  .record({
    time: times,
    // Clock changes at night, at midnight (Beirut), of half an hour, of a whole day (Apia in 2011),
    // and none.
    time_zone: fc.constantFrom('Europe/Berlin', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'),
    weekday: fc.integer({ min: 1, max: 7 }),
    day: fc.integer({ min: 1, max: 28 }),
    every: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  })
  .map(({ weekday, day, every, ...at }) =>
    every === 'week' ? { every, weekday, ...at } : every === 'month' ? { every, day, ...at } : { every, ...at },
  )
const instants = fc.date({
  min: new Date('2011-12-01T00:00:00Z'),
  max: new Date('2028-12-31T00:00:00Z'),
  noInvalidDate: true,
})

function isDayOf(schedule: ReportSchedule, date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`)
  if (schedule.every === 'week') return day.getUTCDay() === schedule.weekday % 7
  return schedule.every === 'day' || day.getUTCDate() === schedule.day
}

/**
 * Whether the clocks show the time of the schedule at this instant, for the first time on that day.
 */
function isShownFirst(schedule: ReportSchedule, at: number): boolean {
  const local = localTimeOf(at, schedule.time_zone)
  if (local.slice(11) !== schedule.time || !isDayOf(schedule, local.slice(0, 10))) return false
  const earlier = Array.from({ length: 8 }, (_, index) => at - (index + 1) * quarterMs)
  return !earlier.some(instant => localTimeOf(instant, schedule.time_zone) === local)
}

test('a report is sent at the next time that the clocks show, and no such time is left out', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, date) => {
      const after = date.getTime()
      const next = findNextSending(schedule, after, clocks)
      expect(next).toBeGreaterThan(after)
      const local = localTimeOf(next, schedule.time_zone)
      const [nextDate, nextTime] = [local.slice(0, 10), local.slice(11)]
      // Otherwise a clock change skips that time, or that day.
      if (nextTime === schedule.time && isDayOf(schedule, nextDate)) expect(isShownFirst(schedule, next)).toBe(true)
      else {
        const hidden = [0, 1].map(days => new Date(Date.parse(`${nextDate}T00:00:00Z`) - days * 24 * 3600_000))
        const skipped = hidden.map(day => `${day.toISOString().slice(0, 10)}T${schedule.time}`)
        const instantsOf = skipped.filter(time => instantOf(time, schedule.time_zone) === next)
        expect(instantsOf).not.toEqual([])
        for (const time of instantsOf) expect(localTimeOf(next, schedule.time_zone)).not.toBe(time)
      }
      const first = Math.floor(after / quarterMs) * quarterMs + quarterMs
      // A day is looked through instant by instant; farther ones are looked at by their day.
      for (let at = first; at < Math.min(next, first + 27 * 3600_000); at += quarterMs)
        if (at > after)
          expect([new Date(at).toISOString(), isShownFirst(schedule, at)]).toEqual([expect.anything(), false])
      for (let at = first; at < next; at += 24 * 3600_000) {
        const day = localTimeOf(at, schedule.time_zone).slice(0, 10)
        const time = instantOf(`${day}T${schedule.time}`, schedule.time_zone)
        if (isDayOf(schedule, day)) expect(time <= after || time >= next).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test('the next sending moves on, and each day has at most one', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, date) => {
      const first = findNextSending(schedule, date.getTime(), clocks)
      const second = findNextSending(schedule, first, clocks)
      expect(second).toBeGreaterThan(first)
      expect(findNextSending(schedule, second - 1, clocks)).toBe(second)
      expect(localTimeOf(second, schedule.time_zone).slice(0, 10)).not.toBe(
        localTimeOf(first, schedule.time_zone).slice(0, 10),
      )
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['2027-03-27T12:00Z', '02:30', '2027-03-28T01:30:00.000Z', 'is skipped, so it counts by the clock before'],
  ['2027-10-30T12:00Z', '02:30', '2027-10-31T00:30:00.000Z', 'comes twice, and the first one counts'],
  ['2027-10-31T00:30Z', '02:30', '2027-11-01T01:30:00.000Z', 'was the first of two, so the next is tomorrow'],
  ['2027-06-01T06:00Z', '08:00', '2027-06-02T06:00:00.000Z', 'is now, so the next is tomorrow'],
])('after %s, %s in Berlin is %s: it %s', (after, time, next) => {
  expect(findNext({ every: 'day', time, time_zone: 'Europe/Berlin' }, after)).toBe(next)
})

test.each([
  ['all', '2027-05-05', {}],
  ['last_7_days', '2027-03-03', { from: '2027-02-24', until: '2027-03-02' }],
  ['last_30_days', '2028-03-01', { from: '2028-01-31', until: '2028-02-29' }],
  ['last_month', '2027-01-31', { from: '2026-12-01', until: '2026-12-31' }],
  ['this_month', '2027-01-31', { from: '2027-01-01', until: '2027-01-31' }],
  ['this_quarter', '2027-12-01', { from: '2027-10-01', until: '2027-12-01' }],
  ['this_year', '2027-01-01', { from: '2027-01-01', until: '2027-01-01' }],
] as const)('the period %s on %s', (period, today, dates) => {
  expect(findReportDates(period, today)).toEqual(dates)
})

test('the last 7 days of weekly reports leave no day out and count none twice', () => {
  const days = fc.integer({ min: 0, max: 4_000 }).map(day => Date.UTC(2026, 0, 1) + day * 24 * 3600_000)
  const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  fc.assert(
    fc.property(days, day => {
      const [first, second] = [day, day + 7 * 24 * 3600_000].map(at => findReportDates('last_7_days', dateOf(at)))
      expect(Date.parse(second!.from!) - Date.parse(first!.until!)).toBe(24 * 3600_000)
    }),
  )
  for (const period of reportPeriod.options) {
    const { from = '', until = '9' } = findReportDates(period, '2027-02-28')
    expect(from <= until).toBe(true)
  }
})

test('of weekly reports that are sent late, each period follows the one before', () => {
  // Less than a week, although a clock change takes a day out of it (Apia in 2011).
  const lateness = fc.integer({ min: 0, max: 5 * 24 * 60 }).map(minutes => minutes * 60_000)
  const weekly = schedules.map(({ time, time_zone }) => ({ every: 'week' as const, weekday: 1, time, time_zone }))
  fc.assert(
    fc.property(weekly, instants, fc.array(lateness, { minLength: 2, maxLength: 5 }), (schedule, date, delays) => {
      let next = findNextSending(schedule, date.getTime(), clocks)
      let until: string | undefined
      for (const delay of delays) {
        // A process sends the mail so much later, which may be after further times of the schedule.
        const now = next + delay
        const dueAt = findLastSending(schedule, { dueAt: next, now }, clocks)
        const dates = findReportDates('last_7_days', localTimeOf(dueAt, schedule.time_zone).slice(0, 10))
        if (until !== undefined) expect(Date.parse(dates.from!) - Date.parse(until)).toBe(24 * 3600_000)
        until = dates.until
        next = findNextSending(schedule, now, clocks)
      }
    }),
    { numRuns: 300 },
  )
})

test('of times that passed together, the last one counts', () => {
  fc.assert(
    fc.property(schedules, instants, fc.integer({ min: 0, max: 90 * 24 * 60 }), (schedule, date, minutes) => {
      const dueAt = findNextSending(schedule, date.getTime(), clocks)
      const now = dueAt + minutes * 60_000
      const last = findLastSending(schedule, { dueAt, now }, clocks)
      expect(last >= dueAt && last <= now).toBe(true)
      expect(findNextSending(schedule, last, clocks)).toBe(findNextSending(schedule, now, clocks))
    }),
    { numRuns: 300 },
  )
})
