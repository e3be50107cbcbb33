import { expect, test } from '@jest/globals'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import fc from 'fast-check'
import type { DueDate } from '../../src/rules/assignment.ts'
import { findDueAhead, findPersonalDue } from '../../src/rules/due-date.ts'

const hour = 3600_000
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Asia/Beirut', 'Australia/Lord_Howe'],
  ...['Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Niue', 'America/Sao_Paulo', 'Africa/Casablanca'],
]
const aZone = fc.constantFrom(...zones)
/** Any minute, and the hours around changes of clocks. */
const aLocal = fc
  .oneof(
    fc.integer({ min: Date.UTC(2010, 0, 1) / 60_000, max: Date.UTC(2036, 0, 1) / 60_000 }),
    fc
      .tuple(
        fc.constantFrom(
          '2026-03-08',
          '2026-03-29',
          '2026-04-05',
          '2026-10-04',
          '2026-10-25',
          '2026-11-01',
          '2011-12-30',
        ),
        fc.integer({ min: 0, max: 4 * 60 }),
      )
      .map(([date, minute]) => Date.parse(`${date}T00:00Z`) / 60_000 + minute),
  )
  .map(minutes => new Date(minutes * 60_000).toISOString().slice(0, 16))

const dueIn = (local: string, timeZone: string): DueDate => ({
  ...{ at: new Date(instantOf(local, timeZone)), local, timeZone },
})
const shown = ({ at, timeZone }: DueDate) => localTimeOf(at.getTime(), timeZone)

test('a due date in the time zone of each person is the same local time there, by the rule of due dates', () => {
  fc.assert(
    fc.property(aLocal, aZone, aZone, (local, organisation, timeZone) => {
      const due = findPersonalDue({ ...dueIn(local, organisation), zoneOf: 'person' }, timeZone)
      expect(due).toEqual({ ...dueIn(local, timeZone), zoneOf: 'person' })
      if (shown(due) === local) {
        // Of a repeated time the first one counts: no earlier instant of the day shows it.
        for (const back of [0.5, 1, 24]) expect(localTimeOf(due.at.getTime() - back * hour, timeZone)).not.toBe(local)
      } else {
        // A skipped time counts by the clock before the change, so a later time is shown.
        expect(shown(due) > local).toBe(true)
      }
      expect(findPersonalDue(due, organisation)).toEqual({ ...dueIn(local, organisation), zoneOf: 'person' })
    }),
    { numRuns: 500 },
  )
})

test('a due date in one time zone is the same instant for everybody', () => {
  fc.assert(
    fc.property(aLocal, aZone, aZone, (local, organisation, timeZone) => {
      const due = dueIn(local, organisation)
      expect(findPersonalDue(due, timeZone)).toEqual(due)
    }),
  )
})

test('a person who gets a recurring task of a group has a due date ahead on their own clocks, of the same series', () => {
  const units = fc.constantFrom('week' as const, 'month' as const, 'year' as const)
  fc.assert(
    fc.property(aLocal, aZone, aZone, units, fc.integer({ min: 0, max: 900 }), (local, zone, own, unit, days) => {
      const group = { ...dueIn(local, zone), zoneOf: 'person' as const }
      const recurrence = { ...{ interval: 1, unit, from: 'due_date' as const, opens_days_before: 1 }, first_due: local }
      const now = new Date(group.at.getTime() + days * 24 * hour)
      const due = findDueAhead(
        { due: group, recurrence },
        { now, setAt: now },
        { personZone: own, organisationZone: 'UTC' },
      )!
      expect(due.at > now).toBe(true)
      expect([due.timeZone, due.zoneOf, due.local.slice(10)]).toEqual([own, 'person', local.slice(10)])
      expect(due.at.getTime()).toBe(instantOf(due.local, own))
    }),
  )
})

test('a person who gets a task of a group after its due date has the days that the group had, and at least one', () => {
  const anEarlierTime = fc.integer({ min: 0, max: 400 * 24 * 60 })
  const aRecurrence = fc.constantFrom('completion' as const, null)
  fc.assert(
    fc.property(
      ...([aLocal, aZone, aZone, anEarlierTime, fc.integer({ min: 0, max: 900 * 24 * 60 }), aRecurrence] as const),
      (local, zone, own, minutesBefore, minutesAfter, from) => {
        const group = { ...dueIn(local, zone), zoneOf: 'person' as const }
        const recurrence = from && { interval: 1, unit: 'year' as const, from, opens_days_before: 1, first_due: local }
        const personal = findPersonalDue(group, own)
        const [setAt, now] = [-minutesBefore, minutesAfter].map(
          minutes => new Date(personal.at.getTime() + minutes * 60_000),
        ) as [Date, Date]
        const due = findDueAhead(
          { due: group, recurrence },
          { now, setAt },
          { personZone: own, organisationZone: 'UTC' },
        )!
        expect(due.at > now).toBe(true)
        expect(due).toEqual({ ...dueIn(due.local, own), zoneOf: 'person' })
        expect(due.local.slice(10)).toBe(local.slice(10))
        const dayOf = (text: string) => Date.parse(text.slice(0, 10)) / (24 * hour)
        const hadDays = dayOf(local) - dayOf(localTimeOf(setAt.getTime(), zone))
        expect(dayOf(due.local) - dayOf(localTimeOf(now.getTime(), own))).toBe(Math.max(1, hadDays))
      },
    ),
    { numRuns: 500 },
  )
})
