import { expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import fc from 'fast-check'
import { type DynamicSource, type MembershipFacts, matchesSource } from '../../src/rules/group-membership.ts'
import { matchAddresses, readAddress } from '../../src/rules/match-email-addresses.ts'

const id = fc.constantFrom('a', 'b', 'c')
const facts: fc.Arbitrary<MembershipFacts> = fc.record({
  role: fc.constantFrom(...roles),
  isDeactivated: fc.boolean(),
  supervisorId: fc.option(id),
  managerId: fc.option(id),
  claims: fc.array(fc.record({ name: id, values: fc.array(id) }), { maxLength: 2 }),
})
const source: fc.Arbitrary<DynamicSource> = fc.oneof(
  fc.record({ kind: fc.constant('team' as const), supervisor_id: id }),
  fc.record({ kind: fc.constant('manager' as const), manager_id: id }),
  fc.record({ kind: fc.constant('claim' as const), claim: id, value: id }),
)

test('no source makes an administrator or a deactivated person a member, and teams only users', () => {
  fc.assert(
    fc.property(source, facts, (dynamic, person) => {
      if (!matchesSource(dynamic, person)) return
      expect(person.isDeactivated).toBe(false)
      expect(person.role).not.toBe('admin')
      if (dynamic.kind !== 'claim') expect(person.role).toBe('user')
    }),
  )
})

const address = fc.constantFrom('a@example.org', 'b@example.org', 'c@example.org', 'd@example.org')
const owner = fc.record({
  id: fc.uuid(),
  email: address,
  role: fc.constantFrom(...roles),
  deactivatedAt: fc.option(fc.constant('2026-11-01T10:00:00.000Z')),
})

test('each line adds one new person or has one problem', () => {
  const lines = fc.array(fc.oneof(address, fc.constantFrom(' A@EXAMPLE.ORG ', '', 'nobody', 'x@example.org')))
  fc.assert(
    fc.property(lines, fc.array(owner, { maxLength: 6 }), (texts, owners) => {
      const { personIds, problems } = matchAddresses(texts, owners)
      expect(personIds.length + problems.length).toBe(texts.length)
      expect(new Set(personIds).size).toBe(personIds.length)
      for (const personId of personIds) {
        const person = owners.find(candidate => candidate.id === personId)!
        expect(person.role).not.toBe('admin')
        expect(person.deactivatedAt).toBeNull()
        expect(texts.map(readAddress)).toContain(person.email)
      }
      for (const { index, email } of problems) expect(texts[index]).toBe(email)
    }),
  )
})
