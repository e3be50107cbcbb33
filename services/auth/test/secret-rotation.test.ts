import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import jwt from 'jsonwebtoken'
import { createAuthService } from '../src/service.ts'
import { type AuthWorld, createBrowser, startAuth } from './_util.ts'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)] as const

// Three replicas on one database, as they run together while the secrets are replaced.
const nextKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const nextPrivateKey = nextKey.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const nextPublicKey = nextKey.publicKey.export({ type: 'spki', format: 'pem' }) as string

let before: AuthWorld
let during: AuthWorld
let after: AuthWorld
beforeAll(async () => {
  before = await startAuth({ refreshSecrets: [old], cookieSecrets: [old] })
  const { world } = before
  const tokenPublicKey = `${world.config.tokenPublicKey}${nextPublicKey}`
  const nextKeys = { tokenPrivateKey: nextPrivateKey, tokenPublicKey }
  during = await startAuth({ ...nextKeys, refreshSecrets: [next, old], cookieSecrets: [next, old] }, { world })
  const onlyNext = { tokenPrivateKey: nextPrivateKey, tokenPublicKey: nextPublicKey }
  after = await startAuth({ ...onlyNext, refreshSecrets: [next], cookieSecrets: [next] }, { world })
})
afterAll(async () => {
  await after.service.stop()
  await during.service.stop()
  await before.stop()
})

type Browser = ReturnType<typeof createBrowser>

/** The same browser, whose next calls reach another replica. */
function moveTo({ url, config }: AuthWorld, browser: Browser): Browser {
  const moved = createBrowser(url, config.publicUrl)
  for (const [name, cookie] of browser.jar) moved.jar.set(name, cookie)
  return moved
}
const refresh = async (browser: Browser) => (await browser.post('/api/auth/refresh', {})).status

describe('while the refresh secret is replaced', () => {
  test('a token of the previous secret is renewed and then signed with the current one', async () => {
    const browser = before.openBrowser()
    await browser.signIn('renewed@example.org')
    const renewed = moveTo(during, browser)
    expect(await refresh(renewed)).toBe(200)
    expect(await refresh(moveTo(after, renewed))).toBe(200)
  })

  test('a replica without the other secret refuses its tokens', async () => {
    const [early, late] = [before.openBrowser(), during.openBrowser()]
    await early.signIn('early@example.org')
    await late.signIn('late@example.org')
    expect(await refresh(moveTo(after, early))).toBe(401)
    expect(await refresh(moveTo(before, late))).toBe(401)
  })
})

describe('while the cookie secret is replaced', () => {
  async function signInAcross(first: AuthWorld, second: AuthWorld): Promise<URL> {
    const browser = first.openBrowser()
    const start = await browser.visit('/api/auth/signin?login_hint=across@example.org')
    return (await moveTo(second, browser).follow(start.location!)).url
  }

  test('a sign-in that began before goes on', async () => {
    expect((await signInAcross(before, during)).hash).toContain('session_id=')
    expect((await signInAcross(during, after)).hash).toContain('session_id=')
  })

  test('a replica without the other secret refuses the sign-in', async () => {
    expect((await signInAcross(before, after)).search).toContain('error=')
    expect((await signInAcross(during, before)).search).toContain('error=')
  })
})

describe('while the token key is replaced', () => {
  const profileOf = async ({ url }: AuthWorld, token: string) => {
    const { status, json } = await apiClient(url, token).get('/auth/profile')
    return json.code ?? status
  }

  test('tokens of both keys are valid, and new ones name the new key', async () => {
    const [early, late] = [before.openBrowser(), during.openBrowser()]
    await early.signIn('early-key@example.org')
    await late.signIn('late-key@example.org')
    expect(await profileOf(during, early.token())).toBe(200)
    expect(await profileOf(after, late.token())).toBe(200)
    const { keys } = (await during.anonymous.get('/auth/jwks')).json
    expect(jwt.decode(late.token(), { complete: true })!.header).toMatchObject({ alg: 'ES256', kid: keys[1].kid })
  })

  test('a token of a key that is not there gets token_expired, and its browser a new one', async () => {
    const browser = before.openBrowser()
    await browser.signIn('removed-key@example.org')
    expect(await profileOf(after, browser.token())).toBe('token_expired')
    const renewed = moveTo(during, browser)
    expect(await refresh(renewed)).toBe(200)
    expect(await profileOf(after, renewed.token())).toBe(200)
  })

  test('the key set has every public key, and anybody may read it', async () => {
    const currentKey = createPublicKey(before.config.tokenPublicKey)
    const { status, json } = await during.anonymous.get('/auth/jwks')
    expect(status).toBe(200)
    expect(json.keys).toEqual([
      { ...currentKey.export({ format: 'jwk' }), kid: expect.any(String), use: 'sig', alg: 'ES256' },
      { ...nextKey.publicKey.export({ format: 'jwk' }), kid: expect.any(String), use: 'sig', alg: 'ES256' },
    ])
  })

  test('a process whose private key the others could not verify does not start', () => {
    const config = { ...before.config, tokenPrivateKey: nextPrivateKey }
    expect(() => createAuthService(config, before.world.ports)).toThrow('TOKEN_PRIVATE_KEY')
  })
})
