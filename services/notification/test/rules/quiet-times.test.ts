import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { type ReminderSettings, reminderSettings } from '@watchline/contracts/mail-settings'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import fc from 'fast-check'
import { findDigestDate, findNextDigestTime } from '../../src/rules/digest-date.ts'
import {
  defaultReminderSettings,
  findSendingTime,
  isAllowedTime,
  nextAllowedMoment,
  type TimeZoneConverter,
} from '../../src/rules/quiet-times.ts'

const converterOf = (timeZone: string): TimeZoneConverter => ({
  localTimeOf: at => localTimeOf(at, timeZone),
  instantOf: localTime => instantOf(localTime, timeZone),
})
const minute = 60_000
const quarters = Array.from({ length: 96 }, (_, index) => {
  const [hour, part] = [String(Math.floor(index / 4)).padStart(2, '0'), String((index % 4) * 15).padStart(2, '0')]
  return `${hour}:${part}`
})

/** Zones that change the time by an hour or half an hour, at night or at midnight, or never. */
const zones = fc.constantFrom('Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Beirut', 'Asia/Kathmandu')
const anyHours = fc
  .tuple(fc.constantFrom(...quarters), fc.constantFrom(...quarters, '24:00'))
  .filter(([from, until]) => from < until)
  .map(([from, until]) => ({ from, until }))
const anySettings: fc.Arbitrary<ReminderSettings> = fc.record({
  hours: fc.option(anyHours),
  quiet_weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 6 }),
  quiet_dates: fc.uniqueArray(
    fc
      .integer({ min: Date.parse('2027-01-01') / 86_400_000, max: Date.parse('2027-12-31') / 86_400_000 })
      .map(day => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    { maxLength: 20 },
  ),
  digest: fc.constant(defaultReminderSettings.digest),
})
const anyMoment = fc.integer({ min: Date.parse('2027-01-01T00:00Z'), max: Date.parse('2027-12-31T00:00Z') })

describe('the next allowed moment', () => {
  test('has an allowed local time, and no moment before it is', () => {
    fc.assert(
      fc.property(zones, anySettings, anyMoment, fc.nat({ max: 1_000 }), (zone, settings, at, part) => {
        expect(reminderSettings.safeParse(settings).success).toBe(true)
        const converter = converterOf(zone)
        const next = nextAllowedMoment(at, settings, converter)
        expect(next).toBeGreaterThanOrEqual(at)
        expect(isAllowedTime(converter.localTimeOf(next), settings)).toBe(true)
        if (next === at) return
        const earlier = [at, at + ((next - at) * part) / 1_001, next - 1]
        for (const moment of earlier) expect(isAllowedTime(converter.localTimeOf(moment), settings)).toBe(false)
        expect(nextAllowedMoment(next, settings, converter)).toBe(next)
      }),
    )
  })

  test('is found if a year of allowed weekdays is quiet', () => {
    const mondays = Array.from({ length: limits.quietDatesMax }, (_, index) =>
      new Date(Date.parse('2027-01-04') + index * 7 * 86_400_000).toISOString().slice(0, 10),
    )
    const settings = { ...defaultReminderSettings, quiet_weekdays: [2, 3, 4, 5, 6, 7], quiet_dates: mondays }
    const next = nextAllowedMoment(Date.parse('2027-01-04T09:00Z'), settings, converterOf('UTC'))
    expect(new Date(next).toISOString()).toBe('2028-12-04T00:00:00.000Z')
  })

  test.each([
    [
      'in the hour that a clock skips',
      '2027-03-28T00:30:00Z',
      { from: '02:15', until: '02:45' },
      '2027-03-29T00:15:00Z',
    ],
    ['after the skipped beginning', '2027-03-28T00:30:00Z', { from: '02:15', until: '08:00' }, '2027-03-28T01:00:00Z'],
    ['in the repeated hour', '2027-10-31T00:50:00Z', { from: '02:00', until: '02:45' }, '2027-10-31T01:00:00Z'],
    ['at the end of the day', '2027-06-01T21:59:00Z', { from: '08:00', until: '24:00' }, '2027-06-01T21:59:00Z'],
    ['after the end of the day', '2027-06-01T22:00:00Z', { from: '08:00', until: '24:00' }, '2027-06-02T06:00:00Z'],
  ])('%s', (_case, at, hours, next) => {
    const found = nextAllowedMoment(Date.parse(at), { ...defaultReminderSettings, hours }, converterOf('Europe/Berlin'))
    expect(new Date(found).toISOString()).toBe(new Date(next).toISOString())
  })
})

describe('a mail', () => {
  const hours = { from: '08:00', until: '18:00' }
  const weekdays = { ...defaultReminderSettings, hours, quiet_weekdays: [6, 7] }
  // A Saturday.
  const at = Date.parse('2027-01-30T09:00Z')
  const monday = Date.parse('2027-02-01T08:00Z')
  const findTime = (kind: 'task_due_soon' | 'task_overdue' | 'task_escalated' | 'task_assigned', dueAt?: number) =>
    findSendingTime({ kind, dueAt }, at, weekdays, converterOf('UTC'))

  test('about a due date waits for an allowed time, any other one is sent at once', () => {
    expect(findTime('task_due_soon', Date.parse('2027-02-01T09:00Z'))).toBe(monday)
    expect(findTime('task_overdue', at - minute)).toBe(monday)
    expect(findTime('task_escalated')).toBe(monday)
    expect(findTime('task_assigned', at - minute)).toBe(at)
  })

  test('that would come too late for the due date is sent at once', () => {
    expect(findTime('task_due_soon', Date.parse('2027-02-01T08:59Z'))).toBe(at)
    expect(findTime('task_due_soon', Date.parse('2027-01-31T09:00Z'))).toBe(at)
  })

  test('is never sent later than allowed without quiet times', () => {
    fc.assert(
      fc.property(zones, anyMoment, (zone, now) => {
        const mail = { kind: 'task_overdue' as const, dueAt: undefined }
        expect(findSendingTime(mail, now, defaultReminderSettings, converterOf(zone))).toBe(now)
      }),
    )
  })
})

describe('the date of a digest', () => {
  const mondays = { weekdays: [1], time: '08:00' }
  const dateAt = (at: string, digest = mondays, changedAt = '2027-01-01T00:00:00Z') =>
    findDigestDate(Date.parse(at), { digest, changedAt: Date.parse(changedAt) }, converterOf('Europe/Berlin'))

  test('comes at its time, and for six hours if no process ran before', () => {
    expect(dateAt('2027-02-01T06:59:59Z')).toBeUndefined()
    expect(dateAt('2027-02-01T07:00:00Z')).toBe('2027-02-01')
    expect(dateAt('2027-02-01T12:59:59Z')).toBe('2027-02-01')
    expect(dateAt('2027-02-01T13:00:00Z')).toBeUndefined()
    expect(dateAt('2027-02-02T07:00:00Z')).toBeUndefined()
  })

  test('does not come for a time before the settings were saved', () => {
    expect(dateAt('2027-02-01T12:30:00Z', mondays, '2027-02-01T12:30:00Z')).toBeUndefined()
    expect(dateAt('2027-02-01T12:30:00Z', mondays, '2027-02-01T07:00:01Z')).toBeUndefined()
    expect(dateAt('2027-02-01T12:30:00Z', mondays, '2027-02-01T07:00:00Z')).toBe('2027-02-01')
    expect(dateAt('2027-02-08T07:00:00Z', mondays, '2027-02-01T12:30:00Z')).toBe('2027-02-08')
  })

  test('of late in the evening may come after midnight', () => {
    expect(dateAt('2027-02-01T23:30:00Z', { weekdays: [1], time: '23:45' })).toBe('2027-02-01')
  })

  test('is on every day of the week, also across changes of the clock', () => {
    fc.assert(
      fc.property(zones, anyMoment, fc.constantFrom(...quarters), (zone, at, time) => {
        const converter = converterOf(zone)
        const digest = { weekdays: [1, 2, 3, 4, 5, 6, 7], time }
        const date = findDigestDate(at, { digest, changedAt: 0 }, converter)
        if (date === undefined) return
        expect(at - converter.instantOf(`${date}T${time}`)).toBeGreaterThanOrEqual(0)
        expect(at - converter.instantOf(`${date}T${time}`)).toBeLessThan(limits.digestMaxDelayMs)
      }),
    )
  })
})

test('the next time of the digests is within a day, at their local time', () => {
  fc.assert(
    fc.property(zones, anyMoment, (zone, now) => {
      const converter = converterOf(zone)
      const next = findNextDigestTime(now, '12:15', converter)
      expect(next).toBeGreaterThan(now)
      // A local day may have 25 hours, and a zone may skip one.
      expect(next - now).toBeLessThanOrEqual(49 * 3_600_000)
      expect(converter.localTimeOf(next).slice(11, 16)).toBe('12:15')
    }),
  )
})
