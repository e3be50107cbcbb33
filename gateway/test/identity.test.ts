import { createHmac, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { priorityHeader } from '@watchline/contracts/priority'
import { createTokenSigner } from '@watchline/identity/tokens'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createBrowser, send, startTestGateway, type TestGateway } from './_util.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const withCookie = (token: string) => ({ headers: { cookie: `watchline_access=${token}` } })

const makeRevokedEvent = (sid: string) => ({
  specversion: '1.0' as const,
  id: newId(),
  source: 'auth',
  type: 'session.revoked' as const,
  subject: sid,
  time: new Date().toISOString(),
  data: { sid, person_id: 'p1', reason: 'signed_out' as const },
})

describe('the session cookie', () => {
  test('becomes the bearer token; only auth receives cookies', async () => {
    const token = gateway.world.token({ id: 'p1' }, 's1')
    const { json } = await send(gateway.url, '/api/playlists/today', {
      headers: { cookie: `a=b; watchline_access=${token}; XSRF-TOKEN=x` },
    })
    expect(json.headers.authorization).toBe(`Bearer ${token}`)
    expect(json.headers.cookie).toBeUndefined()
    const auth = await send(gateway.url, '/api/auth/profile', { headers: { cookie: `watchline_access=${token}; c=d` } })
    expect(auth.json.headers.cookie).toBe(`watchline_access=${token}; c=d`)
  })

  test('has the __Host- name on https', async () => {
    const url = await gateway.startAnother({ publicUrl: 'https://watchline.test' })
    const token = gateway.world.token({ id: 'p1' }, 's1')
    const headers = { cookie: `__Host-watchline_access=${token}` }
    expect((await send(url, '/api/playlists/today', { headers })).status).toBe(200)
    expect((await send(url, '/api/playlists/today', withCookie(token))).status).toBe(401)
  })

  test('that is absent, malformed or forged gets 401 no_session and reaches no service', async () => {
    const valid = gateway.world.token({ id: 'p1' }, 's1')
    const [head, payload, signature] = valid.split('.') as [string, string, string]
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const hmacHead = encode({ alg: 'HS256', typ: 'JWT' })
    const hmac = createHmac('sha256', gateway.world.config.tokenPublicKey).update(`${hmacHead}.${payload}`)
    const forged = [
      '',
      'nonsense',
      '%E0%A4%A',
      '%',
      'a.b.c',
      'x'.repeat(9_000),
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${hmacHead}.${payload}.${hmac.digest('base64url')}`,
      `${head}.${encode({ ...claims, sub: 'somebody-else' })}.${signature}`,
    ]
    const before = gateway.services['playback-session'].received.length
    for (const token of forged) {
      const answer = await send(gateway.url, '/api/playlists/today', withCookie(token))
      expect([answer.status, answer.json.code]).toEqual([401, 'no_session'])
    }
    expect((await send(gateway.url, '/api/playlists/today')).status).toBe(401)
    expect(gateway.services['playback-session'].received.length).toBe(before)
  })

  test('that has expired gets 401 token_expired, or is not forwarded if no session is required', async () => {
    const expired = gateway.world.signer.sign(
      { sub: 'p1', sid: 's1', ver: 1, authTimeMs: Date.now() - 3e6 },
      Date.now() - 2e6,
      600,
    )
    const answer = await send(gateway.url, '/api/session/status', withCookie(expired))
    expect([answer.status, answer.json.code]).toEqual([401, 'token_expired'])
    const publicCall = await send(gateway.url, '/api/auth/options', withCookie(expired))
    expect(publicCall.status).toBe(200)
    expect(publicCall.json.headers.authorization).toBeUndefined()
  })
})

describe('the session cookie, signed with a key that has been removed,', () => {
  const removed = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const claims = { sub: 'p1', sid: 's1', ver: 1, authTimeMs: Date.now() }
  const token = createTokenSigner(removed as string).sign(claims, Date.now(), 600)

  test('gets token_expired, so that the page refreshes it instead of signing the person out', async () => {
    const answer = await send(gateway.url, '/api/session/status', withCookie(token))
    expect([answer.status, answer.json.code]).toEqual([401, 'token_expired'])
    const cookie = `watchline_access=${token}; ${answer.cookies[0]!.split(';')[0]}`
    const xsrf = /XSRF-TOKEN=([^;]+)/.exec(cookie)![1]!
    const headers = { cookie, 'x-xsrf-token': xsrf }
    const refresh = await send(gateway.url, '/api/auth/refresh', { method: 'POST', headers, body: '{}' })
    expect(refresh.status).toBe(200)
  })

  test('gives no session: no call is forwarded with it, and no video is served', async () => {
    const publicCall = await send(gateway.url, '/api/auth/options', withCookie(token))
    expect(publicCall.json.headers.authorization).toBeUndefined()
    const folder = mkdtempSync(join(tmpdir(), 'watchline-media-'))
    writeFileSync(join(folder, 'film.mp4'), 'film')
    const url = await gateway.startAnother({ mediaRoot: folder })
    expect((await send(url, '/media/film.mp4', withCookie(token))).status).toBe(401)
    const expired = gateway.world.signer.sign(claims, Date.now() - 2e6, 600)
    // An expired token of a valid key gets further: its address only lacks the signature.
    expect((await send(url, '/media/film.mp4', withCookie(expired))).status).toBe(404)
    rmSync(folder, { recursive: true })
  })
})

describe('request headers', () => {
  test('about identity and forwarding are dropped or replaced', async () => {
    const token = gateway.world.token({ id: 'p1' }, 's1')
    const { json } = await send(gateway.url, '/api/session/status', {
      headers: {
        cookie: `watchline_access=${token}`,
        authorization: 'Bearer forged',
        'x-internal-secret': 'a secret',
        'x-user-id': 'admin',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.test',
        forwarded: 'for=6.6.6.6',
        'x-real-ip': '6.6.6.6',
        via: '1.0 forged',
        'x-http-method-override': 'DELETE',
        connection: 'keep-alive, x-setup-token',
        te: 'trailers',
        'accept-encoding': 'gzip',
        accept: 'application/json',
        'accept-language': 'de',
        'if-none-match': '"1"',
        'if-match': '"2"',
        range: 'bytes=0-1',
        'user-agent': 'test',
        'x-setup-token': 'a setup token',
        'last-event-id': '7',
      },
    })
    const { host, connection, 'x-request-id': requestId, traceparent, ...headers } = json.headers
    expect(headers).toEqual({
      authorization: `Bearer ${token}`,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'watchline.test',
      accept: 'application/json',
      'accept-language': 'de',
      'if-none-match': '"1"',
      'if-match': '"2"',
      range: 'bytes=0-1',
      'user-agent': 'test',
      'x-setup-token': 'a setup token',
      'last-event-id': '7',
    })
    expect(gateway.services['playback-session'].url).toContain(host)
    expect(connection).toBe('keep-alive')
    expect(requestId).toMatch(/^[\w-]{36}$/)
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })

  test('with a bearer token but no cookie give no session', async () => {
    const token = gateway.world.token({ id: 'p1' }, 's1')
    const headers = { authorization: `Bearer ${token}` }
    expect((await send(gateway.url, '/api/session/status', { headers })).status).toBe(401)
    const publicCall = await send(gateway.url, '/api/auth/options', { headers })
    expect(publicCall.json.headers.authorization).toBeUndefined()
  })

  test('with a valid request id and trace are kept; invalid ones are replaced', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const valid = await send(gateway.url, '/api/auth/options', {
      headers: { 'x-request-id': 'abc_DEF-123', traceparent },
    })
    expect(valid.headers['x-request-id']).toBe('abc_DEF-123')
    expect(valid.json.headers).toMatchObject({ 'x-request-id': 'abc_DEF-123', traceparent })
    const invalid = await send(gateway.url, '/api/auth/options', {
      headers: { 'x-request-id': 'short', traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
    })
    expect(invalid.headers['x-request-id']).toMatch(/^[\w-]{36}$/)
    expect(invalid.json.headers.traceparent).not.toContain('0'.repeat(32))
  })

  test('behind a trusted proxy contain the address that the proxy added, not the client', async () => {
    const url = await gateway.startAnother({ trustedProxies: 1 })
    const { json } = await send(url, '/api/auth/options', { headers: { 'x-forwarded-for': '6.6.6.6, 192.0.2.7' } })
    expect(json.headers['x-forwarded-for']).toBe('192.0.2.7')
  })
})

describe('responses of services', () => {
  test('lose hop-by-hop headers, and cookies unless they are from auth', async () => {
    const browser = await createBrowser(gateway.url).signIn(gateway.world.token({ id: 'p1' }, 's1'))
    gateway.services.engagement.answer((_req, res) => {
      res.writeHead(200, {
        connection: 'keep-alive, x-secret-hop',
        'x-secret-hop': '1',
        'x-powered-by': 'x',
        server: 'x',
        'set-cookie': 'watchline_access=planted; Path=/',
        etag: '"7"',
        'x-total-count': '3',
        'content-type': 'application/json',
      })
      res.end('[]')
    })
    const answer = await browser.get('/api/comments/p1/v1')
    expect(answer.cookies).toEqual([])
    expect(answer.headers).toMatchObject({ etag: '"7"', 'x-total-count': '3', 'x-content-type-options': 'nosniff' })
    for (const name of ['x-secret-hop', 'x-powered-by', 'server']) expect(answer.headers[name]).toBeUndefined()
  })

  test('with 304 or an error are forwarded unchanged', async () => {
    const browser = await createBrowser(gateway.url).signIn(gateway.world.token({ id: 'p1' }, 's1'))
    gateway.services.chat.answer((_req, res) => res.writeHead(304, { etag: '"9"' }).end())
    const unchanged = await browser.get('/api/chat/rooms', { headers: { 'if-none-match': '"9"' } })
    expect([unchanged.status, unchanged.headers.etag, unchanged.text]).toEqual([304, '"9"', ''])
    gateway.services.chat.answer((_req, res) =>
      res.writeHead(409, { 'retry-after': '17', 'content-type': 'application/json' }).end('{"code":"conflict"}'),
    )
    const conflict = await browser.get('/api/chat/rooms')
    expect([conflict.status, conflict.headers['retry-after'], conflict.json]).toEqual([409, '17', { code: 'conflict' }])
  })
})

describe('revocation', () => {
  test('the event ends one session and no other', async () => {
    const [ending, staying] = [gateway.world.token({ id: 'p1' }, 'ends'), gateway.world.token({ id: 'p1' }, 'stays')]
    expect((await send(gateway.url, '/api/users', withCookie(ending))).status).toBe(200)
    // Only auth ends sessions; the forged event arrives first.
    await gateway.world.ports.bus.publish({ ...makeRevokedEvent('stays'), source: 'chat' })
    await gateway.world.ports.bus.publish(makeRevokedEvent('ends'))
    await eventually(async () => {
      const answer = await send(gateway.url, '/api/users', withCookie(ending))
      expect([answer.status, answer.json.code]).toEqual([401, 'no_session'])
    })
    expect((await send(gateway.url, '/api/users', withCookie(staying))).status).toBe(200)
    const publicCall = await send(gateway.url, '/api/auth/options', withCookie(ending))
    expect(publicCall.json.headers.authorization).toBeUndefined()
  })

  test('a gateway refuses sessions that were revoked before it started', async () => {
    await gateway.world.ports.live.revocations.add('long-gone', Date.now() + 600_000)
    const url = await gateway.startAnother()
    const answer = await send(url, '/api/users', withCookie(gateway.world.token({ id: 'p1' }, 'long-gone')))
    expect(answer.status).toBe(401)
  })

  test('without the live store a gateway serves but is not ready, and loads revocations later', async () => {
    let isUnavailable = true
    const { live, ...ports } = gateway.world.ports
    const reject = () => Promise.reject(new Error('away'))
    const failingLive: LiveStore = {
      ...live,
      ping: () => (isUnavailable ? reject() : live.ping()),
      revocations: { ...live.revocations, all: now => (isUnavailable ? reject() : live.revocations.all(now)) },
    }
    await live.revocations.add('meanwhile', Date.now() + 600_000)
    const url = await gateway.startAnother({}, { ...ports, live: failingLive })
    const token = gateway.world.token({ id: 'p1' }, 'meanwhile')
    expect((await send(url, '/api/users', withCookie(token))).status).toBe(200)
    expect((await send(url, '/readyz')).status).toBe(503)
    isUnavailable = false
    await eventually(async () => expect((await send(url, '/api/users', withCookie(token))).status).toBe(401))
    expect((await send(url, '/readyz')).status).toBe(200)
  })

  test('an event that does not match its schema is ignored', async () => {
    await gateway.world.ports.bus.publish({ ...makeRevokedEvent('x'), data: { sid: { $gt: '' } } } as never)
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })

  test('works over RabbitMQ and Redis for every gateway', async () => {
    const first = await startTestGateway({}, { world: { bus: 'rabbitmq', live: 'redis' } })
    try {
      const urls = [first.url, await first.startAnother({}, await first.world.otherPorts())]
      const token = first.world.token({ id: 'p1' }, 'far')
      for (const url of urls) expect((await send(url, '/api/users', withCookie(token))).status).toBe(200)
      await first.world.ports.bus.publish(makeRevokedEvent('far'))
      for (const url of urls)
        await eventually(async () => expect((await send(url, '/api/users', withCookie(token))).status).toBe(401))
    } finally {
      await first.close()
    }
  })
})

/** Lets everything in this process wait, longer than the gateway tolerates. */
function blockEventLoop() {
  const endsAt = performance.now() + 250
  while (performance.now() < endsAt);
}

describe('presence', () => {
  test('every call with a session reports presence, except a sign-out', async () => {
    const clock = createManualClock(Date.now())
    const url = await gateway.startAnother({}, { ...gateway.world.ports, clock })
    const { live } = gateway.world.ports
    const leaving = await createBrowser(url).signIn(gateway.world.token({ id: 'leaves' }, 'leaving'))
    await eventually(async () =>
      expect([...(await live.presence.of(['leaves'], clock.now()))]).toEqual([
        ['leaves', expect.objectContaining({ sid: 'leaving', lastActivity: clock.now() })],
      ]),
    )
    await live.presence.removeSession('leaves', 'leaving')
    clock.advance(20_000)
    expect((await leaving.post('/api/auth/logout')).status).toBe(200)
    const staying = await createBrowser(url).signIn(gateway.world.token({ id: 'stays' }, 'staying'))
    await staying.get('/api/session/status')
    await eventually(async () => expect((await live.presence.of(['stays'], clock.now())).size).toBe(1))
    expect((await live.presence.of(['leaves'], clock.now())).size).toBe(0)
  })

  test('of somebody whose poll an overloaded gateway refuses is reported, too', async () => {
    const clock = createManualClock(Date.now())
    const url = await gateway.startAnother({}, { ...gateway.world.ports, clock })
    const { presence } = gateway.world.ports.live
    const browser = await createBrowser(url).signIn(gateway.world.token({ id: 'polls' }, 's1'))
    const poll = { headers: { priority: priorityHeader.poll } }
    // The event loop may be late already.
    let answer = await eventually(async () => {
      const admitted = await browser.get('/api/playlists/today', poll)
      expect(admitted.status).toBe(200)
      return admitted
    })
    while (answer.status === 200) {
      clock.advance(20_000)
      blockEventLoop()
      answer = await browser.get('/api/playlists/today', poll)
    }
    expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await eventually(async () =>
      expect((await presence.of(['polls'], clock.now())).get('polls')).toMatchObject({ lastActivity: clock.now() }),
    )
    expect((await browser.get('/api/playlists/today')).status).toBe(200)
  })
})
