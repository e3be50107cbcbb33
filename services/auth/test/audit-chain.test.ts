import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type ChainedAuditEntry, chainedAuditEntry } from '@watchline/contracts/audit'
import { limits } from '@watchline/contracts/limits'
import { erasedName } from '@watchline/contracts/people'
import { openAuditLog } from '../src/actions/open-audit-log.ts'
import { verifyAudit } from '../src/actions/verify-audit.ts'
import { createAuthService } from '../src/service.ts'
import { genesisHash } from '../src/store/audit-chain.ts'
import { type AuthWorld, type Person, rootAdmin, startAuth } from './_util.ts'

interface Row {
  _id: string
  seq?: number
  [field: string]: unknown
}

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  const { json } = await auth.anonymous.post('/admin/setup', rootAdmin)
  admin = { ...json.admin, version: 1 }
})
afterAll(() => auth.stop())

const rows = () => auth.database.collection<Row>('audit')
const changeRole = async (role = 'director') =>
  auth.callAs(admin).put(`/admin/users/${(await auth.addPerson('user')).id}/role`, { role })

async function verifyDatabase(checkpoint?: { seq: number; hash: string }, knownFirst?: number) {
  const log = await openAuditLog(auth.config)
  try {
    return await log.verify({ checkpoint, knownFirst })
  } finally {
    await log.close()
  }
}

async function* each(entries: readonly unknown[]) {
  yield* entries
}

describe('the hash chain', () => {
  test('begins with the first entry, and each entry holds the hash of the one before it', async () => {
    for (let count = 0; count < 3; count += 1) expect((await changeRole()).status).toBe(200)
    const stored = await rows().find().sort({ seq: 1 }).toArray()
    expect(stored.map(row => row.seq)).toEqual([1, 2, 3, 4])
    expect(stored.map(row => row.prev_hash)).toEqual([genesisHash, ...stored.slice(0, -1).map(row => row.hash)])
    expect(await verifyDatabase()).toMatchObject({ entries: 4, first: 1, head: { seq: 4 }, fault: undefined })
  })

  test('stays whole when two replicas write at the same time, and a refused act leaves no gap', async () => {
    const replica = createAuthService(auth.config, auth.world.ports)
    const { url } = await replica.start()
    try {
      const before = await rows().countDocuments()
      const people = await Promise.all(Array.from({ length: 16 }, () => auth.addPerson('user')))
      const answers = await Promise.all(
        people.map(({ id }, index) =>
          fetch(`${index % 2 ? url : auth.url}/api/admin/users/${id}/role`, {
            method: 'PUT',
            headers: {
              authorization: `Bearer ${auth.world.token(admin)}`,
              'content-type': 'application/json',
              'x-forwarded-for': '203.0.113.7',
            },
            body: JSON.stringify({ role: index === 0 ? 'king' : 'manager' }),
          }),
        ),
      )
      expect(answers.map(answer => answer.status).sort()).toEqual([...Array(15).fill(200), 422])
      expect(await verifyDatabase()).toMatchObject({ entries: before + 15, fault: undefined })
      expect(await rows().findOne({}, { sort: { seq: -1 } })).toMatchObject({ address: '203.0.113.7' })
    } finally {
      await replica.stop()
    }
  })

  describe('shows', () => {
    let whole: Row[]
    beforeEach(async () => {
      whole = await rows().find().toArray()
    })
    const restore = async () => {
      await rows().deleteMany({})
      await rows().insertMany(whole)
    }

    test.each<[string, () => Promise<unknown>, number, RegExp]>([
      ['a changed fact', () => rows().updateOne({ seq: 3 }, { $set: { action: 'reactivated' } }), 3, /other facts/],
      ['a changed detail', () => rows().updateOne({ seq: 2 }, { $set: { 'after.role': 'user' } }), 2, /other details/],
      ['a changed name', () => rows().updateOne({ seq: 2 }, { $set: { 'by.name': 'Nobody' } }), 2, /other details/],
      ['a changed address', () => rows().updateOne({ seq: 2 }, { $set: { address: '192.0.2.1' } }), 2, /other details/],
      [
        'a changed detail without its salt',
        () => rows().updateOne({ seq: 2 }, { $set: { 'after.role': 'user' }, $unset: { details_salt: 1 } }),
        2,
        /no entry says that a person in it was erased/,
      ],
      [
        'a changed detail in the form of erased ones',
        () =>
          rows().updateOne(
            { seq: 2 },
            {
              $set: { 'after.role': 'user', 'subject.name': erasedName, 'subject.email': '' },
              $unset: { details_salt: 1 },
            },
          ),
        2,
        /no entry says that a person in it was erased/,
      ],
      ['a removed entry', () => rows().deleteOne({ seq: 3 }), 4, /follows 2: entries between them are missing/],
      ['a removed end', () => rows().deleteMany({ seq: { $gt: 2 } }), 2, /last one that is left, but \d+ were written/],
      ['an entry that was moved', () => rows().updateOne({ seq: 2 }, { $set: { seq: 900 } }), 3, /follows 1/],
    ])('%s', async (_name, tamper, seq, reason) => {
      const checkpoint = (await verifyDatabase()).head
      await tamper()
      try {
        expect((await verifyDatabase(checkpoint)).fault).toBeDefined()
        expect((await verifyDatabase()).fault).toMatchObject({ seq, reason: expect.stringMatching(reason) })
      } finally {
        await restore()
      }
      expect((await verifyDatabase()).fault).toBeUndefined()
    })

    test('an inserted copy', async () => {
      const copy = (await rows().findOne({ seq: 2 }))!
      await rows().insertOne({ ...copy, _id: 'copy' })
      try {
        expect((await verifyDatabase()).fault).toMatchObject({ seq: 2, reason: expect.stringMatching(/copy/) })
      } finally {
        await restore()
      }
    })

    test('that it was written anew, with a checkpoint from before', async () => {
      const { head } = await verifyDatabase()
      expect(await verifyDatabase(head)).toMatchObject({ fault: undefined })
      expect(await verifyDatabase({ ...head, hash: 'f'.repeat(64) })).toMatchObject({ fault: { seq: head.seq } })
      expect(await verifyDatabase({ ...head, seq: head.seq + 5 })).toMatchObject({
        fault: { reason: expect.stringMatching(/^is missing: the checkpoint knows/) },
      })
    })

    test('a removed beginning, unless it may have expired or the operator knows it', async () => {
      const keepFor = (days: number) =>
        auth.database.command({
          collMod: 'audit',
          index: { name: 'kept', expireAfterSeconds: days * 24 * 3_600 },
        })
      await rows().deleteMany({ seq: { $lte: 2 } })
      try {
        await keepFor(365)
        expect((await verifyDatabase()).fault).toMatchObject({
          seq: 3,
          reason: expect.stringMatching(/^is the first one, .* too young to expire$/),
        })
        expect(await verifyDatabase(undefined, 3)).toMatchObject({ first: 3, fault: undefined })
        expect((await verifyDatabase(undefined, 2)).fault).toBeDefined()
        // The first entry is of today: the one before it can have been of two months ago.
        await keepFor(60)
        expect(await verifyDatabase()).toMatchObject({ first: 3, fault: undefined })
      } finally {
        await keepFor(1_095)
        await restore()
      }
      expect(await verifyDatabase()).toMatchObject({ first: 1, fault: undefined })
    })

    test('the facts of an entry whose details were erased', async () => {
      const person = await auth.addPerson('user')
      await auth.callAs(admin).put(`/admin/users/${person.id}/role`, { role: 'director' })
      const { seq } = (await rows().findOne({ 'subject.id': person.id }))!
      const { status } = await auth
        .callAs(admin)
        .post(`/admin/users/${person.id}/erase`, { confirm_email: person.email, password: rootAdmin.password })
      expect(status).toBe(200)
      const { erased, fault } = await verifyDatabase()
      expect([erased, fault]).toEqual([1, undefined])
      for (const change of [
        { 'subject.id': 'somebody' },
        { 'subject.name': 'Somebody' },
        { 'subject.email': 'somebody@example.org' },
        { 'after.comment': 'words' },
      ]) {
        const before = (await rows().findOne({ seq }))!
        await rows().updateOne({ seq }, { $set: change })
        expect((await verifyDatabase()).fault).toMatchObject({ seq })
        await rows().replaceOne({ seq }, before)
      }
      // The entry about the erasure is what explains it.
      await rows().updateOne({ action: 'erased' }, { $set: { 'subject.id': 'somebody' } })
      expect((await verifyDatabase()).fault).toBeDefined()
      await rows().updateOne({ action: 'erased' }, { $set: { 'subject.id': person.id } })
      expect((await verifyDatabase()).fault).toBeUndefined()
    })
  })
})

test('entries of an earlier version stay readable and join the chain at the next start', async () => {
  const older = await startAuth({}, { world: auth.world })
  await older.service.stop()
  const old = { by: { id: admin.id, name: 'First Admin' }, subject: null, before: {}, after: { role: 'user' } }
  const insertedRows = ['old-1', 'old-2'].map(_id => ({ _id, at: new Date(0), action: 'role_changed', ...old }))
  await rows().insertMany([
    ...insertedRows,
    { _id: 'old-3', at: new Date(0), action: 'password_changed', ...old, by: null },
  ])
  const list = async () => (await auth.callAs(admin).get('/admin/audit?order=asc&limit=3')).json
  expect(await list()).toMatchObject([{ actor: 'administrator' }, { actor: 'administrator' }, { actor: 'operator' }])
  expect((await list())[0]).not.toHaveProperty('seq')

  const service = createAuthService(auth.config, auth.world.ports)
  await service.start()
  await service.stop()
  const { head, entries, fault } = await verifyDatabase()
  expect([fault, entries]).toEqual([undefined, head.seq])
  expect((await list()).map((entry: { id: string; seq: number }) => [entry.id, entry.seq])).toEqual([
    ['old-1', head.seq - 2],
    ['old-2', head.seq - 1],
    ['old-3', head.seq],
  ])
})

describe('the export', () => {
  const exportLog = (query = '', caller = admin) => auth.callAs(caller).get(`/admin/audit/export${query}`)
  const parseLines = (text: string): ChainedAuditEntry[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => chainedAuditEntry.parse(JSON.parse(line)))

  test('has every entry in the order of the chain, can be verified, and becomes an entry', async () => {
    const { head } = await verifyDatabase()
    const answer = await exportLog()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.jsonl"$/)
    const lines = parseLines(answer.text)
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: head.seq }, (_, index) => index + 1))
    const verify = (entries: unknown[]) => verifyAudit(each(entries), { mayBeginLater: true })
    expect(await verify(lines)).toMatchObject({ entries: head.seq, head, fault: undefined })
    expect(await verify(lines.slice(2))).toMatchObject({ first: 3, fault: undefined })
    expect((await verify(lines.toSpliced(2, 1))).fault).toMatchObject({ seq: 4 })
    expect((await verify(lines.with(1, { ...lines[1]!, action: 'erased' as never }))).fault).toMatchObject({ seq: 2 })

    expect(await rows().findOne({ seq: head.seq + 1 })).toMatchObject({
      action: 'audit_exported',
      by: { id: admin.id },
      after: { format: 'jsonl', entries: head.seq, from: null, until: null },
    })
  })

  test('has the days that were chosen, and is a table on request', async () => {
    auth.clock.advance(24 * 3_600_000)
    const from = new Date(auth.clock.now()).toISOString()
    await changeRole('manager')
    await changeRole('manager')
    const until = new Date(auth.clock.now()).toISOString()
    auth.clock.advance(1_000)
    await changeRole('manager')
    const lines = parseLines((await exportLog(`?from=${from}&until=${until}`)).text)
    expect(lines.map(({ action }) => action)).toEqual(['role_changed', 'role_changed'])

    const table = await exportLog(`?format=csv&from=${from}&until=${until}`)
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [header, first] = table.text.replace('\uFEFF', '').split('\r\n')
    expect(header).toMatch(/^seq,at,action,actor,by_id/)
    expect(first).toContain(`role_changed,administrator,${admin.id},First Admin`)
    expect((await exportLog(`?from=${new Date(0).toISOString()}&until=${new Date(1).toISOString()}`)).status).toBe(200)
    expect((await exportLog('?format=xml')).status).toBe(422)
  })

  test('is for administrators only, and bounded', async () => {
    expect((await auth.anonymous.get('/admin/audit/export')).status).toBe(401)
    for (const role of ['user', 'supervisor', 'manager', 'director'] as const)
      expect((await exportLog('', await auth.addPerson(role))).status).toBe(403)
    const busyAdmin = await auth.addPerson('admin')
    const query = `?from=${new Date(auth.clock.now() + 1_000).toISOString()}`
    for (let count = 0; count < limits.auditExportsPerHour; count += 1)
      expect((await exportLog(query, busyAdmin)).status).toBe(200)
    expect(await exportLog(query, busyAdmin)).toMatchObject({ status: 429, json: { code: 'too_many' } })
  })
})
