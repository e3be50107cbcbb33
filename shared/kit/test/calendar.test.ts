import { describe, expect, test } from '@jest/globals'
import { isTimeZone } from '@watchline/contracts/fields'
import fc from 'fast-check'
import { createCalendar, instantOf, localTimeOf } from '../src/core/calendar.ts'

const hour = 3600_000

describe('the calendar', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'America/Sao_Paulo',
    'Asia/Beirut',
  ]

  test('a day contains its instant and exactly the instants of one date', () => {
    const instants = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 0, 1) })
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (timeZone, now) => {
        const { start, end } = createCalendar(timeZone).dayOf(now)
        const date = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone })
        expect(start <= now && now < end).toBe(true)
        expect(date(start)).toBe(date(now))
        expect(date(end - 1)).toBe(date(now))
        expect(date(start - 1)).not.toBe(date(now))
        expect(date(end)).not.toBe(date(now))
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', 25],
    ['Europe/Berlin', '2026-06-15T21:59:59Z', '2026-06-14T22:00:00Z', 24],
    ['Europe/Berlin', '2026-06-15T22:00:00Z', '2026-06-15T22:00:00Z', 24],
    // This day began at one in the morning, because the clock skipped midnight.
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00Z', 23],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', '2025-12-31T18:30:00Z', 24],
  ])('%s at %s: the day began at %s and has %d hours', (timeZone, now, start, hours) => {
    const day = createCalendar(timeZone).dayOf(Date.parse(now))
    expect(new Date(day.start).toISOString()).toBe(new Date(start).toISOString())
    expect((day.end - day.start) / hour).toBe(hours)
  })

  test('one calendar can be asked for days in any order', () => {
    const calendar = createCalendar('Europe/Berlin')
    const noon = Date.UTC(2026, 2, 28, 12)
    const days = [0, 1, 0, 2, 1].map(offset => calendar.dayOf(noon + offset * 24 * hour))
    expect(days[0]).toEqual(days[2])
    expect(days[1]!.start).toBe(days[0]!.end)
    expect(days[3]!.start).toBe(days[4]!.end)
  })

  test('isTimeZone refuses unknown names', () => {
    expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Europe/Berlim'), isTimeZone('')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('instantOf is the instant of a local time', () => {
    const instants = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 0, 1) })
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (timeZone, at) => {
        const local = localTimeOf(at, timeZone)
        expect(localTimeOf(instantOf(local, timeZone), timeZone)).toBe(local)
        // A repeated time counts when it is shown first.
        expect(instantOf(local, timeZone)).toBeLessThanOrEqual(at)
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['Europe/Berlin', '2026-06-15T17:00', '2026-06-15T15:00:00Z'],
    ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59:00Z'],
    // Skipped: counts by the clock before the change, so it is shown as 03:30.
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00Z'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00Z'],
    // Repeated: the first.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00Z'],
    // The island skipped a whole day.
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00Z'],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00:00Z'],
    ['UTC', '2028-02-29T23:59', '2028-02-29T23:59:00Z'],
  ])('in %s %s is %s', (timeZone, local, at) => {
    expect(new Date(instantOf(local, timeZone)).toISOString()).toBe(new Date(at).toISOString())
  })

  test('dateOf is the date in the time zone of the organisation', () => {
    const at = Date.UTC(2026, 2, 1, 23, 30)
    expect(createCalendar('UTC').dateOf(at)).toBe('2026-03-01')
    expect(createCalendar('Europe/Vienna').dateOf(at)).toBe('2026-03-02')
    expect(createCalendar('America/New_York').dateOf(at)).toBe('2026-03-01')
  })

  test('lastDates counts back over daylight saving changes and ends of months', () => {
    const calendar = createCalendar('Europe/Vienna')
    expect(calendar.lastDates(Date.UTC(2026, 2, 30, 0), 3)).toEqual(['2026-03-28', '2026-03-29', '2026-03-30'])
    expect(calendar.lastDates(Date.UTC(2024, 2, 1, 12), 2)).toEqual(['2024-02-29', '2024-03-01'])
  })
})
