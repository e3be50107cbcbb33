import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import { createCsrf } from '../src/session/csrf.ts'
import { createBrowser, send, startTestGateway, type TestGateway } from './_util.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const findXsrfToken = (cookies: string[]) => cookies.find(cookie => cookie.startsWith('XSRF-TOKEN='))?.split(/[=;]/)[1]

async function expectRefused(answer: Promise<{ status: number; json: { code: string } }>) {
  const { status, json } = await answer
  expect([status, json.code]).toEqual([403, 'csrf'])
}

describe('the token', () => {
  const csrf = createCsrf(['one secret'])

  test('matches only the binding it was issued for', () => {
    const token = csrf.issue('s1')
    expect(csrf.matches(token, 's1')).toBe(true)
    expect(createCsrf(['one secret']).matches(token, 's1')).toBe(true)
    expect(csrf.matches(token, 's2')).toBe(false)
    expect(csrf.matches(token, 'anonymous')).toBe(false)
    expect(createCsrf(['another secret']).matches(token, 's1')).toBe(false)
    expect(createCsrf(['another secret', 'one secret']).matches(token, 's1')).toBe(true)
    for (const bad of [undefined, '', '.', 'a.b', `${token}x`, token.slice(1), token.toUpperCase()])
      expect(csrf.matches(bad, 's1')).toBe(false)
  })

  test('is different every time', () => {
    expect(csrf.issue('s1')).not.toBe(csrf.issue('s1'))
  })
})

describe('over HTTP', () => {
  test('every GET under /api sets the cookie, unless the request has a matching one', async () => {
    for (const path of ['/api/auth/options', '/api/admin/profile', '/api/nothing', '/api/docs']) {
      const { cookies } = await send(gateway.url, path)
      expect(cookies).toEqual([expect.stringMatching(/^XSRF-TOKEN=[\w.-]+; Path=\/; SameSite=Lax$/)])
      const again = await send(gateway.url, path, { headers: { cookie: `XSRF-TOKEN=${findXsrfToken(cookies)}` } })
      expect(again.cookies).toEqual([])
    }
    expect((await send(gateway.url, '/healthz')).cookies).toEqual([])
  })

  test('on https the cookie is Secure, and scripts can read it', async () => {
    const url = await gateway.startAnother({ publicUrl: 'https://watchline.test' })
    const { cookies } = await send(url, '/api/auth/options')
    expect(cookies[0]).toMatch(/; Secure$/)
    expect(cookies[0]).not.toMatch(/HttpOnly/i)
  })

  test.each(['/api/auth/login', '/api/admin/setup', '/api/admin/login', '/api/auth/refresh', '/api/admin/logout'])(
    'POST %s is refused without a token and forwarded with one',
    async path => {
      const before = gateway.services.auth.received.length
      await expectRefused(send(gateway.url, path, { method: 'POST', body: '{}' }))
      expect(gateway.services.auth.received.length).toBe(before)
      const browser = createBrowser(gateway.url)
      await browser.get('/api/auth/options')
      const answer = await browser.post(path, { body: '{"a":1}', headers: { 'content-type': 'application/json' } })
      expect(answer.json).toMatchObject({ service: 'auth', path, body: '{"a":1}' })
    },
  )

  test('only a call of another server needs no token, and no page of another website may make it', async () => {
    const form = {
      method: 'POST',
      body: 'logout_token=t',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    const path = '/api/auth/backchannel-logout'
    const answer = await send(gateway.url, path, form)
    expect(answer.json).toMatchObject({ service: 'auth', path, body: 'logout_token=t' })
    const fromPage = { ...form, headers: { ...form.headers, 'sec-fetch-site': 'cross-site' } }
    expect((await send(gateway.url, path, fromPage)).json.code).toBe('cross_site')
    expect(operations.filter(({ serverCall }) => serverCall).map(({ name }) => name)).toEqual([
      'backchannelLogout',
      'unsubscribe',
    ])
  })

  test('cookie and header with the same forged token are refused', async () => {
    const nonce = 'A'.repeat(22)
    const signed = createHmac('sha256', 'a guessed secret').update(`anonymous|${nonce}`).digest('base64url')
    for (const forged of ['x', 'same', `${nonce}.${signed}`, `${nonce}.${'B'.repeat(43)}`])
      await expectRefused(
        send(gateway.url, '/api/auth/login', {
          method: 'POST',
          headers: { cookie: `XSRF-TOKEN=${forged}`, 'x-xsrf-token': forged },
        }),
      )
  })

  test('a header alone, a cookie alone, and two different valid tokens are refused', async () => {
    const first = findXsrfToken((await send(gateway.url, '/api/auth/options')).cookies)!
    const second = findXsrfToken((await send(gateway.url, '/api/auth/options')).cookies)!
    const attempts: Record<string, string>[] = [
      { 'x-xsrf-token': first },
      { cookie: `XSRF-TOKEN=${first}` },
      { cookie: `XSRF-TOKEN=${first}`, 'x-xsrf-token': second },
    ]
    for (const headers of attempts)
      await expectRefused(send(gateway.url, '/api/auth/login', { method: 'POST', headers }))
  })

  test('a session refuses the token of another session and an anonymous token', async () => {
    const victim = await createBrowser(gateway.url).signIn(gateway.world.token({ id: 'p1' }, 'mine'))
    const attacker = await createBrowser(gateway.url).signIn(gateway.world.token({ id: 'p2' }, 'other'))
    const anonymous = createBrowser(gateway.url)
    await anonymous.get('/api/auth/options')
    expect((await victim.post('/api/session/heartbeat')).status).toBe(200)
    for (const source of [attacker, anonymous]) {
      const access = victim.jar.get('watchline_access')
      const xsrf = source.jar.get('XSRF-TOKEN')!
      await expectRefused(
        send(gateway.url, '/api/session/heartbeat', {
          method: 'POST',
          headers: { cookie: `watchline_access=${access}; XSRF-TOKEN=${xsrf}`, 'x-xsrf-token': xsrf },
        }),
      )
    }
  })

  test('a session with an expired access token keeps its anti-forgery token, so that it can refresh', async () => {
    const claims = { sub: 'p1', sid: 's9', ver: 1, authTimeMs: 0 }
    const browser = await createBrowser(gateway.url).signIn(gateway.world.signer.sign(claims, Date.now(), 600))
    const before = browser.jar.get('XSRF-TOKEN')
    await browser.signIn(gateway.world.signer.sign(claims, Date.now() - 2e6, 600))
    expect(browser.jar.get('XSRF-TOKEN')).toBe(before)
    expect((await browser.post('/api/auth/refresh')).status).toBe(200)
    expect((await browser.post('/api/session/heartbeat')).json.code).toBe('token_expired')
  })

  test('PUT and DELETE are checked, GET and HEAD are not', async () => {
    const token = gateway.world.token({ id: 'p1' }, 's1')
    const headers = { cookie: `watchline_access=${token}` }
    for (const method of ['PUT', 'DELETE'])
      await expectRefused(send(gateway.url, '/api/playlists/x/assign', { method, headers }))
    for (const method of ['GET', 'HEAD'])
      expect((await send(gateway.url, '/api/playlists', { method, headers })).status).toBe(200)
  })
})

describe('a response that changes the session', () => {
  test('sets the token of the new session, and an anonymous token after a sign-out', async () => {
    const browser = createBrowser(gateway.url)
    await browser.get('/api/auth/options')
    const anonymous = browser.jar.get('XSRF-TOKEN')
    const token = gateway.world.token({ id: 'p1' }, 'new')
    gateway.services.auth.answer((_req, res) => {
      res.setHeader('set-cookie', [
        `watchline_access=${token}; Path=/; HttpOnly; SameSite=Lax`,
        'watchline_refresh=r; Path=/api/auth/refresh; HttpOnly',
      ])
      res.end('{}')
    })
    const signedIn = await browser.post('/api/auth/login')
    expect(signedIn.cookies.map(cookie => cookie.split('=')[0])).toEqual([
      'watchline_access',
      'watchline_refresh',
      'XSRF-TOKEN',
      'watchline_browser',
    ])
    expect(browser.jar.get('XSRF-TOKEN')).not.toBe(anonymous)
    expect((await browser.post('/api/session/heartbeat')).status).toBe(200)

    const sessionToken = browser.jar.get('XSRF-TOKEN')
    const refreshed = await browser.post('/api/auth/refresh')
    expect(findXsrfToken(refreshed.cookies)).toBe(sessionToken)

    gateway.services.auth.answer((_req, res) => {
      res.setHeader('set-cookie', 'watchline_access=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT')
      res.end('{}')
    })
    const signedOut = await browser.post('/api/auth/logout')
    expect(signedOut.cookies.map(cookie => cookie.split('=')[0])).toEqual(['watchline_access', 'XSRF-TOKEN'])
    expect(browser.jar.get('XSRF-TOKEN')).not.toBe(sessionToken)
    expect((await browser.post('/api/admin/login')).status).toBe(200)
  })

  test('of a refresh replaces the token of a previous secret, so that it outlives the rotation', async () => {
    const startWith = (...csrfSecrets: [string, ...string[]]) => gateway.startAnother({ csrfSecrets })
    const [before, during, after] = await Promise.all([
      startWith('old secret'),
      startWith('new secret', 'old secret'),
      startWith('new secret'),
    ])
    const token = gateway.world.token({ id: 'p1' }, 'rotated')
    gateway.services.auth.answer((_req, res) => {
      res.setHeader('set-cookie', `watchline_access=${token}; Path=/; HttpOnly; SameSite=Lax`)
      res.end('{}')
    })
    const browser = createBrowser(before)
    browser.jar.set('watchline_access', token)
    await browser.get('/api/auth/options')
    const oldToken = browser.jar.get('XSRF-TOKEN')
    const callAt = (url: string, path: string) => {
      const xsrf = browser.jar.get('XSRF-TOKEN')!
      const headers = { cookie: `watchline_access=${token}; XSRF-TOKEN=${xsrf}`, 'x-xsrf-token': xsrf }
      return send(url, path, { method: 'POST', headers })
    }
    const refreshed = await callAt(during, '/api/auth/refresh')
    expect(refreshed.status).toBe(200)
    const newToken = findXsrfToken(refreshed.cookies)!
    expect(newToken).not.toBe(oldToken)
    await expectRefused(callAt(after, '/api/session/heartbeat'))
    browser.jar.set('XSRF-TOKEN', newToken)
    for (const url of [during, after]) expect((await callAt(url, '/api/session/heartbeat')).status).toBe(200)
    expect(findXsrfToken((await callAt(during, '/api/auth/refresh')).cookies)).toBe(newToken)
  })

  test('to a GET sets one anti-forgery cookie, the new one', async () => {
    const token = gateway.world.token({ id: 'p1' }, 'by-redirect')
    gateway.services.auth.answer((_req, res) => {
      res.writeHead(302, {
        location: '/profile',
        'set-cookie': [`watchline_access=${token}; Path=/`, 'state=; Path=/'],
      })
      res.end()
    })
    const browser = createBrowser(gateway.url)
    const answer = await browser.get('/api/auth/callback?code=1')
    expect([answer.status, answer.headers.location]).toEqual([302, '/profile'])
    expect(answer.cookies.filter(cookie => cookie.startsWith('XSRF-TOKEN='))).toHaveLength(1)
    expect((await browser.post('/api/session/heartbeat')).status).toBe(200)
  })
})
