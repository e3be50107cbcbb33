import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineInternalOperation } from '@watchline/contracts/internal-operations'
import { createInternalCredentials } from '@watchline/kit/http/internal-credentials'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { ConfigError } from '@watchline/kit/process/config'
import { createTestWorld, type TestWorld } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { z } from 'zod'
import { startTestService } from './_service.ts'

function createKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }
}

const keys = { engagement: createKey(), engagementNext: createKey(), chat: createKey(), removed: createKey() }
const own = createKey()
const publicKeys = [
  `playback-session ${own.publicKey}`,
  `engagement ${keys.engagement.publicKey}`,
  `engagement ${keys.engagementNext.publicKey}`,
  `chat ${keys.chat.publicKey}`,
].join('\n')
const secrets = ['s'.repeat(32), 't'.repeat(32)] as const

const ping = defineInternalOperation({
  name: 'ping',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/ping',
  response: z.object({ ok: z.boolean() }),
})

let clock: ReturnType<typeof createManualClock>
let world: TestWorld
const urls: string[] = []
const stops: (() => Promise<void>)[] = []

async function start(settings: Partial<TestWorld['config']>) {
  const { service, url } = await startTestService(
    { ...world, config: { ...world.config, ...settings } },
    { internalRoutes: [defineInternalRoute(ping, async () => ({ ok: true }))] },
  )
  urls.push(url)
  stops.push(() => service.stop())
}

beforeAll(async () => {
  clock = createManualClock(Date.now())
  world = await createTestWorld({ clock })
  await start({ internalPrivateKey: own.privateKey, internalPublicKeys: publicKeys })
  await start({
    internalPrivateKey: own.privateKey,
    internalPublicKeys: publicKeys,
    internalSecrets: [secrets[0], secrets[1]],
  })
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await world.close()
})

/** A caller with its own list of public keys, as a compromised service may have. */
const callerWith = (name: string, { privateKey, publicKey }: ReturnType<typeof createKey>, at = clock) =>
  createInternalCredentials(
    name,
    { internalPrivateKey: privateKey, internalPublicKeys: `${name} ${publicKey}`, internalSecrets: undefined },
    at,
  )
const statusWith = async (headers: Record<string, string>, url = urls[0]!) =>
  (await fetch(`${url}/internal/ping`, { headers })).status

describe('a service is identified', () => {
  test('by the current and the next of its keys', async () => {
    for (const key of [keys.engagement, keys.engagementNext])
      expect(await statusWith(callerWith('engagement', key).headersFor('playback-session'))).toBe(200)
  })

  test('not by a key that has been removed', async () => {
    expect(await statusWith(callerWith('engagement', keys.removed).headersFor('playback-session'))).toBe(403)
  })

  test('not by the key of another service', async () => {
    expect(await statusWith(callerWith('chat', keys.chat).headersFor('playback-session'))).toBe(403)
    expect(await statusWith(callerWith('engagement', keys.chat).headersFor('playback-session'))).toBe(403)
  })

  test('not by a token that it sent to another service', async () => {
    expect(await statusWith(callerWith('engagement', keys.engagement).headersFor('auth'))).toBe(403)
  })

  test('for about a minute by one token, then by a new one', async () => {
    const caller = callerWith('engagement', keys.engagement)
    const stolen = caller.headersFor('playback-session')
    expect(await statusWith(stolen)).toBe(200)
    clock.advance(91_000)
    expect(await statusWith(stolen)).toBe(403)
    expect(await statusWith(caller.headersFor('playback-session'))).toBe(200)
  })

  test('not by a token without a signature, and not without a token', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const exp = Math.floor(clock.now() / 1_000) + 60
    const claims = encode({ iss: 'engagement', aud: 'playback-session', exp })
    for (const token of [
      `${encode({ alg: 'none' })}.${claims}.`,
      'nonsense',
      `${encode({ alg: 'HS256' })}.${claims}.x`,
    ])
      expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(403)
    expect(await statusWith({})).toBe(404)
  })
})

describe('the shared secret of older versions', () => {
  test('is accepted if it is set, the current and the previous value', async () => {
    for (const secret of secrets) expect(await statusWith({ 'x-internal-secret': secret }, urls[1])).toBe(200)
    expect(await statusWith({ 'x-internal-secret': 'x'.repeat(32) }, urls[1])).toBe(403)
    expect(await statusWith({ 'x-internal-secret': secrets[0] })).toBe(403)
  })

  test('is sent beside the token, so that services of both versions accept the call', async () => {
    const { headersFor } = createInternalCredentials('engagement', {
      internalPrivateKey: keys.engagement.privateKey,
      internalPublicKeys: publicKeys,
      internalSecrets: [secrets[0]],
    })
    expect(headersFor('auth')).toMatchObject({ 'x-internal-secret': secrets[0], authorization: expect.any(String) })
  })
})

test('a service does not start with a private key that the others do not know', () => {
  const config = {
    internalPrivateKey: keys.removed.privateKey,
    internalPublicKeys: publicKeys,
    internalSecrets: undefined,
  }
  expect(() => createInternalCredentials('engagement', config)).toThrow(ConfigError)
  const ofChat = { ...config, internalPrivateKey: keys.chat.privateKey }
  expect(() => createInternalCredentials('engagement', ofChat)).toThrow('INTERNAL_PRIVATE_KEY')
  expect(() => createInternalCredentials('engagement', { ...config, internalPublicKeys: 'chat x' })).toThrow(
    'INTERNAL_PUBLIC_KEYS',
  )
})
