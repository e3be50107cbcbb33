import { describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import fc from 'fast-check'
import { mayWrite, type Party, relationOf } from '../../src/rules/adjacency.ts'

const ids = ['p1', 'p2', 'p3']
const party = (id: string): fc.Arbitrary<Party> =>
  fc.record({
    id: fc.constant(id),
    role: fc.constantFrom(...roles),
    supervisorId: fc.constantFrom(null, ...ids),
    managerId: fc.constantFrom(null, ...ids),
  })

const someone = (role: Party['role'], fields: Partial<Party> = {}): Party => ({
  id: role,
  role,
  supervisorId: null,
  managerId: null,
  ...fields,
})

describe('what two people are to each other', () => {
  test('is the same whoever asks', () => {
    fc.assert(fc.property(party('p1'), party('p2'), (one, other) => relationOf(one, other) === relationOf(other, one)))
  })

  test('is nothing between oneself and oneself', () => {
    fc.assert(fc.property(party('p1'), one => relationOf(one, one) === undefined && !mayWrite(one, one, 5)))
  })

  test('is given only by an administrator, a supervisor’s own team, a manager’s own supervisor, or manager and director', () => {
    fc.assert(
      fc.property(party('p1'), party('p2'), (one, other) => {
        const pair = [one.role, other.role].sort().join()
        const below = one.role === 'user' || (one.role === 'supervisor' && other.role === 'manager') ? one : other
        const above = below === one ? other : one
        const expected =
          one.role === 'admin' || other.role === 'admin'
            ? 'admin'
            : pair === 'director,manager'
              ? 'manager_director'
              : pair === 'supervisor,user' && below.supervisorId === above.id
                ? 'user_supervisor'
                : pair === 'manager,supervisor' && below.managerId === above.id
                  ? 'supervisor_manager'
                  : undefined
        expect(relationOf(one, other)).toBe(expected)
      }),
    )
  })

  test('a supervisor who no longer is one has nothing to say to their former team', () => {
    const user = someone('user', { supervisorId: 'x' })
    expect(relationOf(user, someone('supervisor', { id: 'x' }))).toBe('user_supervisor')
    for (const role of ['user', 'manager', 'director'] as const)
      expect(relationOf(user, someone(role, { id: 'x' }))).toBeUndefined()
  })
})

describe('an administrator', () => {
  const admin = someone('admin')
  test.each(roles)('may write to a %s, who answers and does not begin', role => {
    const other = someone(role, { id: 'other' })
    expect(mayWrite(admin, other, 0)).toBe(true)
    expect(mayWrite(other, admin, 0)).toBe(role === 'admin')
    expect(mayWrite(other, admin, 1)).toBe(true)
  })
})
