import { expect, test } from '@jest/globals'
import type { ChainedAuditEntry } from '@watchline/contracts/audit'
import { erasedName } from '@watchline/contracts/people'
import { canonicalJson } from '@watchline/kit/core/canonical-json'
import fc from 'fast-check'
import { findFaultAtHead, verifyAudit } from '../src/actions/verify-audit.ts'
import { chainEntry, genesisHash, storable } from '../src/store/audit-chain.ts'

const facts = fc.dictionary(
  // No field of an entry has this name; the schema of entries drops it.
  fc.stringMatching(/^[a-z_]{1,12}$/).filter(name => name !== '__proto__'),
  fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)),
  { maxKeys: 5 },
)
const person = fc.record({ id: fc.stringMatching(/^[\da-f]{24}$/), name: fc.string({ unit: 'binary' }) })
const act = fc.record({
  id: fc.stringMatching(/^[\da-f]{24}$/),
  at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map(date => date.toISOString()),
  action: fc.constantFrom('role_changed', 'deactivated', 'people_imported'),
  actor: fc.constantFrom('administrator', 'operator', 'system'),
  by: fc.option(person),
  subject: fc.option(person.map(some => ({ ...some, email: `${some.id}@example.org` }))),
  address: fc.option(fc.ipV4()),
  before: facts,
  after: facts,
}) as fc.Arbitrary<Parameters<typeof chainEntry>[0]>
const chains = fc.array(act, { minLength: 1, maxLength: 12 }).map(acts => {
  let head = { seq: 0, hash: genesisHash }
  return acts.map(entry => {
    const chained = chainEntry(storable(entry), head)
    head = chained
    return chained
  })
})

async function* each(entries: readonly unknown[]) {
  yield* entries
}
const verify = (entries: readonly unknown[]) => verifyAudit(each(entries), { mayBeginLater: false })

test('the canonical form depends on the value and not on the order of keys, and says the same as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value))
    }),
  )
  expect(canonicalJson({ b: 1, a: [{ 10: null, 9: 'é"' }] })).toBe('{"a":[{"10":null,"9":"é\\""}],"b":1}')
})

test('a chain verifies, also after a way through JSON', async () => {
  await fc.assert(
    fc.asyncProperty(chains, async chain => {
      const verdict = await verify(chain.map(entry => JSON.parse(JSON.stringify(entry))))
      expect(verdict).toMatchObject({ entries: chain.length, head: { seq: chain.length }, fault: undefined })
    }),
  )
})

test('at the head, missing and added entries show, and entries that expire during the check are no fault', () => {
  const head = { seq: 9, hash: 'h' }
  expect(findFaultAtHead({ head, entries: 7 }, head, 7)).toBeUndefined()
  expect(findFaultAtHead({ head, entries: 7 }, head, 5)).toBeUndefined()
  expect(findFaultAtHead({ head, entries: 7 }, head, 8)).toMatch(/is the last of 7 entries, but 8/)
  expect(findFaultAtHead({ head: { seq: 8, hash: 'g' }, entries: 6 }, head, 6)).toMatch(/but 9 were written/)
  expect(findFaultAtHead({ head: { seq: 9, hash: 'g' }, entries: 7 }, head, 7)).toMatch(/but 9 were written/)
})

test('every change of an entry shows at that entry or the next', async () => {
  const changes: readonly ((entry: ChainedAuditEntry) => object)[] = [
    entry => ({ at: new Date(Date.parse(entry.at) + 1).toISOString() }),
    entry => ({ action: entry.action === 'reactivated' ? 'deactivated' : 'reactivated' }),
    entry => ({ actor: entry.actor === 'system' ? 'operator' : 'system' }),
    entry => ({ by: entry.by ? null : { id: 'somebody', name: '' } }),
    entry => ({ subject: entry.subject ? null : { id: 'somebody', name: '', email: '' } }),
    entry => ({ after: { ...entry.after, added: 1 } }),
    entry => ({ address: `${entry.address}0` }),
    entry => ({ id: `${entry.id}0` }),
    entry => ({ hash: entry.prev_hash }),
    entry => ({ details_salt: `${entry.details_salt}0` }),
    () => ({ seq: 99 }),
  ]
  await fc.assert(
    fc.asyncProperty(chains, fc.nat(), fc.constantFrom(...changes), async (chain, place, change) => {
      const index = place % chain.length
      const entry = chain[index]!
      const { fault } = await verify(chain.with(index, { ...entry, ...change(entry) } as ChainedAuditEntry))
      expect(fault).toBeDefined()
      expect(fault?.seq === 99 || fault?.seq === index + 1 || fault?.seq === index + 2).toBe(true)
    }),
  )
})

test('a removed, repeated or exchanged entry shows', async () => {
  await fc.assert(
    fc.asyncProperty(chains, fc.nat(), async (chain, place) => {
      const index = place % chain.length
      if (index < chain.length - 1) expect((await verify(chain.toSpliced(index, 1))).fault?.seq).toBe(index + 2)
      expect((await verify(chain.toSpliced(index, 0, chain[index]!))).fault?.seq).toBe(index + 1)
      if (index > 0)
        expect((await verify(chain.with(index - 1, chain[index]!).with(index, chain[index - 1]!))).fault).toBeDefined()
    }),
  )
})

test('erased details stay explained after the administrator who erased them was erased, too', async () => {
  const [administrator, other, trainee] = ['a', 'b', 'c'].map(id => ({ id, name: `Name of ${id}` }))
  const base = { at: '2026-11-03T14:05:00.000Z', actor: 'administrator', address: null, before: {}, after: {} }
  const acts = [
    { ...base, id: '1', action: 'role_changed', by: null, subject: { ...other, email: 'b@example.org' } },
    {
      ...base,
      id: '2',
      action: 'erased',
      by: administrator,
      subject: { ...trainee, email: '' },
      after: { other_ids: 'b' },
    },
    {
      ...base,
      id: '3',
      action: 'erased',
      by: null,
      subject: { ...administrator, email: '' },
      after: { other_ids: null },
    },
  ] as Parameters<typeof chainEntry>[0][]
  let head = { seq: 0, hash: genesisHash }
  const [changed, erased, last] = acts.map(entry => {
    const chained = chainEntry(storable(entry), head)
    head = chained
    return chained
  })
  const withoutDetails = { ...changed!, details_salt: null, subject: { id: 'b', name: erasedName, email: '' } }
  const withoutAuthor = { ...erased!, details_salt: null, by: { id: 'a', name: erasedName } }
  expect(await verify([withoutDetails, erased, last])).toMatchObject({ erased: 1, fault: undefined })
  expect(await verify([withoutDetails, withoutAuthor, last])).toMatchObject({ erased: 2, fault: undefined })
  expect((await verify([withoutDetails])).fault).toBeDefined()
})

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reverseKeys(field)]),
  )
}
