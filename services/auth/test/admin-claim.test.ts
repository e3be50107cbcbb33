import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { newId } from '@watchline/kit/mongo/database'
import { hasAdminClaim, parseAdminClaim } from '../src/rules/admin-claim.ts'
import { startFakeProvider } from './_fake-provider.ts'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

let fake: Awaited<ReturnType<typeof startFakeProvider>>
let auth: AuthWorld
beforeAll(async () => {
  fake = await startFakeProvider('the-client')
  auth = await startAuth({
    oidcIssuer: fake.issuer,
    oidcClientId: 'the-client',
    oidcClientSecret: 'the secret',
    oidcAdminClaim: parseAdminClaim('groups=watchline-admins'),
  })
})
afterAll(async () => {
  await auth.stop()
  await fake.stop()
})

/** Signs in at the provider, which sends these claims. */
async function signIn(sub: string, claims: Record<string, unknown>, world = auth) {
  const browser = world.openBrowser()
  const { location } = await browser.visit('/api/auth/signin')
  const request = new URL(location!).searchParams
  const code = newId()
  fake.state.claimsOf.set(code, {
    nonce: request.get('nonce'),
    sub,
    email: `${sub}@example.org`,
    email_verified: true,
    name: sub,
    ...claims,
  })
  const back = await browser.visit(`/api/auth/callback?code=${code}&state=${request.get('state')}`)
  const sessionId = new URLSearchParams(new URL(back.location!).hash.slice(1)).get('session_id')
  const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
  return { browser, user: json.user as { id: string; role: string } }
}
const inGroup = { groups: ['staff', 'watchline-admins'] }

describe('the claim of administrators', () => {
  test('makes an administrator, who keeps the role as the last one', async () => {
    const { browser, user } = await signIn('first', inGroup)
    expect(user.role).toBe('admin')
    const bearer = { authorization: `Bearer ${browser.token()}` }
    expect((await auth.anonymous.get('/admin/profile', bearer)).json).toMatchObject({ id: user.id, role: 'admin' })
    expect((await auth.anonymous.post('/admin/setup', rootAdmin)).json.code).toBe('admin_exists')
    expect((await signIn('first', {})).user).toMatchObject({ id: user.id, role: 'admin' })
    const { administrators } = (await auth.callAs(user).get('/admin/administrators')).json
    expect(administrators).toMatchObject([{ id: user.id, sign_in: 'provider' }])
    const [entry] = (await auth.callAs(user).get('/admin/audit?action=admin_signed_in')).json
    expect(entry).toMatchObject({ by: { id: user.id }, after: { sign_in: 'provider' } })
  })

  test('takes a supervisor out of the team, and its absence takes the role away', async () => {
    const { user: first } = await signIn('first', inGroup)
    const { browser: earlier, user } = await signIn('second', { groups: 'staff' })
    const admin = auth.callAs(first)
    await admin.put(`/admin/users/${user.id}/role`, { role: 'supervisor' })
    const trainee = await auth.addPerson('user')
    await admin.put(`/admin/users/${trainee.id}/supervisor?supervisor_id=${user.id}`, {})

    const { browser } = await signIn('second', inGroup)
    expect(await auth.findPerson(user.id)).toMatchObject({ role: 'admin', team_size: 0 })
    expect(await auth.findPerson(trainee.id)).toMatchObject({ supervisor_id: null })
    // A session from before must not get an administrator's rights without this sign-in.
    expect((await earlier.post('/api/auth/refresh', {})).status).toBe(401)
    const left = await signIn('second', { groups: ['staff'] })
    expect(left.user).toMatchObject({ id: user.id, role: 'user' })
    expect(await auth.findPerson(user.id)).not.toHaveProperty('deactivated_at')
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(401)
    expect((await auth.callAs(user).get('/admin/profile')).status).toBe(403)
    const entries = (await admin.get('/admin/audit?setup=false&sign_ins=false&search=second')).json
    expect(entries).toMatchObject([
      { action: 'admin_removed', by: null, after: { role: 'user', ended_sessions: 1 } },
      {
        action: 'admin_granted',
        by: null,
        before: { role: 'supervisor' },
        after: { role: 'admin', freed_users: 1, ended_sessions: 1 },
      },
      { action: 'role_changed' },
    ])
  })

  test('and rules compare all values, however many groups there are', async () => {
    const many = Array.from({ length: 230 }, (_, index) => `group-${index}`)
    const { user } = await signIn('many', { groups: [...many, 'watchline-admins'] })
    expect(user.role).toBe('admin')
    const { version } = (await auth.callAs(user).get('/admin/claim-rules')).json
    const rules = [{ claim: 'groups', value: 'leads', role: 'supervisor', leader_id: null }]
    expect((await auth.callAs(user).put('/admin/claim-rules', { rules, version })).status).toBe(200)
    const { user: lead } = await signIn('many-lead', { groups: [...many, 'leads'] })
    expect(lead.role).toBe('supervisor')
    const stored = await auth.database
      .collection<{ _id: string; claims: { values: string[] }[] }>('sign_in_claims')
      .findOne({ _id: lead.id })
    expect(stored!.claims[0]!.values).toHaveLength(limits.claimValuesMax)
    expect((await auth.callAs(user).put('/admin/claim-rules', { rules: [], version: version + 1 })).status).toBe(200)
  })

  test('marks an administrator whose address the provider has not verified', async () => {
    const { user } = await signIn('unverified', { ...inGroup, email_verified: false })
    const { administrators } = (await auth.callAs(user).get('/admin/administrators')).json
    expect(administrators.find(({ id }: { id: string }) => id === user.id)).toMatchObject({ email_verified: false })
    await signIn('unverified', { groups: [] })
  })

  test('counts once at simultaneous sign-ins', async () => {
    const { user } = await signIn('third', {})
    await Promise.all([signIn('third', inGroup), signIn('third', inGroup)])
    const granted = (await auth.listEvents(user.id)).filter(({ type }) => type === 'user.role_changed')
    expect(granted).toHaveLength(1)
  })

  test('counts from the userinfo endpoint only where the settings say so, and never against the ID token', async () => {
    const userInfo = { groups: ['watchline-admins'] }
    fake.state.userInfo = { sub: 'fourth', ...userInfo }
    auth.clock.advance(2 * 3_600_000)
    // The missing verification makes auth ask.
    expect((await signIn('fourth', { email_verified: undefined })).user.role).toBe('user')
    const lenient = await startAuth({ ...auth.config, oidcClaimsFromUserInfo: true }, { world: auth.world })
    try {
      expect((await signIn('fourth', {}, lenient)).user.role).toBe('admin')
      fake.state.userInfo = { sub: 'fifth', ...userInfo }
      expect((await signIn('fifth', { groups: ['staff'] }, lenient)).user.role).toBe('user')
    } finally {
      await lenient.service.stop()
      fake.state.userInfo = undefined
    }
  })

  test.each([
    ['groups=a', { groups: ['b', 'a'] }, true],
    ['groups=a', { groups: 'a' }, true],
    ['groups=a', { groups: 'a b' }, false],
    ['groups=a', { groups: { a: true } }, false],
    ['groups=cn=a,dc=b', { groups: ['cn=a,dc=b'] }, true],
    ['realm_access.roles=a', { realm_access: { roles: ['a'] } }, true],
    ['https://x.example/role=a', { 'https://x.example/role': 'a' }, true],
    ['groups=a', {}, false],
    ['constructor.name=Object', {}, false],
  ])('%s is found in %j: %s', (text, claims, expected) => {
    expect(hasAdminClaim(claims, parseAdminClaim(text)!)).toBe(expected)
  })

  test.each(['', 'groups', 'groups=', '=a'])('%j is no claim', text => {
    expect(parseAdminClaim(text)).toBeUndefined()
  })
})
