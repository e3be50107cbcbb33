import { z } from 'zod'
import { limits } from './limits.ts'

export const recurrenceUnit = z.enum(['week', 'month', 'year'])
export type RecurrenceUnit = z.infer<typeof recurrenceUnit>

/** No period of one of these units has fewer days. */
export const minDaysOfUnit = { week: 7, month: 28, year: 365 } as const satisfies Record<RecurrenceUnit, number>

const maxInterval: Record<RecurrenceUnit, number> = {
  week: limits.recurrenceMaxWeeks,
  month: limits.recurrenceMaxMonths,
  year: limits.recurrenceMaxYears,
}

const recurrenceFields = z.object({
  interval: z.number().int().min(1),
  unit: recurrenceUnit,
  /**
   * due_date: each due date is one period after the one before, completed or not. completion: it is
   * one period after the task was closed, at the same time of day.
   */
  from: z.enum(['due_date', 'completion']),
  /** The task opens again this many days before its next due date. */
  opens_days_before: z.number().int().min(1),
})

/** The terms by which a task opens again. */
export const recurrenceInput = recurrenceFields
  .refine(({ interval, unit }) => interval <= maxInterval[unit], {
    path: ['interval'],
    error: 'is more than ten years',
  })
  .refine(terms => terms.opens_days_before < minDaysOfPeriod(terms), {
    path: ['opens_days_before'],
    error: 'must be shorter than the period',
  })
export type RecurrenceInput = z.infer<typeof recurrenceInput>

/** `first_due` is the due date from which periods count, as local time of its time zone. */
export const recurrence = recurrenceFields.extend({ first_due: z.string() })
export type Recurrence = z.infer<typeof recurrence>

function minDaysOfPeriod({ interval, unit }: Pick<Recurrence, 'interval' | 'unit'>): number {
  return interval * minDaysOfUnit[unit]
}

/** The reason for a refusal, after the name of the grace period. */
export const graceTooLong = 'must end before the task opens again'

/**
 * Whether every occurrence can end its grace period before the next one opens. One that counts from
 * a completion opens after that completion only.
 */
export function fitsGrace(
  recurrence: Omit<Recurrence, 'first_due'> | null | undefined,
  graceDays: number | undefined,
): boolean {
  if (recurrence?.from !== 'due_date') return true
  return (graceDays ?? 0) <= minDaysOfPeriod(recurrence) - recurrence.opens_days_before
}

/** "every year", "every 2 weeks" */
export function describeRepetition({ interval, unit }: Pick<Recurrence, 'interval' | 'unit'>): string {
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`
}
