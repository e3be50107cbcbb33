import { expect, test } from '@jest/globals'
import type { Recurrence } from '@watchline/contracts/recurrence'
import fc from 'fast-check'
import { type DueDate, isSameTerms, type Terms } from '../../src/rules/assignment.ts'
import { applyGroupTerms, changeGroupTerms, type GroupTerms } from '../../src/rules/group-terms.ts'

const dueOf = (local: string): DueDate => ({ at: new Date(`${local}Z`), local, timeZone: 'UTC' })
const [first, second, ahead] = ['2027-01-31T17:00', '2027-06-30T17:00', '2028-01-31T17:00'].map(dueOf) as [
  DueDate,
  DueDate,
  DueDate,
]
const yearly = { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 } as const
const seriesOf = (due: DueDate, terms: Partial<Recurrence> = {}): Recurrence => ({
  ...{ ...yearly, first_due: due.local },
  ...terms,
})
const openTask = (terms: Partial<Terms>, groupDue?: string) => ({
  ...{ status: 'assigned' as const, due: null, recurrence: null, conditions: null, groupDue },
  ...terms,
})
const key = (due: DueDate) => `${due.local} ${due.timeZone}`

const aDue = fc.constantFrom(null, first, second, ahead)
const aGroup: fc.Arbitrary<GroupTerms> = fc.record({ due: aDue, repeats: fc.boolean() }).map(({ due, repeats }) => ({
  ...{ due, recurrence: due && repeats ? seriesOf(due) : null, conditions: null },
}))

test('a repeated comparison with a group changes nothing, after any terms before and on any day', () => {
  const aStep = fc.record({ group: aGroup, closes: fc.boolean(), opens: fc.boolean() })
  fc.assert(
    fc.property(fc.array(aStep, { minLength: 1, maxLength: 12 }), aDue, (steps, own) => {
      let task: Parameters<typeof applyGroupTerms>[0] = openTask({ due: own })
      for (const { group, closes, opens } of steps) {
        const found = applyGroupTerms(task, group, () => group.due && (group.recurrence ? ahead : group.due))
        task = { ...task, ...found.terms, groupDue: found.groupDue }
        const again = applyGroupTerms(task, group, () => dueOf('2099-01-01T00:00'))
        expect(isSameTerms(again.terms, found.terms)).toBe(true)
        expect(again.groupDue).toBe(found.groupDue)
        if (task.status === 'assigned') expect(task.due === null).toBe(group.due === null)
        expect(task.recurrence).toEqual(task.due && group.recurrence)
        if (closes) task = { ...task, status: 'completed' }
        // The next occurrence opens, with its own due date.
        if (opens && task.recurrence) task = { ...task, status: 'assigned', due: dueOf('2029-01-31T17:00') }
      }
    }),
  )
})

test('occurrences keep their due date until the group gets another one, also after the repetition', () => {
  const moved = openTask({ due: ahead, recurrence: seriesOf(first) }, key(first))
  const never = () => {
    throw new Error('no new due date')
  }
  const ended = applyGroupTerms(moved, { due: first }, never)
  expect(ended).toEqual({ terms: { due: ahead, recurrence: null, conditions: null }, groupDue: key(first) })
  const later = applyGroupTerms({ ...moved, ...ended.terms }, { due: second }, () => second)
  expect(later).toEqual({ terms: { due: second, recurrence: null, conditions: null }, groupDue: undefined })
})

test('a closed task keeps its due date and conditions, and repeats as the group says', () => {
  const closed = { ...openTask({ due: first }), status: 'completed' as const }
  const group = { due: second, recurrence: seriesOf(second), conditions: { ...conditions, required_percent: 95 } }
  const { terms } = applyGroupTerms(closed, group, () => second)
  expect(terms).toEqual({ due: first, recurrence: seriesOf(second), conditions: null })
  expect(applyGroupTerms({ ...closed, ...terms }, { due: null }, () => null).terms).toMatchObject({
    ...{ due: first, recurrence: null },
  })
})

const conditions = {
  ...{ grace_days: 0, required_percent: 90, max_rate: null, attention_checks: false, allow_skipping: true },
}

test('a new due date or period starts a new series, and the recurrence ends with the due date', () => {
  const change = (before: GroupTerms, input: { due?: DueDate | null; recurrence?: typeof yearly | null }) =>
    changeGroupTerms(before, { due: input.due, recurrence: input.recurrence, conditions: undefined }, () => ahead.local)
      .recurrence
  const group = { due: first, recurrence: seriesOf(first) }
  expect(change({ due: first }, { recurrence: yearly })).toEqual(seriesOf(first))
  expect(change(group, {})).toEqual(seriesOf(first))
  expect(change(group, { due: second })).toEqual(seriesOf(second))
  expect(change(group, { recurrence: { ...yearly, interval: 2 } as never })).toEqual(seriesOf(ahead, { interval: 2 }))
  expect(change(group, { recurrence: { ...yearly, opens_days_before: 9 } as never })).toEqual(
    seriesOf(first, { opens_days_before: 9 }),
  )
  expect(change(group, { recurrence: null })).toBeNull()
  expect(change(group, { due: null })).toBeNull()
})

test('a due date in the time zone of each person stays when the person or a group moves, until the group gets another', () => {
  const group = (due: DueDate): GroupTerms => ({ due: { ...due, zoneOf: 'person' } })
  const personal = (due: DueDate, timeZone: string): DueDate => ({ ...due, timeZone, zoneOf: 'person' })
  const joined = applyGroupTerms(openTask({}), group(first), () => personal(first, 'Asia/Tokyo'))
  expect(joined.terms.due).toEqual(personal(first, 'Asia/Tokyo'))
  const task = { ...openTask(joined.terms), groupDue: joined.groupDue }
  expect(applyGroupTerms(task, group(first), () => personal(first, 'America/New_York'))).toEqual(joined)
  expect(applyGroupTerms(task, group(second), () => personal(second, 'America/New_York')).terms.due).toEqual(
    personal(second, 'America/New_York'),
  )
  // The same local time in one time zone for everybody is another due date.
  expect(applyGroupTerms(task, { due: first }, () => first)).toEqual({
    ...{ terms: { due: first, recurrence: null, conditions: null }, groupDue: undefined },
  })
})
