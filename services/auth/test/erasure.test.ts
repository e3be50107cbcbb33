import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { erasedName, erasedVersion } from '@watchline/contracts/people'
import { createDatabase, inTransaction, openDatabase } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import { openAuditLog } from '../src/actions/open-audit-log.ts'
import { type AuditRecord, createAuditStore } from '../src/store/audit.ts'
import { type AuthWorld, startAuth } from './_util.ts'

let owners: OwnerServices
let auth: AuthWorld
let admin: Awaited<ReturnType<AuthWorld['addPerson']>>
beforeAll(async () => {
  owners = await startOwnerServices()
  auth = await startAuth({ playbackUrl: owners.url, engagementUrl: owners.url, chatUrl: owners.url })
  admin = await auth.addPerson('admin')
})
afterAll(async () => {
  await auth.stop()
  await owners.close()
})

const erase = (id: string, confirm_email: string) =>
  auth.callAs(admin).post(`/admin/users/${id}/erase`, { confirm_email })
const listTypes = async (id: string) => (await auth.listEvents(id)).map(({ type }) => type)
async function verifyDatabase() {
  const log = await openAuditLog(auth.config)
  try {
    return await log.verify()
  } finally {
    await log.close()
  }
}
/** Auth tries again by the clock if the relay had not published the events of the person yet. */
const eventuallyErased = <T>(check: () => Promise<T>) =>
  eventually(() => {
    auth.clock.advance(1_000)
    return check()
  })
/** Entries as an act would write them. */
async function addEntries(entries: Omit<AuditRecord, 'at'>[]) {
  const connection = createDatabase()
  const audit = createAuditStore(connection)
  await openDatabase(connection, auth.config.mongoUrl, auth.database.databaseName)
  try {
    for (const entry of entries)
      await inTransaction(connection, session => audit.add({ at: auth.clock.now(), ...entry }, session))
  } finally {
    await connection.close()
  }
}
const readAudit = async () => (await auth.callAs(admin).get('/admin/audit?limit=500')).json

describe('erasing a person', () => {
  test('needs the address, and is not possible for administrators and unknown people', async () => {
    const user = await auth.addPerson('user')
    expect((await erase(user.id, 'another@example.org')).status).toBe(422)
    expect((await erase(admin.id, admin.email)).json.code).toBe('conflict')
    expect((await erase('nobody', 'nobody@example.org')).json.code).toBe('not_found')
    expect(await auth.findPerson(user.id)).not.toBeNull()
  })

  test('signs them out, frees their team, and keeps a receipt and a tombstone without a name', async () => {
    const browser = auth.openBrowser()
    const { json } = await browser.signIn('erased1@example.org')
    const { id, name } = json.user
    await auth.callAs(admin).put(`/admin/users/${id}/role`, { role: 'supervisor' })
    const trainee = await auth.addPerson('user')
    await auth.callAs(admin).put(`/admin/users/${trainee.id}/supervisor?supervisor_id=${id}`, {})
    const answer = await erase(id, ' Erased1@Example.org ')
    expect(answer).toMatchObject({ status: 200, json: { erasure: { person_id: id, by: { id: admin.id } } } })
    const refresh = await browser.post('/api/auth/refresh', {})
    expect(refresh).toMatchObject({ status: 401, json: { code: 'account_erased' } })
    expect((await auth.callAs({ id, version: 1 }).get('/auth/profile')).status).toBe(401)
    expect((await auth.findPerson(trainee.id))!.supervisor_id).toBeNull()
    expect((await auth.callAs(admin).get('/admin/users?search=erased1')).json).toEqual([])

    const internal = { headers: auth.world.credentialsOf('chat').headersFor('auth') }
    const snapshot = await fetch(`${auth.url}/internal/people/${id}`, internal)
    expect(await snapshot.json()).toMatchObject({ id, name: erasedName, email: '', version: erasedVersion })
    const response = await fetch(`${auth.url}/internal/people?limit=1000`, internal)
    const page = (await response.json()) as { id: string; name: string }[]
    const ids = page.map(person => person.id)
    expect(ids).toEqual(ids.toSorted())
    expect(page.find(person => person.id === id)).toMatchObject({ name: erasedName })

    await eventuallyErased(async () => {
      const [receipt] = (await auth.callAs(admin).get('/admin/erasures')).json
      expect(receipt).toMatchObject({ person_id: id, services: { auth: expect.any(String), chat: null } })
    })
    const entries = await readAudit()
    expect(JSON.stringify(entries)).not.toContain(name)
    expect(JSON.stringify(entries)).not.toContain('erased1@example.org')
    expect(entries.find((entry: { action: string }) => entry.action === 'supervisor_changed')).toMatchObject({
      subject: { id: trainee.id },
      after: { supervisor_id: id, supervisor_name: erasedName },
    })
    const outbox = JSON.stringify(await auth.database.collection('outbox').find().toArray())
    expect(outbox).not.toContain('erased1@example.org')
  })

  test('happens once, also when it is called twice or at the same time', async () => {
    const user = await auth.addPerson('user')
    const answers = await Promise.all([1, 2, 3].map(() => erase(user.id, user.email)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ json }) => json.erasure.id)).size).toBe(1)
    expect((await listTypes(user.id)).filter(type => type === 'user.erased')).toHaveLength(1)
    expect((await erase(user.id, 'whatever')).json.erasure.id).toBe(answers[0]!.json.erasure.id)
  })

  test('removes the file of an unfinished import that has their address', async () => {
    const user = await auth.addPerson('user')
    const asAdmin = auth.callAs(admin)
    const created = await asAdmin.post('/admin/imports', { file_name: 'people.csv', parts: 2 })
    const path = `/admin/imports/${created.json.import.id}`
    const text = `email,role\n${user.email},user\n`
    // The address lies in two parts.
    await asAdmin.put(`${path}/parts/0`, { text: text.slice(0, 20) })
    await asAdmin.put(`${path}/parts/1`, { text: text.slice(20) })
    await erase(user.id, user.email)
    await eventuallyErased(async () => expect((await asAdmin.get(path)).status).toBe(404))
  })

  test('leaves no name of a former administrator in what they did, and not where they did it from', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' }
    const password = 'another horse 10'
    const addAdmin = async (name: string, invitedBy: { id: string }): Promise<{ id: string; email: string }> => {
      const email = `${name.slice(-4).toLowerCase()}@example.org`
      const { json } = await auth.callAs(invitedBy).post('/admin/administrators', { name, email, password }, from)
      const token = json.link.split('#invite=')[1]
      const accepted = await auth.anonymous.post('/admin/accept-invitation', { token, password })
      return accepted.json.admin
    }
    const former = await addAdmin('Former Quixote', admin)
    const next = await addAdmin('Next', former)
    const call = auth.callAs(former)
    const { version } = (await call.get('/admin/claim-rules')).json
    expect((await call.put('/admin/claim-rules', { rules: [], version, password }, from)).status).toBe(200)
    await auth.anonymous.post('/admin/login', { email: former.email, password: 'wrong' }, from)
    expect((await auth.callAs(admin).delete(`/admin/administrators/${former.id}`)).status).toBe(200)
    expect((await erase(former.id, former.email)).status).toBe(200)

    const entries = await readAudit()
    const isCreation = (entry: { action: string; subject: { id: string } | null }) =>
      entry.action === 'admin_created' && entry.subject?.id === next.id
    expect(entries.find(isCreation).after).toMatchObject({
      invited_by_id: former.id,
      invited_by_name: erasedName,
    })
    expect((await auth.callAs(admin).get('/admin/claim-rules')).json.updated_by).toBe(erasedName)
    for (const name of ['audit', 'claim_rules', 'failed_sign_ins', 'admin_invitations']) {
      const text = JSON.stringify(await auth.database.collection(name).find().toArray())
      expect(text).not.toMatch(/Quixote|xote@/)
    }
    const networks = (await auth.database.collection('audit').find({ 'by.id': former.id }).toArray()).map(
      entry => entry.address,
    )
    expect(new Set(networks)).toEqual(new Set([null]))
    expect(await auth.database.collection('failed_sign_ins').countDocuments()).toBe(0)
    expect((await verifyDatabase()).fault).toBeUndefined()
  })

  test('leaves no text that a former administrator typed, in entries and in imports', async () => {
    const former = await auth.addPerson('admin', { name: 'Former Typist' })
    const asFormer = auth.callAs(former)
    const { json } = await asFormer.post('/admin/imports', { file_name: 'list of the typist.csv', parts: 1 })
    const mentioning = { file_name: `people of ${former.email}.csv`, parts: 1 }
    const { json: others } = await auth.callAs(admin).post('/admin/imports', mentioning)
    const by = { id: former.id, name: 'Former Typist' }
    const own = { by, subject: { ...by, email: former.email }, address: null }
    await addEntries([
      { ...own, action: 'second_factor_added', before: {}, after: { kind: 'passkey', name: 'Phone of the typist' } },
      { ...own, action: 'second_factor_removed', before: { kind: 'passkey', name: 'Phone of the typist' }, after: {} },
      { ...own, action: 'second_factor_removed', by: null, before: { name: 'Key of the typist' }, after: {} },
      {
        ...{ action: 'people_imported', by, subject: null, before: {} },
        after: { file_name: 'list of the typist.csv', people: 1 },
      },
    ])
    await auth.database.collection<{ _id: string }>('people').updateOne({ _id: former.id }, { $set: { role: 'user' } })
    expect((await erase(former.id, former.email)).status).toBe(200)

    await eventuallyErased(async () => {
      const texts = await Promise.all(
        ['audit', 'imports'].map(async name => JSON.stringify(await auth.database.collection(name).find().toArray())),
      )
      expect(texts.join()).not.toMatch(/typist/i)
      expect(texts.join()).not.toContain(former.email)
    })
    expect((await auth.callAs(admin).get(`/admin/imports/${json.import.id}`)).json.file_name).toBe('')
    expect((await auth.callAs(admin).get(`/admin/imports/${others.import.id}`)).json.file_name).toBe('')
    expect((await verifyDatabase()).fault).toBeUndefined()
  })

  test('leaves no name of an invitation or a deleted account with the same address in the audit log', async () => {
    const email = 'same-address@example.org'
    const mistake = await auth.addPerson('user', { name: 'Same Person', email })
    expect((await auth.callAs(admin).delete(`/admin/users/${mistake.id}`)).status).toBe(200)
    const { json } = await auth.callAs(admin).post('/admin/administrators', { name: 'Same Person', email })
    expect((await auth.callAs(admin).delete(`/admin/invitations/${json.invitation.id}`)).status).toBe(200)
    // Their own account at the same address stays, and so do the entries about it.
    const { json: other } = await auth
      .callAs(admin)
      .post('/admin/administrators', { name: 'Same Name Admin', email: email.replace('same', 'other') })
    const user = await auth.addPerson('user', { name: 'Same Person', email })
    expect((await erase(user.id, email)).status).toBe(200)

    const text = JSON.stringify(await auth.database.collection('audit').find().toArray())
    expect(text).not.toContain('Same Person')
    expect(text).not.toContain(email)
    expect(text).toContain(other.invitation.name)
    expect((await verifyDatabase()).fault).toBeUndefined()
  })

  test('is possible for deleted people and withdrawn invitations, which only the audit log names', async () => {
    const deleted = { name: 'Deleted Quagga', email: 'quagga@example.org' }
    const mistake = await auth.addPerson('supervisor', deleted)
    expect((await auth.callAs(admin).delete(`/admin/users/${mistake.id}`)).status).toBe(200)
    // The address belongs to somebody else now, with entries of their own.
    const holder = await auth.addPerson('user', { name: 'Holder', email: deleted.email })
    await auth.callAs(admin).put(`/admin/users/${holder.id}/role`, { role: 'manager' })
    const invited = { name: 'Invited Quagga', email: 'invited-quagga@example.org' }
    const { invitation } = (await auth.callAs(admin).post('/admin/administrators', invited)).json
    expect((await auth.callAs(admin).delete(`/admin/invitations/${invitation.id}`)).status).toBe(200)

    expect((await erase(mistake.id, 'another@example.org')).status).toBe(422)
    const answers = await Promise.all([1, 2].map(() => erase(mistake.id, deleted.email)))
    const published = (await auth.listEvents(mistake.id)).filter(({ type }) => type === 'user.erased')
    expect(published.map(({ data }) => data)).toMatchObject([{ person: { role: 'supervisor', email: '' } }])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ json }) => json.erasure.id)).size).toBe(1)
    expect((await erase(invitation.id, invited.email)).json.erasure.person_id).toBe(invitation.id)

    const entries = await auth.database.collection('audit').find({}).toArray()
    expect(JSON.stringify(entries)).not.toMatch(/Quagga|invited-quagga/)
    const ofHolder = entries.find(entry => entry.subject?.id === holder.id)
    expect(ofHolder!.subject).toMatchObject({ name: 'Holder', email: deleted.email })
    expect(await auth.findPerson(holder.id)).toMatchObject({ email: deleted.email })
    expect((await verifyDatabase()).fault).toBeUndefined()
    expect((await erase('unknown-id', deleted.email)).json.code).toBe('not_found')
  })

  test('of a withdrawn invitation keeps the name of the person who has the address', async () => {
    const invited = { name: 'Present Colleague', email: 'colleague@example.org' }
    const colleague = await auth.addPerson('user', invited)
    const { invitation } = (await auth.callAs(admin).post('/admin/administrators', invited)).json
    expect((await auth.callAs(admin).delete(`/admin/invitations/${invitation.id}`)).status).toBe(200)
    await addEntries([
      {
        ...{ by: null, address: null, before: {}, action: 'role_changed' },
        subject: { id: colleague.id, ...invited },
        after: { role: 'supervisor', claim: 'name', claim_value: invited.name },
      },
    ])
    expect((await erase(invitation.id, invited.email)).status).toBe(200)
    expect(JSON.stringify(await readAudit())).toContain(`"claim_value":"${invited.name}"`)
    expect(await auth.findPerson(colleague.id)).toMatchObject(invited)
  })

  test('leaves no value of a claim that equals the address in the audit log', async () => {
    const user = await auth.addPerson('user', { name: 'Claim Holder', email: 'claim-holder@example.org' })
    const other = await auth.addPerson('user')
    const subject = { id: other.id, name: 'Other', email: other.email }
    const fromClaim = { by: null, address: null, before: {} }
    await addEntries([
      {
        ...{ ...fromClaim, action: 'role_changed', subject },
        after: { role: 'supervisor', claim: 'email', claim_value: 'Claim-Holder@example.org' },
      },
      {
        ...{ ...fromClaim, action: 'claim_rules_changed', subject: null },
        after: {
          added: 'groups contains leads: supervisor; email contains claim-holder@example.org: manager',
          removed: null,
        },
      },
    ])
    expect((await erase(user.id, user.email)).status).toBe(200)
    const entries = await readAudit()
    expect(JSON.stringify(entries)).not.toMatch(/claim-holder/i)
    expect(entries).toContainEqual(
      expect.objectContaining({
        subject,
        after: { role: 'supervisor', claim: 'email', claim_value: erasedName, claim_person_id: user.id },
      }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({
        after: {
          added: `groups contains leads: supervisor; email contains ${erasedName}: manager`,
          removed: null,
          claim_person_id: user.id,
        },
      }),
    )
    expect((await verifyDatabase()).fault).toBeUndefined()
  })

  test('finds the names and addresses that they had before, but not those that others have now', async () => {
    const former = { name: 'Maiden Quibble', email: 'quibble@example.org' }
    const names = auth.database.collection<{ _id: string; name: string }>('development_names')
    await names.insertOne({ _id: former.email, name: former.name })
    const { id } = (await auth.openBrowser().signIn(former.email)).json.user
    await auth.callAs(admin).put(`/admin/users/${id}/role`, { role: 'supervisor' })
    // Their administrator invites them with the former address, by mistake.
    await auth.callAs(admin).post('/admin/administrators', former)

    /** The provider gives the account another address and name. */
    const rename = async (name: string, email: string) => {
      await auth.database.collection<{ _id: string }>('people').updateOne({ _id: id }, { $set: { subject: email } })
      await names.insertOne({ _id: email, name })
      expect((await auth.openBrowser().signIn(email)).json.user).toMatchObject({ id, name, email })
    }
    const second = { name: 'Second Quibble', email: 'given-away@example.org' }
    await rename(second.name, second.email)
    await rename('Present Person', 'present@example.org')
    const other = await auth.addPerson('user', { name: 'Next Holder', email: second.email })
    // Earlier versions did not store earlier names; the audit log has those of its entries.
    const stored = await auth.database.collection<{ _id: string }>('people').findOne({ _id: id })
    expect(stored).toMatchObject({ earlier_names: [former.name, former.email, second.name, second.email] })
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: id }, { $set: { earlier_names: [second.name, second.email] } })

    expect((await erase(id, 'present@example.org')).status).toBe(200)
    const [event] = (await auth.listEvents(id)).filter(({ type }) => type === 'user.erased')
    expect((event!.data as { earlier_names: string[] }).earlier_names.toSorted()).toEqual(
      [former.name, former.email, second.name].toSorted(),
    )
    await eventuallyErased(async () => {
      for (const name of ['audit', 'people', 'admin_invitations', 'imports', 'outbox']) {
        const text = JSON.stringify(await auth.database.collection(name).find().toArray())
        expect([name, text.match(/Quibble|quibble@|Present Person|present@/)]).toEqual([name, null])
      }
    })
    expect(await names.findOne({ _id: former.email })).toBeNull()
    expect(await auth.findPerson(other.id)).toMatchObject({ email: second.email })
  })

  test('leaves the invitation of somebody who has an earlier address of theirs now, with its audit entry', async () => {
    const [earlier, present] = ['shared-desk@example.org', 'own-desk@example.org']
    const { id } = (await auth.openBrowser().signIn(earlier)).json.user
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: id }, { $set: { subject: present } })
    expect((await auth.openBrowser().signIn(present)).json.user).toMatchObject({ id, email: present })
    const next = { name: 'Next Deskholder', email: earlier }
    const { json } = await auth.callAs(admin).post('/admin/administrators', next)
    // The invitation of the present address is theirs under any name.
    await auth.callAs(admin).post('/admin/administrators', { name: 'Nickname Desk', email: present })

    expect((await erase(id, present)).status).toBe(200)
    const token = json.link.split('#invite=')[1]
    expect((await auth.anonymous.post('/admin/accept-invitation/check', { token })).json).toMatchObject(next)
    const { invitations } = (await auth.callAs(admin).get('/admin/administrators')).json
    expect(invitations.map(({ email }: { email: string }) => email)).not.toContain(present)
    const entries = (await readAudit()).filter(({ action }: { action: string }) => action === 'admin_invited')
    expect(entries).toContainEqual(expect.objectContaining({ subject: { id: json.invitation.id, ...next } }))
    expect(JSON.stringify(entries)).not.toContain('Nickname Desk')
    const [event] = (await auth.listEvents(id)).filter(({ type }) => type === 'user.erased')
    expect(event!.data.earlier_names ?? []).not.toContain(earlier)
    expect((await verifyDatabase()).fault).toBeUndefined()
    const password = 'another horse 10'
    expect((await auth.anonymous.post('/admin/accept-invitation', { token, password })).status).toBe(200)
  })

  test('does not keep the account from signing in as a new person', async () => {
    const email = 'returns@example.org'
    const first = (await auth.openBrowser().signIn(email)).json.user
    await erase(first.id, email)
    // Until then the development provider forgets the address.
    await eventuallyErased(async () => {
      const [receipt] = (await auth.callAs(admin).get('/admin/erasures')).json
      expect(receipt).toMatchObject({ person_id: first.id, services: { auth: expect.any(String) } })
    })
    const second = (await auth.openBrowser().signIn(email)).json.user
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ role: 'user', supervisor_id: null })
  })
})

test('an export by an administrator is audited once', async () => {
  const user = await auth.addPerson('user')
  const data = await auth.callAs(admin).get(`/auth/record/data?user_id=${user.id}`)
  expect(data.text).toContain(user.email)
  expect((await auth.callAs(user).get(`/auth/record/data?user_id=${admin.id}`)).status).toBe(403)
  const exported = async () =>
    (await auth.callAs(admin).get('/admin/audit?action=exported')).json.map(
      (entry: { subject: { id: string } }) => entry.subject.id,
    )
  await eventually(async () => expect(await exported()).toEqual([user.id]))
  await auth.callAs(admin).get(`/auth/record/data?user_id=${user.id}`)
  await eventually(async () =>
    expect(await auth.database.collection('outbox').countDocuments({ pending: true })).toBe(0),
  )
  expect(await exported()).toEqual([user.id])
})

test('the privacy page needs no session, and says how long data are kept', async () => {
  const { status, json } = await auth.anonymous.get('/auth/privacy')
  expect(status).toBe(200)
  expect(json).toMatchObject({ contact: null, retention: { messages: 730, comments: 730, audit_entries: null } })
})
