import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { listOccurrences } from '../../src/rules/record/occurrences.ts'
import type { TaskFact } from '../../src/rules/record/task-history.ts'

const dueOf = (day: number) => {
  const at = new Date(Date.UTC(2026, 0, day, 17)).toISOString()
  return { at, local: at.slice(0, 16), time_zone: 'UTC' }
}
const factOf = (kind: TaskFact['kind'], at: number, fields: Partial<TaskFact> = {}): TaskFact => ({
  ...{ kind, playlistId: 'list', at, by: null, due: null, reason: '', resetAt: null },
  ...{ recurrence: null, previousDue: null, skipped: [], ...fields },
})

/** Facts between two openings, and the outcome that they have. */
const period = fc.record({
  actions: fc.array(fc.constantFrom('exempt', 'mark_done', 'take_back', 'reset', 'completed' as const), {
    maxLength: 5,
  }),
  skipped: fc.integer({ min: 0, max: 3 }),
})

test('each due date has one outcome: the completion, else the exception in force, else missed', () => {
  fc.assert(
    fc.property(fc.array(period, { maxLength: 6 }), periods => {
      let [now, day, resetAt] = [1, 1, null as number | null]
      const facts = [factOf('assigned', now, { due: dueOf(day) })]
      const expected: [string, string][] = []
      for (const { actions, skipped } of periods) {
        let outcome = 'missed'
        for (const kind of actions) {
          now += 1
          if (kind === 'reset') resetAt = now
          facts.push(factOf(kind, now, kind === 'completed' ? { resetAt } : {}))
          if (kind === 'reset') outcome = 'missed'
          else if (kind === 'completed') outcome = 'completed'
          else if (outcome !== 'completed')
            outcome = { exempt: 'exempt', mark_done: 'marked_done', take_back: 'missed' }[kind]
        }
        expected.push([dueOf(day).at, outcome])
        const missed = Array.from({ length: skipped }, (_, index) => dueOf(day + 1 + index))
        expected.push(...missed.map(({ at }): [string, string] => [at, 'missed']))
        const previousDue = dueOf(day)
        day += skipped + 1
        now += 1
        resetAt = now
        facts.push(factOf('recurred', now, { due: dueOf(day), previousDue, skipped: missed }))
      }
      const occurrences = listOccurrences(facts)
      expect(occurrences.map(({ due, outcome }) => [due.at, outcome])).toEqual(expected)
      const following = [...expected.slice(1).map(([at]) => at), dueOf(day).at]
      expect(occurrences.map(({ validUntil }) => new Date(validUntil!).toISOString())).toEqual(
        following.slice(0, occurrences.length),
      )
    }),
  )
})

test('a completion that was under way when the next occurrence opened counts for the one before', () => {
  const facts = [
    factOf('assigned', 1, { due: dueOf(1) }),
    factOf('recurred', 5, { due: dueOf(2), previousDue: dueOf(1) }),
    factOf('completed', 6),
  ]
  expect(listOccurrences(facts)).toMatchObject([{ outcome: 'completed', closedAt: 6 }])
})

test('a completion from before a manual reset counts for no occurrence', () => {
  const facts = [
    factOf('assigned', 1, { due: dueOf(1) }),
    factOf('recurred', 5, { due: dueOf(2), previousDue: dueOf(1) }),
    factOf('reset', 7),
    factOf('completed', 8, { resetAt: 5 }),
    factOf('recurred', 10, { due: dueOf(3), previousDue: dueOf(2) }),
  ]
  expect(listOccurrences(facts)).toMatchObject([{ outcome: 'missed' }, { outcome: 'missed' }])
})

test('a completion from before a reset of a new assignment does not count for the assignment before', () => {
  const facts = [
    factOf('assigned', 1, { due: dueOf(1) }),
    factOf('recurred', 5, { due: dueOf(2), previousDue: dueOf(1) }),
    factOf('unassigned', 6),
    factOf('assigned', 7, { due: dueOf(3) }),
    factOf('reset', 8),
    factOf('completed', 9, { resetAt: 5 }),
  ]
  expect(listOccurrences(facts)).toMatchObject([{ outcome: 'missed' }])
})
