import { expect, test } from '@jest/globals'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { findNextOccurrence } from '@watchline/kit/core/recurrence'
import fc from 'fast-check'
import { judgeEarlierCompletion } from '../../src/rules/record/earlier-completion.ts'
import { type FindNextDue, findExpiry } from '../../src/rules/record/occurrences.ts'
import type { TaskFact } from '../../src/rules/record/task-history.ts'

const dayMs = 24 * 3600_000
const dayOf = (day: number) => Date.UTC(2026, 0, 1, 17) + day * dayMs
const dueOf = (day: number) => {
  const at = new Date(dayOf(day)).toISOString()
  return { at, local: at.slice(0, 16), time_zone: 'UTC' }
}
const factOf = (kind: TaskFact['kind'], at: number, fields: Partial<TaskFact> = {}): TaskFact => ({
  ...{ kind, playlistId: 'list', at, by: null, due: null, reason: '', resetAt: null },
  ...{ recurrence: null, previousDue: null, skipped: [], ...fields },
})
const findNextDue: FindNextDue = (recurrence, { local, time_zone: timeZone }, closedAt) =>
  findNextOccurrence(recurrence, { local, timeZone }, closedAt)?.dueAt ?? null

const terms = fc.record({
  due: fc.integer({ min: 20, max: 60 }),
  recurrence: fc.option(
    fc.record({ interval: fc.integer({ min: 1, max: 3 }), from: fc.constantFrom('due_date', 'completion') }),
  ),
})
const termsOf = ({ due: day, recurrence }: { due: number; recurrence: { interval: number; from: string } | null }) => {
  const due = dueOf(day)
  const fields = { unit: 'week', opens_days_before: 1, first_due: due.local }
  return { due, recurrence: recurrence && ({ ...recurrence, ...fields } as Recurrence) }
}

test('a completion counts only while it is valid, and for a series of due dates only for the new one', () => {
  fc.assert(
    fc.property(
      terms,
      terms,
      fc.integer({ min: -30, max: 15 }),
      fc.integer({ min: 16, max: 90 }),
      (before, after, done, day) => {
        const [completedAt, at] = [dayOf(done), dayOf(day)]
        const assignment = { at, requiredPercent: 90, ...termsOf({ ...after, due: day + after.due }) }
        const facts = [factOf('assigned', dayOf(-40), termsOf(before)), factOf('completed', completedAt)]
        const attempt = { playlistId: 'list', playlist: undefined, watches: {}, resetAt: undefined, isCompleted: true }
        const effect = judgeEarlierCompletion({ ...attempt, facts }, assignment, findNextDue)
        const ownExpiry = findExpiry(facts, completedAt, findNextDue)
        if (effect?.kind !== 'completed') return expect(effect).toMatchObject({ kind: 'restarted' })
        expect(effect.completion).toEqual({ completedAt, validUntil: ownExpiry, counts: true })
        expect(ownExpiry === null || ownExpiry > at).toBe(true)
        if (!assignment.recurrence) return
        const { due, recurrence } = assignment
        expect(findNextDue(recurrence, due, completedAt)).toBeGreaterThan(at)
        if (recurrence.from === 'due_date' && before.due !== day + after.due)
          expect(Date.parse(due.at) - completedAt).toBeLessThan(recurrence.interval * 7 * dayMs)
      },
    ),
  )
})

test('a completion of a reset attempt, and one of the new assignment itself, decide nothing', () => {
  const attempt = { playlistId: 'list', playlist: undefined, watches: {} }
  const assignment = { at: 10, due: null, recurrence: null, requiredPercent: 90 }
  const judge = (fields: { isCompleted: boolean; resetAt: number | undefined; facts: TaskFact[] }) =>
    judgeEarlierCompletion({ ...attempt, ...fields }, assignment, findNextDue)
  const completed = factOf('completed', 5)
  expect(judge({ isCompleted: false, resetAt: 6, facts: [completed] })).toBeUndefined()
  expect(judge({ isCompleted: true, resetAt: 12, facts: [completed] })).toBeUndefined()
  expect(judge({ isCompleted: true, resetAt: undefined, facts: [factOf('completed', 10)] })).toBeUndefined()
  expect(judge({ isCompleted: true, resetAt: undefined, facts: [completed, factOf('assigned', 11)] })).toBeUndefined()
  expect(judge({ isCompleted: true, resetAt: undefined, facts: [completed] })).toMatchObject({ kind: 'completed' })
})

test('a task that repeats without a known expiry is judged by the new terms only', () => {
  const attempt = { playlistId: 'list', playlist: undefined, watches: {}, resetAt: undefined, isCompleted: true }
  const judge = (done: number, from: Recurrence['from'], due: number) =>
    judgeEarlierCompletion(
      { ...attempt, facts: [factOf('completed', dayOf(done))] },
      { at: dayOf(30), requiredPercent: 90, ...termsOf({ due, recurrence: { interval: 1, from } }) },
      findNextDue,
    )?.kind
  expect([judge(24, 'completion', 32), judge(23, 'completion', 32)]).toEqual(['completed', 'restarted'])
  expect([judge(26, 'due_date', 32), judge(25, 'due_date', 32)]).toEqual(['completed', 'restarted'])
})
