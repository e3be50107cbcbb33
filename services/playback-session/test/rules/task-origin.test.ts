import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  assignByHand,
  compareWithGroup,
  findTermsGroup,
  type TaskOrigin,
  unassignByHand,
} from '../../src/rules/task-origin.ts'

const groupIds = ['a', 'b', 'c']

/** The events of one person and one playlist. A comparison is the job's work on one group. */
const anEvent = fc.oneof(
  fc.record({
    kind: fc.constantFrom('join' as const, 'leave' as const, 'assignGroup' as const, 'withdrawGroup' as const),
    group: fc.constantFrom(...groupIds),
  }),
  fc.record({ kind: fc.constantFrom('assignByHand' as const, 'unassignByHand' as const), group: fc.constant('') }),
  fc.record({ kind: fc.constant('compare' as const), group: fc.constantFrom(...groupIds) }),
)

test('after any history a person has the task by hand or by a group that has it and of which they are a member', () => {
  fc.assert(
    fc.property(
      fc.array(anEvent, { maxLength: 40, size: 'max' }),
      fc.shuffledSubarray(groupIds, { minLength: 3 }),
      (events, order) => {
        const memberships = new Set<string>()
        const assignedGroups = new Set<string>()
        const hasByGroup = (group: string) => memberships.has(group) && assignedGroups.has(group)
        let isByHand = false
        let origin: TaskOrigin | undefined
        function compare(group: string) {
          const before = origin
          origin = compareWithGroup(origin, group, hasByGroup(group))
          // Only a person gives the terms of a group to a task that has its own.
          if (before && origin && !findTermsGroup(before)) expect(findTermsGroup(origin)).toBeUndefined()
        }
        for (const { kind, group } of events) {
          if (kind === 'join') memberships.add(group)
          if (kind === 'leave') memberships.delete(group)
          if (kind === 'assignGroup') assignedGroups.add(group)
          if (kind === 'withdrawGroup') assignedGroups.delete(group)
          if (kind === 'compare') compare(group)
          if (kind === 'assignByHand') origin = assignByHand(origin)
          if (kind === 'unassignByHand') origin = unassignByHand(origin)
          if (kind === 'assignByHand' || kind === 'unassignByHand') isByHand = kind === 'assignByHand'
        }
        // The job compares every changed group at the end, in any order, and perhaps twice.
        for (const group of [...order, ...order]) compare(group)

        const groups = groupIds.filter(hasByGroup)
        expect(origin !== undefined).toBe(isByHand || groups.length > 0)
        expect(origin?.byHand ?? false).toBe(isByHand)
        expect([...(origin?.groupIds ?? [])].sort()).toEqual(groups)
        if (origin && !isByHand) expect(groups).toContain(findTermsGroup(origin))
      },
    ),
    { numRuns: 500 },
  )
})

test('a group does not change the terms of a task that stays by hand after its last group', () => {
  const storedByEarlierVersion = { byHand: true, groupIds: [], ownTerms: false, groupDue: 'due' }
  const remaining = compareWithGroup({ ...storedByEarlierVersion, groupIds: ['a'] }, 'a', false)
  for (const origin of [remaining, storedByEarlierVersion])
    expect(compareWithGroup(origin, 'b', true)).toEqual({ byHand: true, groupIds: ['b'], ownTerms: true })
})

test('a comparison that changes nothing returns the same origin', () => {
  const origin = { byHand: true, groupIds: ['a'], ownTerms: true }
  expect(compareWithGroup(origin, 'a', true)).toBe(origin)
  expect(compareWithGroup(origin, 'b', false)).toBe(origin)
})
