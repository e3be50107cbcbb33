import { describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import fc from 'fast-check'
import { type ChatParty, mayWrite, relationOf } from '../../src/rules/adjacency.ts'

const ids = ['p1', 'p2', 'p3']
const party = (id: string): fc.Arbitrary<ChatParty> =>
  fc.record({
    id: fc.constant(id),
    role: fc.constantFrom(...roles),
    supervisorId: fc.constantFrom(null, ...ids),
    managerId: fc.constantFrom(null, ...ids),
  })

const makeParty = (role: ChatParty['role'], fields: Partial<ChatParty> = {}): ChatParty => ({
  id: role,
  role,
  supervisorId: null,
  managerId: null,
  ...fields,
})

describe('the relation of two people', () => {
  test('does not depend on their order', () => {
    fc.assert(
      fc.property(party('p1'), party('p2'), (first, second) => relationOf(first, second) === relationOf(second, first)),
    )
  })

  test('is undefined for one person alone', () => {
    fc.assert(fc.property(party('p1'), first => relationOf(first, first) === undefined && !mayWrite(first, first, 5)))
  })

  test('exists only with an administrator, in a team, under a manager, or of manager and director', () => {
    fc.assert(
      fc.property(party('p1'), party('p2'), (first, second) => {
        const pair = [first.role, second.role].sort().join()
        const below =
          first.role === 'user' || (first.role === 'supervisor' && second.role === 'manager') ? first : second
        const above = below === first ? second : first
        const expected =
          first.role === 'admin' || second.role === 'admin'
            ? 'admin'
            : pair === 'director,manager'
              ? 'manager_director'
              : pair === 'supervisor,user' && below.supervisorId === above.id
                ? 'user_supervisor'
                : pair === 'manager,supervisor' && below.managerId === above.id
                  ? 'supervisor_manager'
                  : undefined
        expect(relationOf(first, second)).toBe(expected)
      }),
    )
  })

  test('ends for a former supervisor and their team', () => {
    const user = makeParty('user', { supervisorId: 'x' })
    expect(relationOf(user, makeParty('supervisor', { id: 'x' }))).toBe('user_supervisor')
    for (const role of ['user', 'manager', 'director'] as const)
      expect(relationOf(user, makeParty(role, { id: 'x' }))).toBeUndefined()
  })
})

describe('an administrator', () => {
  const admin = makeParty('admin')
  test.each(roles)('may write to a %s, who may reply but not begin', role => {
    const second = makeParty(role, { id: 'other' })
    expect(mayWrite(admin, second, 0)).toBe(true)
    expect(mayWrite(second, admin, 0)).toBe(role === 'admin')
    expect(mayWrite(second, admin, 1)).toBe(true)
  })
})
