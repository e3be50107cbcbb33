import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { createArgon2id } from '../src/actions/hash-password.ts'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

let auth: AuthWorld
beforeEach(async () => {
  auth = await startAuth()
  await auth.anonymous.post('/admin/setup', rootAdmin)
})
afterEach(() => auth.stop())

const correct = { email: rootAdmin.email, password: rootAdmin.password }
const incorrect = { email: rootAdmin.email, password: 'not the password' }
const from = (address: string) => ({ 'x-forwarded-for': address })
const login = (body: unknown, address: string) => auth.anonymous.post('/admin/login', body, from(address))

async function guess(times: number, address: string) {
  for (let count = 0; count < times; count += 1) await login(incorrect, address)
}

describe('wrong passwords', () => {
  test('slow down the network they come from, longer each time, and no other network', async () => {
    const statuses: number[] = []
    for (let count = 0; count < limits.loginFreeAttempts; count += 1)
      statuses.push((await login(incorrect, '10.0.0.1')).status)
    expect(new Set(statuses)).toEqual(new Set([401]))

    for (const waitS of [1, 2, 4, 8, 16]) {
      const refused = await login(correct, '10.0.0.1')
      expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
      expect(refused.headers.get('retry-after')).toBe(String(waitS))
      auth.clock.advance(waitS * 1_000)
      expect((await login(incorrect, '10.0.0.1')).status).toBe(401)
    }
    expect((await login(correct, '10.0.0.2')).status).toBe(200)
  })

  test('of ten attempts from many networks never keep out a browser that has not signed in yet', async () => {
    for (let count = 0; count < 20; count += 1) await login(incorrect, `10.0.${count}.1`)
    expect((await login(correct, '192.0.2.1')).status).toBe(200)
  })

  test('from two addresses of one IPv6 network count together', async () => {
    await guess(3, '2001:db8:1:2::1')
    await guess(2, '2001:db8:1:2:ffff::9')
    expect((await login(correct, '2001:db8:1:2::7')).status).toBe(429)
    expect((await login(correct, '2001:db8:1:3::7')).status).toBe(200)
  })

  test('from very many networks reach a bound of the account, which a known browser does not have', async () => {
    const known = auth.openBrowser()
    expect((await known.post('/api/admin/login', correct, from('10.9.9.9'))).status).toBe(200)
    for (let count = 0; count < limits.loginAttemptsPerAccount; count += 1) await login(incorrect, `10.1.${count}.1`)

    const stranger = await login(correct, '192.0.2.1')
    expect(stranger.status).toBe(429)
    expect(Number(stranger.headers.get('retry-after'))).toBeGreaterThan(0)
    // The same network as a guess, too.
    expect((await known.post('/api/admin/login', correct, from('10.1.0.1'))).status).toBe(200)
  })

  test('that must wait use up no bound of the account', async () => {
    await guess(limits.loginAttemptsPerAccount + 20, '10.0.0.1')
    expect((await login(correct, '192.0.2.1')).status).toBe(200)
  })

  test('of one network have a bound over all accounts', async () => {
    for (let count = 0; count < limits.loginAttemptsPerNetwork; count += 1)
      await login({ email: `guess${count}@example.org`, password: 'guess' }, '10.1.2.3')
    expect((await login({ email: 'another@example.org', password: 'guess' }, '10.1.2.3')).status).toBe(429)
    expect((await login(incorrect, '10.1.2.4')).status).toBe(401)
    auth.clock.advance(limits.loginAttemptsWindowMs)
    expect((await login(incorrect, '10.1.2.3')).status).toBe(401)
  })

  test('at the same time are counted before they are verified', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(incorrect, '10.0.0.1')))
    expect(answers.filter(answer => answer.status === 401)).toHaveLength(limits.loginFreeAttempts)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(12 - limits.loginFreeAttempts)
  })

  test('are forgotten after a successful sign-in', async () => {
    for (let round = 0; round < 3; round += 1) {
      await guess(limits.loginFreeAttempts - 1, '10.0.0.1')
      expect((await login(correct, '10.0.0.1')).status).toBe(200)
    }
  })

  test('cannot be tried without the live store', async () => {
    const { counters } = auth.world.ports.live
    const { countAttempt } = counters
    counters.countAttempt = () => Promise.reject(new LiveStoreUnavailable('away'))
    try {
      const answer = await login(correct, '10.0.0.1')
      expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } })
      expect(answer.headers.get('retry-after')).not.toBeNull()
    } finally {
      counters.countAttempt = countAttempt
    }
  })
})

describe('a browser that has signed in before', () => {
  const deviceCookie = (browser: ReturnType<AuthWorld['openBrowser']>) =>
    [...browser.jar.keys()].find(name => name.startsWith('watchline_device_'))!

  test('has a cookie that scripts cannot read, bound to the account, and waits of its own', async () => {
    const browser = auth.openBrowser()
    const answer = await browser.post('/api/admin/login', correct)
    const cookie = answer.headers.getSetCookie().find(line => line.startsWith('watchline_device_'))
    expect(cookie).toMatch(/Max-Age=34560000; Path=\/api;.*HttpOnly; SameSite=Lax/)
    expect(cookie).not.toContain('root')

    for (let count = 0; count < limits.loginFreeAttempts; count += 1)
      expect((await browser.post('/api/admin/login', incorrect)).status).toBe(401)
    expect((await browser.post('/api/admin/login', correct)).status).toBe(429)
    expect((await login(correct, '192.0.2.1')).status).toBe(200)
    auth.clock.advance(limits.loginFirstWaitMs)
    expect((await browser.post('/api/admin/login', correct)).status).toBe(200)
  })

  test('is unknown with a cookie that was changed or belongs to another account', async () => {
    const browser = auth.openBrowser()
    await browser.post('/api/admin/login', correct)
    const name = deviceCookie(browser)
    const { value, path } = browser.jar.get(name)!
    await guess(limits.loginFreeAttempts, '10.0.0.1')
    const [device, signature] = decodeURIComponent(value).split('.')
    for (const forged of [`x${device}.${signature}`, `${device}.`, device!, 'x.y', `.${signature}`]) {
      browser.jar.set(name, { value: forged, path })
      expect((await browser.post('/api/admin/login', correct, from('10.0.0.1'))).status).toBe(429)
    }
    browser.jar.set(name, { value, path })
    expect((await browser.post('/api/admin/login', correct, from('10.0.0.1'))).status).toBe(200)

    const other = { email: 'other@example.org', password: 'guess' }
    for (let count = 0; count < limits.loginFreeAttempts; count += 1)
      await browser.post('/api/admin/login', other, from('10.0.0.2'))
    expect((await browser.post('/api/admin/login', other, from('10.0.0.2'))).status).toBe(429)
  })
})

test('a hash of an earlier version still verifies, and the next sign-in replaces it', async () => {
  const older = createArgon2id({ memoryCost: 512, timeCost: 2, parallelism: 1 })
  const credentials = auth.database.collection('credentials')
  const password_hash = await older.hash(rootAdmin.password)
  await credentials.updateOne({}, { $set: { password_hash } })
  expect((await login(incorrect, '10.0.0.1')).status).toBe(401)
  expect((await credentials.findOne())!.password_hash).toBe(password_hash)

  const answers = await Promise.all([1, 2, 3].map(number => login(correct, `10.0.0.${number}`)))
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 200])
  const replaced = (await credentials.findOne())!.password_hash
  expect(replaced).toMatch(/^\$argon2id\$v=19\$m=1024,t=1,p=1\$/)
  const created = auth.hashes.created
  expect((await login(correct, '10.0.0.1')).status).toBe(200)
  expect((await credentials.findOne())!.password_hash).toBe(replaced)
  expect(auth.hashes.created).toBe(created)
})
