import { describe, expect, test } from '@jest/globals'
import { fitsGrace, minDaysOfUnit, type Recurrence, recurrenceInput } from '@watchline/contracts/recurrence'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import {
  addPeriods,
  countDaysUntil,
  findDueAfterDays,
  findDueAhead,
  findGraceEnd,
  findNextOccurrence,
  findOpenedOccurrence,
  keepsNextOccurrence,
} from '@watchline/kit/core/recurrence'
import fc from 'fast-check'

const dayMs = 24 * 3600_000
const timeZone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'UTC')
const local = fc
  .date({ min: new Date('2026-01-01T00:00Z'), max: new Date('2033-12-31T23:59Z'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 16))
const recurrence = fc
  .record({
    interval: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom('week' as const, 'month' as const, 'year' as const),
    from: fc.constantFrom('due_date' as const, 'completion' as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    first_due: local,
  })
  .map(({ share, ...terms }): Recurrence => {
    const longest = terms.interval * minDaysOfUnit[terms.unit] - 1
    return { ...terms, opens_days_before: 1 + Math.floor(share * (longest - 1)) }
  })
const fromDueDate = recurrence.map((terms): Recurrence => ({ ...terms, from: 'due_date' }))

/** The due dates of a series, from the first one on. */
function listSeries(terms: Recurrence, zone: string, count: number): string[] {
  const dates = [terms.first_due]
  while (dates.length < count)
    dates.push(findNextOccurrence(terms, { local: dates.at(-1)!, timeZone: zone }, null)!.local)
  return dates
}

const monthly = (first_due: string): Recurrence => ({
  ...{ interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7, first_due },
})

describe('due dates of a series', () => {
  test('use the last day of a short month, and return to the first day of the month that they began with', () => {
    expect(listSeries(monthly('2027-01-31T17:00'), 'UTC', 5)).toEqual([
      ...['2027-01-31T17:00', '2027-02-28T17:00', '2027-03-31T17:00', '2027-04-30T17:00', '2027-05-31T17:00'],
    ])
    const leapDay: Recurrence = { ...monthly('2028-02-29T09:00'), unit: 'year' }
    expect(listSeries(leapDay, 'UTC', 5).map(date => date.slice(0, 10))).toEqual([
      ...['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
    ])
  })

  test('are the first date plus whole periods, at its time of day, on its day or the last one of the month', () => {
    fc.assert(
      fc.property(fromDueDate, timeZone, (terms, zone) => {
        const { interval, unit, first_due } = terms
        listSeries(terms, zone, 8).forEach((date, index) => {
          expect(date).toBe(addPeriods(first_due, unit, index * interval))
          expect(date.slice(10)).toBe(first_due.slice(10))
          if (unit === 'week')
            expect(Date.parse(`${date}Z`) - Date.parse(`${first_due}Z`)).toBe(index * interval * 7 * dayMs)
          else if (date.slice(8, 10) !== first_due.slice(8, 10)) {
            expect(date.slice(8, 10) < first_due.slice(8, 10)).toBe(true)
            expect(new Date(Date.parse(`${date}Z`) + dayMs).getUTCDate()).toBe(1)
          }
        })
      }),
    )
  })

  test('count from the first date also after the due date of one occurrence was moved', () => {
    fc.assert(
      fc.property(fromDueDate, timeZone, fc.integer({ min: 0, max: 400 }), (terms, zone, days) => {
        const moved = new Date(Date.parse(`${terms.first_due}Z`) + days * dayMs).toISOString().slice(0, 16)
        const next = findNextOccurrence(terms, { local: moved, timeZone: zone }, null)!
        expect(next.local > moved).toBe(true)
        const series = Array.from({ length: 70 }, (_, k) => addPeriods(terms.first_due, terms.unit, k * terms.interval))
        expect(series.find(date => date > moved)).toBe(next.local)
      }),
    )
  })

  test('stay if one occurrence moves, from its own date until before the next one', () => {
    fc.assert(
      fc.property(
        fromDueDate,
        timeZone,
        fc.nat(2),
        fc.integer({ min: -800, max: 2500 }),
        (terms, zone, index, days) => {
          const [present = '', next = ''] = listSeries(terms, zone, 4).slice(index)
          const moved = new Date(Date.parse(`${present}Z`) + days * dayMs).toISOString().slice(0, 16)
          const isWithin = moved >= present && moved < next
          expect(keepsNextOccurrence(terms, { local: present, timeZone: zone }, moved, 0)).toBe(isWithin)
        },
      ),
    )
  })

  test('of a series that begins later go on with it, except with a date for the same occurrence', () => {
    const yearly: Recurrence = { ...monthly('2027-03-31T17:00'), unit: 'year' }
    const nextAfter = (first_due: string) =>
      findNextOccurrence({ ...yearly, first_due }, { local: '2026-01-31T17:00', timeZone: 'UTC' }, null)!.local
    expect(nextAfter('2027-03-31T17:00')).toBe('2027-03-31T17:00')
    expect(nextAfter('2026-12-31T17:00')).toBe('2026-12-31T17:00')
    expect(nextAfter('2026-02-14T17:00')).toBe('2027-02-14T17:00')
  })

  test('for somebody who joins are the first one that is ahead', () => {
    fc.assert(
      fc.property(recurrence, timeZone, fc.integer({ min: -400, max: 1500 }), (terms, zone, days) => {
        const due = { local: terms.first_due, timeZone: zone }
        const now = instantOf(due.local, zone) + days * dayMs
        const found = findDueAhead(terms, due, now)
        expect(found.dueAt).toBe(instantOf(found.local, zone))
        expect(found.dueAt).toBeGreaterThan(now)
        const series = listSeries({ ...terms, from: 'due_date' }, zone, 250)
        expect(found.local).toBe(series.find(date => instantOf(date, zone) > now))
      }),
    )
  })
})

describe('an occurrence', () => {
  test('opens at the local time of its time zone, after the due date before it or after the completion', () => {
    fc.assert(
      fc.property(recurrence, timeZone, fc.integer({ min: 0, max: 500 * dayMs }), (terms, zone, lateMs) => {
        const due = { local: terms.first_due, timeZone: zone }
        const closedAt = instantOf(due.local, zone) + lateMs
        const next = findNextOccurrence(terms, due, closedAt)!
        expect(next.dueAt).toBe(instantOf(next.local, zone))
        const openingDay = localTimeOf(next.opensAt, zone).slice(0, 10)
        expect(Date.parse(next.local.slice(0, 10)) - Date.parse(openingDay)).toBe(terms.opens_days_before * dayMs)
        expect(next.opensAt).toBeGreaterThan(terms.from === 'completion' ? closedAt : instantOf(due.local, zone))
      }),
    )
  })

  test('that counts from the completion is one period after its day, and not known before it', () => {
    const yearly: Recurrence = { ...monthly('2026-06-30T17:00'), unit: 'year', from: 'completion' }
    const due = { local: '2026-06-30T17:00', timeZone: 'Europe/Berlin' }
    expect(findNextOccurrence(yearly, due, null)).toBeUndefined()
    // In Berlin it is already 1 June.
    const completedAt = Date.parse('2026-05-31T22:30:00Z')
    expect(findNextOccurrence(yearly, due, completedAt)).toMatchObject({
      local: '2027-06-01T17:00',
      dueAt: Date.parse('2027-06-01T15:00:00Z'),
      opensAt: Date.parse('2027-05-25T15:00:00Z'),
    })
  })

  test('after an outage is the latest one that should have opened; the others are skipped, each once', () => {
    fc.assert(
      fc.property(fromDueDate, timeZone, fc.integer({ min: 0, max: 1500 }), (terms, zone, days) => {
        const due = { local: terms.first_due, timeZone: zone }
        const now = instantOf(due.local, zone) + days * dayMs
        const found = findOpenedOccurrence(terms, due, null, now)
        const next = findNextOccurrence(terms, due, null)!
        if (!found) return expect(next.opensAt).toBeGreaterThan(now)
        const occurrences = [...found.skipped, found.opened].map(occurrence => occurrence.local)
        expect(occurrences).toEqual(listSeries(terms, zone, occurrences.length + 1).slice(1))
        const following = findNextOccurrence(terms, { local: found.opened.local, timeZone: zone }, null)!
        expect(found.opened.opensAt).toBeLessThanOrEqual(now)
        expect(following.opensAt).toBeGreaterThan(now)
      }),
    )
  })
})

describe('a grace period', () => {
  test('that fits the recurrence ends before the next occurrence opens, in each period of a series', () => {
    fc.assert(
      fc.property(fromDueDate, timeZone, fc.integer({ min: 0, max: 90 }), (terms, zone, days) => {
        fc.pre(fitsGrace(terms, days))
        for (const local of listSeries(terms, zone, 14)) {
          const due = { local, timeZone: zone }
          const next = findNextOccurrence(terms, due, null)!
          expect(findGraceEnd(local, zone, days)).toBeLessThanOrEqual(next.opensAt)
          expect(findNextOccurrence(terms, due, null, days)).toEqual(next)
        }
      }),
    )
  })

  test('fits until the shortest period opens the next occurrence, and always if that counts from the completion', () => {
    const weekly: Recurrence = { ...monthly('2026-12-05T17:00'), unit: 'week', opens_days_before: 6 }
    expect([1, 2, 30].map(days => fitsGrace(weekly, days))).toEqual([true, false, false])
    expect(fitsGrace({ ...weekly, from: 'completion' }, 90)).toBe(true)
    expect([21, 22].map(days => fitsGrace(monthly('2027-01-31T17:00'), days))).toEqual([true, false])
    expect(fitsGrace(null, 90)).toBe(true)
  })

  test('of earlier versions that is longer ends before an occurrence opens, and those within it are not missed', () => {
    fc.assert(
      fc.property(
        ...([fromDueDate, timeZone, fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 400 })] as const),
        (terms, zone, graceDays, laterDays) => {
          const due = { local: terms.first_due, timeZone: zone }
          const graceEnd = findGraceEnd(due.local, zone, graceDays)
          expect(findOpenedOccurrence(terms, due, null, graceEnd - 1, graceDays)).toBeUndefined()
          const next = findNextOccurrence(terms, due, null, graceDays)!
          expect(next.opensAt).toBeGreaterThanOrEqual(graceEnd)
          expect(next.dueAt).toBeGreaterThan(next.opensAt)
          const punctual = { opened: { local: next.local }, skipped: [] }
          expect(findOpenedOccurrence(terms, due, null, next.opensAt, graceDays)).toMatchObject(punctual)
          const later = findOpenedOccurrence(terms, due, null, graceEnd + laterDays * dayMs, graceDays)
          for (const { dueAt } of later?.skipped ?? []) expect(dueAt).toBeGreaterThan(graceEnd)
        },
      ),
    )
  })

  test('of earlier versions ends with the completion, and the next occurrence with a due date ahead opens', () => {
    const weekly: Recurrence = { ...monthly('2026-12-05T17:00'), unit: 'week', opens_days_before: 6 }
    const due = { local: weekly.first_due, timeZone: 'UTC' }
    const closedAt = Date.parse('2026-12-20T09:00Z')
    expect(findNextOccurrence(weekly, due, null, 30)).toMatchObject({
      ...{ local: '2027-01-09T17:00', opensAt: Date.parse('2027-01-04T17:00Z') },
    })
    expect(findNextOccurrence(weekly, due, closedAt, 30)).toMatchObject({ local: '2026-12-26T17:00' })
  })
})

describe('a due date that counts from joining', () => {
  const leapDays = fc.constantFrom('2028-02-28', '2028-02-29', '2028-03-01')
  const clockChanges = fc.constantFrom('2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25', '2026-11-01')
  const aTime = fc.integer({ min: 0, max: 24 * 60 - 1 }).map(minutes => minutes * 60_000)
  const aNow = fc.oneof(
    local.map(text => Date.parse(`${text}Z`)),
    fc.tuple(fc.oneof(leapDays, clockChanges), aTime).map(([date, time]) => Date.parse(date) + time),
  )

  test('is so many days after the day of joining, at the same time of day, and ahead', () => {
    fc.assert(
      fc.property(local, timeZone, fc.integer({ min: 1, max: 800 }), aNow, (text, zone, days, now) => {
        const found = findDueAfterDays({ local: text, timeZone: zone }, days, now)
        expect(found.dueAt).toBe(instantOf(found.local, zone))
        expect(found.dueAt).toBeGreaterThan(now)
        expect(found.local.slice(10)).toBe(text.slice(10))
        expect(countDaysUntil({ local: found.local, timeZone: zone }, now)).toBe(days)
      }),
      { numRuns: 500 },
    )
  })

  test('has at least one day', () => {
    const due = { local: '2028-02-29T17:00', timeZone: 'Europe/Berlin' }
    const counted = ['2028-02-28T23:30Z', '2028-02-28T12:00Z', '2028-02-22T09:00Z', '2028-03-05T09:00Z']
    expect(counted.map(time => countDaysUntil(due, Date.parse(time)))).toEqual([1, 1, 7, 1])
  })
})

test.each([
  ['no interval', { interval: 0 }, 'interval'],
  ['a broken interval', { interval: 1.5 }, 'interval'],
  ['more than ten years', { interval: 11 }, 'interval'],
  ['an unknown unit', { unit: 'day' }, 'unit'],
  ['an opening at the due date', { opens_days_before: 0 }, 'opens_days_before'],
  ['an opening before the last due date', { opens_days_before: 365 }, 'opens_days_before'],
])('%s is refused with its field', (_case, change, field) => {
  const yearly = { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 }
  expect(recurrenceInput.safeParse(yearly).success).toBe(true)
  const refused = recurrenceInput.safeParse({ ...yearly, ...change })
  expect(refused.error?.issues.map(({ path }) => path.join('.'))).toContain(field)
})
