import { describe, expect, test } from '@jest/globals'
import { formatExactTime } from '../../../src/ui/dates/format.ts'
import { formatDueDate } from '../../../src/ui/tasks/due-date.tsx'

/** A time of the reader's clocks. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour)
const now = at(3, 16).getTime()
const dueAt = (time: Date) => formatDueDate(time.toISOString(), now)

describe('the words for a due date', () => {
  test('name the day as seen today', () => {
    expect(dueAt(at(3, 17))).toMatch(/^Due today at \S*5:00/)
    expect(dueAt(at(4, 0))).toMatch(/^Due tomorrow at /)
    expect(dueAt(at(4, 23))).toMatch(/^Due tomorrow at /)
    expect(dueAt(at(5, 0))).toBe(`Due ${formatExactTime(at(5, 0).toISOString())}`)
  })

  test('say from the instant on that the task is overdue', () => {
    const time = new Date(now).toISOString()
    const graceUntil = new Date(now + 1).toISOString()
    expect(formatDueDate(time, now, graceUntil)).toBe(`In grace until ${formatExactTime(graceUntil)}`)
    expect(formatDueDate(time, now + 1, graceUntil)).toBe(`Overdue since ${formatExactTime(graceUntil)}`)
    expect(formatDueDate(time, now)).toBe(`Overdue since ${formatExactTime(time)}`)
    expect(formatDueDate(time, now - 1)).toMatch(/^Due today/)
  })
})
