import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import { accountOf, displayName } from '../src/rules/account.ts'
import { startFakeProvider } from './_fake-provider.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let fake: Awaited<ReturnType<typeof startFakeProvider>>
let auth: AuthWorld
let supervisor: Person
beforeEach(async () => {
  fake = await startFakeProvider('the-client')
  auth = await startAuth({ oidcIssuer: fake.issuer, oidcClientId: 'the-client', oidcClientSecret: 'the secret' })
  supervisor = await auth.addPerson('supervisor')
})
afterEach(async () => {
  await auth.stop()
  await fake.stop()
})

const email = 'trainee1@example.org'
const people = () => auth.database.collection<{ _id: string; email: string; invited?: boolean }>('people')

/** Creates an invited person, as an import does. */
async function invite(fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await auth.addPerson('user', { email, name: 'As imported' })
  await people().updateOne(
    { _id: id },
    { $set: { invited: true, supervisor_id: supervisor.id, ...fields }, $unset: { issuer: 1, subject: 1 } },
  )
  return id
}

/** Redirects to the provider. The returned function comes back with these claims and logs in. */
async function leaveForProvider(claims: Record<string, unknown>) {
  const browser = auth.openBrowser()
  const { location } = await browser.visit('/api/auth/signin')
  const request = new URL(location!).searchParams
  const code = newId()
  fake.state.claimsOf.set(code, { nonce: request.get('nonce'), sub: 'trainee1', email, name: 'Trainee One', ...claims })
  return async () => {
    const back = await browser.visit(`/api/auth/callback?code=${code}&state=${request.get('state')}`)
    const sessionId = new URLSearchParams(new URL(back.location!).hash.slice(1)).get('session_id')
    const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
    return json.user as { id: string; name: string; role: string; supervisor_id: string | null; email: string }
  }
}
const signIn = async (claims: Record<string, unknown> = {}) => (await leaveForProvider(claims))()

describe('the first sign-in of an invited person', () => {
  test.each([true, 'true'])('with a verified address (%j) keeps id, role and team', async verified => {
    const id = await invite({ role: 'supervisor', supervisor_id: null, manager_id: supervisor.id, team_size: 3 })
    const user = await signIn({
      email_verified: verified,
      email: ' TRAINEE1@Example.org',
      picture: 'https://x.org/a.png',
    })
    expect(user).toMatchObject({
      id,
      name: 'Trainee One',
      role: 'supervisor',
      manager_id: supervisor.id,
      user_count: 3,
      picture: 'https://x.org/a.png',
    })
    expect(await people().findOne({ _id: id })).toMatchObject({ issuer: fake.issuer, subject: 'trainee1', version: 2 })
    expect(await people().countDocuments({ email })).toBe(1)
    const events = await auth.listEvents(id)
    expect(events.filter(event => event.type.startsWith('user.')).map(event => event.type)).toEqual([
      'user.profile_changed',
    ])
    // Later sign-ins match by issuer and subject, for any address, verified or not.
    expect(await signIn({ email: 'new@example.org' })).toMatchObject({ id, email: 'new@example.org' })
  })

  test.each([undefined, false, 'false', 1, 'yes', {}, null])(
    'with an unverified address (%j) creates a new person',
    async verified => {
      const id = await invite()
      const user = await signIn({ email_verified: verified })
      expect(user).toMatchObject({ role: 'user', supervisor_id: null, name: 'Trainee One' })
      expect(user.id).not.toBe(id)
      expect(await people().findOne({ _id: id })).toMatchObject({ invited: true, version: 1 })
      // An existing account stays; the first other account with the verified address claims the
      // invitation.
      expect((await signIn({ email_verified: true })).id).toBe(user.id)
      expect((await signIn({ email_verified: true, sub: 'the real trainee1' })).id).toBe(id)
    },
  )

  test('happens once: the next account with the same verified address creates a new person', async () => {
    const id = await invite()
    expect((await signIn({ email_verified: true })).id).toBe(id)
    const secondUser = await signIn({ email_verified: true, sub: 'another' })
    expect(secondUser.id).not.toBe(id)
    expect(secondUser).toMatchObject({ role: 'user', supervisor_id: null })
    expect(await people().findOne({ _id: id })).toMatchObject({ subject: 'trainee1' })
  })

  test('one of several concurrent accounts claims the invitation', async () => {
    const id = await invite()
    const subjects = ['a', 'b', 'c', 'd', 'a']
    const finishSignIns = await Promise.all(subjects.map(sub => leaveForProvider({ sub, email_verified: true })))
    const users = await Promise.all(finishSignIns.map(finishSignIn => finishSignIn()))
    const ids = new Map(users.map((user, index) => [subjects[index]!, user.id]))
    expect(ids.get('a')).toBe(users[4]!.id)
    expect(new Set(ids.values()).size).toBe(4)
    expect([...ids.values()].filter(userId => userId === id)).toHaveLength(1)
    expect(await people().countDocuments({ email })).toBe(4)
    expect(await people().countDocuments({ invited: true })).toBe(0)
  })

  test('keeps the imported name while the provider sends none', async () => {
    const id = await invite()
    expect(await signIn({ email_verified: true, name: ' ' })).toMatchObject({ id, name: 'As imported' })
    expect(await signIn({ email_verified: true, name: undefined })).toMatchObject({
      id,
      name: 'As imported',
    })
    // The first sign-in verified the address; nothing else changed.
    expect(await people().findOne({ _id: id })).toMatchObject({ version: 2, email_verified: true })
    expect(await signIn({ name: 'Trainee One' })).toMatchObject({ id, name: 'Trainee One' })
  })

  test('keeps a role that an administrator assigned before', async () => {
    const id = await invite()
    const admin = await auth.addPerson('admin')
    await auth.callAs(admin).put(`/admin/users/${id}/role`, { role: 'director' })
    expect(await signIn({ email_verified: true })).toMatchObject({ id, role: 'director', supervisor_id: null })
  })
})

describe('an email address never matches', () => {
  test('an administrator', async () => {
    const admin = await auth.addPerson('admin', { email })
    const user = await signIn({ email_verified: true })
    expect(user.id).not.toBe(admin.id)
    expect(user.role).toBe('user')
    // A mark as invited does not help.
    await people().updateOne({ _id: admin.id }, { $set: { invited: true, email: 'b@example.org' } })
    expect((await signIn({ email_verified: true, sub: 'b', email: 'b@example.org' })).id).not.toBe(admin.id)
  })

  test('a person with an account', async () => {
    const existing = await auth.addPerson('supervisor', { email })
    expect((await signIn({ email_verified: true })).id).not.toBe(existing.id)
  })

  test('when only another address is verified', async () => {
    const id = await invite()
    // The userinfo endpoint names the invited address, but has no signature.
    fake.state.userInfo = { sub: 'trainee1', email, email_verified: true, name: 'Trainee One' }
    const user = await signIn({ email: 'mine@example.org', email_verified: undefined, name: undefined })
    expect(user).toMatchObject({ email: 'mine@example.org', email_verified: false, name: 'Trainee One' })
    expect(user.id).not.toBe(id)
  })

  test('when the verification is of the ID token, and the address is not', async () => {
    const id = await invite()
    fake.state.userInfo = { sub: 'trainee1', email, name: 'Trainee One' }
    const user = await signIn({ email: undefined, email_verified: true, name: undefined })
    expect(user).toMatchObject({ email, email_verified: false })
    expect(user.id).not.toBe(id)
  })

  test('a verification that only the userinfo endpoint sends counts', async () => {
    const id = await invite()
    fake.state.userInfo = { sub: 'trainee1', email, email_verified: true }
    expect((await signIn()).id).toBe(id)
  })
})

test('an address can be invited only once', async () => {
  await invite()
  await expect(invite()).rejects.toThrow(/duplicate key/)
})

test('the name of an account', () => {
  const nameless = accountOf({ email: 'Trainee.O@example.org', name: '\u0000' })!
  expect(nameless).toEqual({ email: 'trainee.o@example.org', emailVerified: false, name: null, picture: null })
  expect(displayName(nameless)).toBe('trainee.o')
  expect(displayName(nameless, { name: 'Known' })).toBe('Known')
  expect(displayName({ ...nameless, name: 'Sent' }, { name: 'Known' })).toBe('Sent')
})
