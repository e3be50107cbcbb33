import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { erasedName, erasedVersion } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { type AuthWorld, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Awaited<ReturnType<AuthWorld['addPerson']>>
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin')
})
afterAll(() => auth.stop())

const erase = (id: string, confirm_email: string) =>
  auth.callAs(admin).post(`/admin/users/${id}/erase`, { confirm_email })
const listTypes = async (id: string) => (await auth.listEvents(id)).map(({ type }) => type)
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
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(401)
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

    await eventually(async () => {
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
    await eventually(async () => expect((await asAdmin.get(path)).status).toBe(404))
  })

  test('does not keep the account from signing in as a new person', async () => {
    const email = 'returns@example.org'
    const first = (await auth.openBrowser().signIn(email)).json.user
    await erase(first.id, email)
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
