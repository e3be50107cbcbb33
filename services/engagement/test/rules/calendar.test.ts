import { describe, expect, test } from '@jest/globals'
import { createCalendar } from '../../src/rules/calendar.ts'
import { csvLine } from '../../src/rules/csv.ts'

describe('the calendar', () => {
  test('dates an instant where the organisation is', () => {
    const at = Date.UTC(2026, 2, 1, 23, 30)
    expect(createCalendar('UTC').dateOf(at)).toBe('2026-03-01')
    expect(createCalendar('Europe/Vienna').dateOf(at)).toBe('2026-03-02')
    expect(createCalendar('America/New_York').dateOf(at)).toBe('2026-03-01')
  })

  test('counts back over changes of the clock and ends of months', () => {
    const calendar = createCalendar('Europe/Vienna')
    expect(calendar.lastDates(Date.UTC(2026, 2, 30, 0), 3)).toEqual(['2026-03-28', '2026-03-29', '2026-03-30'])
    expect(calendar.lastDates(Date.UTC(2024, 2, 1, 12), 2)).toEqual(['2024-02-29', '2024-03-01'])
  })
})

describe('a line of CSV', () => {
  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@x', `"'@x"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['plain = text', 'plain = text'],
  ])('writes %j as %s', (text, cell) => {
    expect(csvLine([text, -5, null])).toBe(`${cell},-5,\r\n`)
  })
})
