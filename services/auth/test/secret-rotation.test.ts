import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type AuthWorld, createBrowser, startAuth } from './_util.ts'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)] as const

// Three replicas on one database, as they run together while the secrets are replaced.
let before: AuthWorld
let during: AuthWorld
let after: AuthWorld
beforeAll(async () => {
  before = await startAuth({ refreshSecrets: [old], cookieSecrets: [old] })
  const { world } = before
  during = await startAuth({ refreshSecrets: [next, old], cookieSecrets: [next, old] }, { world })
  after = await startAuth({ refreshSecrets: [next], cookieSecrets: [next] }, { world })
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
