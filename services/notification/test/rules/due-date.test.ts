import { describe, expect, test } from '@jest/globals'
import { findLanguageTag, languageTag } from '@watchline/contracts/mail-languages'
import { instantOf } from '@watchline/kit/core/calendar'
import fc from 'fast-check'
import { formatDueDate, formatMoment, formatPeriod } from '../../src/rules/due-date.ts'

const tags = fc.constantFrom('en', 'en-US', 'de', 'de-AT', 'fr', 'pt-BR', 'ar', 'fa', 'th', 'zh-Hant', 'ja', 'tr')
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia')
const anyLocal = fc
  .integer({ min: Date.parse('2027-01-01T00:00Z') / 60_000, max: Date.parse('2028-12-31T00:00Z') / 60_000 })
  .map(minutes => new Date(minutes * 60_000).toISOString().slice(0, 16))

describe('a date in a language', () => {
  test('shows the clock of its time zone, whichever the language is', () => {
    fc.assert(
      fc.property(tags, zones, anyLocal, (tag, time_zone, local) => {
        const at = instantOf(local, time_zone)
        const isSkipped = formatDueDate({ local, time_zone }) !== formatMoment(new Date(at).toISOString(), time_zone)
        // A clock change skips at most an hour of a day.
        fc.pre(!isSkipped)
        const moment = formatMoment(new Date(at).toISOString(), time_zone, tag)
        expect(moment).toBe(formatDueDate({ local, time_zone }, tag))
        expect(moment.endsWith(` (${time_zone})`)).toBe(true)
      }),
    )
  })

  test.each([
    [undefined, '31 January 2027 at 17:00 (UTC)', '24 January 2027 to 30 January 2027'],
    ['en', '31 January 2027 at 17:00 (UTC)', '24 January 2027 to 30 January 2027'],
    ['de', '31. Januar 2027 um 17:00 (UTC)', '24.–30. Januar 2027'],
  ])('%s', (tag, dueDate, period) => {
    expect(formatDueDate({ local: '2027-01-31T17:00', time_zone: 'UTC' }, tag)).toBe(dueDate)
    expect(formatPeriod('2027-01-24', '2027-01-30', tag)).toBe(period)
  })
})

describe('a language tag', () => {
  test.each([
    [' pt-br ', 'pt-BR'],
    ['ZH-hant', 'zh-Hant'],
    ['de-u-ca-buddhist', 'de'],
    ['xx', undefined],
    ['de_AT', undefined],
    ['', undefined],
  ])('%j is %s', (text, tag) => {
    expect(findLanguageTag(text)).toBe(tag)
  })

  test('is accepted in its canonical form only, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.oneof(tags, fc.string(), fc.string({ unit: fc.constantFrom('a', 'D', 'e', '-', '1', '_') })),
        text => {
          const tag = findLanguageTag(text)
          expect(languageTag.safeParse(text).success).toBe(tag === text)
          if (tag !== undefined) expect(findLanguageTag(tag)).toBe(tag)
        },
      ),
    )
  })
})
