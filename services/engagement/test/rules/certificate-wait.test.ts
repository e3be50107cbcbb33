import { expect, test } from '@jest/globals'
import { isOfEarlierAttempt, mustAwaitStartEvent } from '../../src/rules/record/certificate-wait.ts'
import type { TaskFact } from '../../src/rules/record/task-history.ts'

const factsOf = (...facts: [TaskFact['kind'], number][]) => facts.map(([kind, at]) => ({ kind, at }) as TaskFact)

test.each<[string, [TaskFact['kind'], number][], number, number | null, boolean]>([
  ['before any reset', [['assigned', 1]], 50, null, false],
  [
    'before a reset',
    [
      ['assigned', 1],
      ['reset', 100],
    ],
    50,
    null,
    true,
  ],
  [
    'by late reports of before a reset',
    [
      ['assigned', 1],
      ['reset', 100],
    ],
    120,
    null,
    true,
  ],
  [
    'after the reset that it names',
    [
      ['assigned', 1],
      ['reset', 100],
    ],
    120,
    100,
    false,
  ],
  [
    'of the occurrence before the present one',
    [
      ['assigned', 1],
      ['recurred', 100],
      ['recurred', 200],
    ],
    220,
    100,
    true,
  ],
  [
    'after a later assignment ended the attempt',
    [
      ['assigned', 1],
      ['recurred', 100],
      ['assigned', 110],
    ],
    120,
    null,
    false,
  ],
  [
    'before a later assignment',
    [
      ['assigned', 1],
      ['assigned', 110],
    ],
    50,
    null,
    true,
  ],
])('a completion %s', (_case, facts, completedAt, resetAt, isEarlier) => {
  expect(isOfEarlierAttempt(factsOf(...facts), { completedAt, resetAt })).toBe(isEarlier)
})

test('the event of a start is awaited until it is there, and for three days at most', () => {
  const dayMs = 24 * 3600_000
  const start = { assignedAt: 10, resetAt: 100 }
  expect(mustAwaitStartEvent(factsOf(['assigned', 10]), start, 200)).toBe(true)
  expect(mustAwaitStartEvent(factsOf(['reset', 100]), start, 200)).toBe(true)
  expect(mustAwaitStartEvent(factsOf(['assigned', 10], ['reset', 100]), start, 200)).toBe(false)
  expect(mustAwaitStartEvent([], start, 4 * dayMs)).toBe(false)
  expect(mustAwaitStartEvent([], { assignedAt: null, resetAt: null }, 200)).toBe(false)
})
