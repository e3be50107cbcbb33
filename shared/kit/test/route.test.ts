import { generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineOperation } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { freePort } from '@watchline/kit/core/free-port'
import { defineRoute, EventStreamReply, Reply } from '@watchline/kit/http/route'
import type { Service } from '@watchline/kit/process/service-host'
import { apiClient } from '@watchline/testing/api-client'
import { createTestWorld, eventually, makePersonSnapshot, type TestWorld } from '@watchline/testing/harness'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { startTestService, type TestContext } from './_service.ts'

const things = { service: 'playback-session', callers: 'signed-in', summary: 'A thing.' } as const
const reply = z.object({ heard: z.string(), by: z.string() })

const sayThing = defineOperation({
  ...things,
  name: 'sayThing',
  method: 'POST',
  path: '/things/{id}',
  params: z.object({ id: z.string().regex(/^[a-z]+$/) }),
  query: z.object({ loud: z.enum(['yes', 'no']).default('no') }),
  body: z.object({ word: z.string().min(1, 'is required'), times: z.number().int().max(3).default(1) }),
  response: reply,
})
const changeThing = defineOperation({
  ...things,
  name: 'changeThing',
  method: 'PUT',
  path: '/things/change',
  body: z.object({ word: z.string().optional() }),
  response: reply,
})
const staffThing = defineOperation({
  ...things,
  name: 'staffThing',
  method: 'GET',
  path: '/things/staff',
  callers: ['manager', 'admin'],
  response: reply,
})
const anyThing = defineOperation({
  ...things,
  name: 'anyThing',
  method: 'GET',
  path: '/any',
  callers: 'anyone',
  response: reply,
})
const brokenThing = defineOperation({
  ...things,
  name: 'brokenThing',
  method: 'GET',
  path: '/broken/{how}',
  params: z.object({ how: z.string() }),
  response: reply,
})

const openThing = defineOperation({
  ...things,
  name: 'openThing',
  method: 'GET',
  path: '/open',
  callers: ['manager'],
  response: z.null(),
})

const lateThing = defineOperation({
  ...things,
  name: 'lateThing',
  method: 'GET',
  path: '/late/{name}',
  params: z.object({ name: z.string() }),
  callers: 'anyone',
  response: reply,
})
const lateCalls = { waiting: 0, served: [] as string[], release: Promise.withResolvers<void>() }

let world: TestWorld
let service: Service
let url: string
const user = makePersonSnapshot()
const manager = makePersonSnapshot({ role: 'manager' })

beforeAll(async () => {
  world = await createTestWorld()
  const started = await startTestService(world, {
    routes: [
      defineRoute(sayThing, async ({ body, params, query, person }) => ({
        heard: `${params.id} ${body.word.repeat(body.times)} ${query.loud}`,
        by: person.id,
      })),
      defineRoute(changeThing, async ({ body, person }) => ({ heard: body.word ?? 'nothing', by: person.id })),
      defineRoute(
        lateThing,
        async ({ params }) => {
          lateCalls.served.push(params.name)
          return { heard: params.name, by: 'nobody' }
        },
        {
          before: async () => {
            lateCalls.waiting += 1
            await lateCalls.release.promise
          },
        },
      ),
      defineRoute(staffThing, async ({ person }) => ({ heard: 'staff', by: person.id })),
      defineRoute(
        anyThing,
        async ({ person }) =>
          new Reply(
            { heard: 'any', by: person?.id ?? 'nobody' },
            {
              status: 202,
              headers: { 'x-thing': '1' },
              cookies: [{ name: 'thing', value: 'x', options: { httpOnly: true } }],
            },
          ),
      ),
      defineRoute<typeof brokenThing, TestContext>(brokenThing, async ({ params }) => {
        if (params.how === 'refused') fail('conflict', { detail: 'Taken.', retryAfterS: 7 })
        if (params.how === 'shape') return { heard: 1 } as unknown as { heard: string; by: string }
        throw new Error('the secret inside')
      }),
      defineRoute(
        openThing,
        async ({ person }) =>
          new EventStreamReply(res => {
            res.writeHead(200, { 'content-type': 'text/plain' }).write(`for ${person.id}`)
            setImmediate(() => res.end(', and more'))
          }),
      ),
    ],
  })
  service = started.service
  url = started.url
  await started.people.apply(user)
  await started.people.apply(manager)
})

afterAll(async () => {
  await service.stop()
  await world.close()
})

const callAsUser = () => apiClient(url, world.token(user))

describe('a route', () => {
  test('gets parsed input and the caller, and responds with JSON', async () => {
    const response = await callAsUser().post('/things/abc?loud=yes', { word: 'hi', times: 2, role: 'admin' })
    expect(response).toMatchObject({ status: 200, json: { heard: 'abc hihi yes', by: user.id } })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-powered-by')).toBeNull()
  })

  test('may set status, headers and cookies', async () => {
    const { status, headers, json } = await apiClient(url).get('/any')
    expect([status, headers.get('x-thing'), headers.get('set-cookie')]).toEqual([202, '1', 'thing=x; Path=/; HttpOnly'])
    expect(json.by).toBe('nobody')
  })

  test('may stream its response to allowed callers; HEAD gets only the headers', async () => {
    const streamed = await apiClient(url, world.token(manager)).get('/open')
    expect([streamed.status, streamed.text]).toEqual([200, `for ${manager.id}, and more`])
    expect((await callAsUser().get('/open')).status).toBe(403)
    expect((await apiClient(url).get('/open')).status).toBe(401)
    const head = await apiClient(url, world.token(manager)).call('HEAD', '/open')
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('with a fixed path wins over one with a parameter', async () => {
    const { json } = await apiClient(url, world.token(manager)).get('/things/staff')
    expect(json).toEqual({ heard: 'staff', by: manager.id })
  })

  test.each([
    ['no body', undefined, 422, 'invalid'],
    ['an empty object', {}, 422, 'invalid'],
    ['a list', [], 422, 'invalid'],
    ['null', 'null', 422, 'invalid'],
    ['an object where a string belongs', { word: { $gt: '' } }, 422, 'invalid'],
    ['a number as text', { word: 'x', times: '2' }, 422, 'invalid'],
    ['broken JSON', '{"word": ', 400, 'malformed'],
    ['more than the limit', { word: 'x'.repeat(1_100_000) }, 413, 'too_large'],
  ])('refuses %s with the error code and no internals', async (_name, body, status, code) => {
    const refused = await callAsUser().post('/things/abc', body)
    expect(refused).toMatchObject({
      status,
      json: { code, detail: expect.any(String), request_id: expect.any(String) },
    })
    if (status === 422) expect(refused.json.errors.length).toBeGreaterThan(0)
    expect(refused.text).not.toMatch(/\bat .*\.ts|node_modules/)
  })

  test('reads a missing body as an empty object if all fields are optional, and refuses other types', async () => {
    for (const body of [undefined, {}])
      expect((await callAsUser().call('PUT', '/things/change', body)).json.heard).toBe('nothing')
    for (const body of ['null', '0', 'false', '""', '[]'])
      expect([body, (await callAsUser().call('PUT', '/things/change', body)).json.code]).toEqual([body, 'invalid'])
  })

  test('names the path and the problem of invalid input', async () => {
    const { json } = await callAsUser().post('/things/abc', { word: '', times: 9 })
    expect(json.errors.map((problem: { path: string }) => problem.path)).toEqual(['word', 'times'])
    expect(json.detail).toBe('word is required')
  })

  test('refuses a body that is not JSON', async () => {
    const refused = await callAsUser().post('/things/abc', 'word=x', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(refused).toMatchObject({ status: 415, json: { code: 'not_json' } })
  })

  test('does not respond to unknown paths, wrong methods and malformed ids', async () => {
    expect(await callAsUser().get('/nothing')).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect(await callAsUser().post('/things/ABC', { word: 'x' })).toMatchObject({ status: 404 })
    const wrongMethod = await callAsUser().delete('/any')
    expect(wrongMethod).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
    expect(wrongMethod.headers.get('allow')).toBe('GET')
  })

  test('shows the text of a refusal and hides unexpected errors', async () => {
    const refused = await callAsUser().get('/broken/refused')
    expect(refused).toMatchObject({ status: 409, json: { code: 'conflict', detail: 'Taken.' } })
    expect(refused.headers.get('retry-after')).toBe('7')
    for (const how of ['thrown', 'shape']) {
      const broken = await callAsUser().get(`/broken/${how}`)
      expect(broken).toMatchObject({ status: 500, json: { code: 'internal' } })
      expect(broken.text).not.toContain('secret')
    }
  })

  test('keeps a valid request id of the caller and replaces an invalid one', async () => {
    const valid = await apiClient(url).get('/any', { 'x-request-id': 'abcdef-12345' })
    expect(valid.headers.get('x-request-id')).toBe('abcdef-12345')
    const invalid = await apiClient(url).get('/any', { 'x-request-id': 'no good <script>' })
    expect(invalid.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
  })
})

describe('rights', () => {
  test('a caller without the role or the session is refused before the body is parsed', async () => {
    expect(await callAsUser().get('/things/staff')).toMatchObject({ status: 403, json: { code: 'forbidden' } })
    expect(await apiClient(url).post('/things/abc', '{broken')).toMatchObject({
      status: 401,
      json: { code: 'no_session' },
    })
  })

  const claims = () => ({
    sub: user.id,
    sid: 's1',
    ver: 1,
    auth_time: 1,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 600,
    iss: 'watchline',
    aud: 'watchline',
  })
  const otherKeys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokens: [string, () => string][] = [
    ['alg none', () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims())}.`],
    [
      'signed with the public key as a secret',
      () => {
        // jsonwebtoken refuses to sign like this, so the test builds the token itself.
        const head = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims())}`
        return `${head}.${Buffer.from(world.config.tokenPublicKey).toString('base64url')}`
      },
    ],
    ['signed with another key', () => jwt.sign(claims(), otherKeys.privateKey, { algorithm: 'ES256' })],
    ['for another audience', () => jwt.sign({ ...claims(), aud: 'others' }, world.privateKey, { algorithm: 'ES256' })],
    ['without a session', () => jwt.sign({ ...claims(), sid: undefined }, world.privateKey, { algorithm: 'ES256' })],
    ['tampered with', () => world.token(user).replace(/\.[^.]+\./, `.${encode({ ...claims(), sub: manager.id })}.`)],
    ['not a token', () => 'abc'],
  ]
  test.each(tokens)('an invalid token gives no session: %s', async (_name, makeToken) => {
    expect(await apiClient(url, makeToken()).get('/things/staff')).toMatchObject({
      status: 401,
      json: { code: 'no_session' },
    })
  })

  test('a token that expired seconds ago is accepted; an older one gets token_expired, not no_session', async () => {
    const expiredFor = (seconds: number) => {
      const exp = Math.floor(Date.now() / 1_000) - seconds
      return jwt.sign({ ...claims(), sub: manager.id, exp }, world.privateKey, { algorithm: 'ES256' })
    }
    expect(await apiClient(url, expiredFor(5)).get('/things/staff')).toMatchObject({ status: 200 })
    const late = await apiClient(url, expiredFor(60)).get('/things/staff')
    expect(late).toMatchObject({ status: 401, json: { code: 'token_expired' } })
  })

  test('a valid token with the same claims is accepted, so the tests above can fail', async () => {
    const token = jwt.sign({ ...claims(), sub: manager.id }, world.privateKey, { algorithm: 'ES256' })
    expect(await apiClient(url, token).get('/things/staff')).toMatchObject({ status: 200 })
  })
})

describe('health', () => {
  test('a service responds to health, readiness and metrics requests', async () => {
    const get = (path: string) => fetch(url + path)
    expect((await get('/healthz')).status).toBe(200)
    // The ping of MongoDB has a short limit, which a slow machine may miss.
    await eventually(async () =>
      expect(await (await get('/readyz')).json()).toMatchObject({ ready: true, failing: [] }),
    )
    await callAsUser().post('/things/abc', { word: 'x' })
    expect(await (await get('/metrics')).text()).toMatch(
      /watchline_http_request_seconds_count\{[^}]*operation="sayThing",status="200"/,
    )
  })

  test('with METRICS_PORT, metrics and the details of readiness are on that port only', async () => {
    const metricsPort = await freePort()
    const replica = await startTestService({ ...world, config: { ...world.config, metricsPort } })
    await eventually(async () => expect(await (await fetch(`${replica.url}/readyz`)).json()).toEqual({ ready: true }))
    expect((await fetch(`${replica.url}/metrics`)).status).toBe(404)
    const statusUrl = `http://127.0.0.1:${metricsPort}`
    await eventually(async () =>
      expect(await (await fetch(`${statusUrl}/readyz`)).json()).toMatchObject({ ready: true, failing: [], late: [] }),
    )
    expect(await (await fetch(`${statusUrl}/metrics`)).text()).toContain('watchline_dependency_up')
    expect((await fetch(`${statusUrl}/internal/people`)).status).toBe(404)
    await replica.service.stop()
    await expect(fetch(statusUrl)).rejects.toThrow()
  })

  test('a page that points its name at this machine gets nothing outside production', async () => {
    const statusOf = (base: string, host: string, path: string) =>
      new Promise<number>((resolve, reject) => {
        const call = request(base + path, { headers: { host } }, answer => {
          answer.resume()
          resolve(answer.statusCode!)
        })
        call.once('error', reject).end()
      })
    for (const path of ['/metrics', '/readyz', '/api/things/abc'])
      expect(await statusOf(url, 'attacker.example:8081', path)).toBe(421)
    for (const host of ['127.0.0.1:8081', '10.0.0.7', '[::1]:8081', 'localhost', 'watchline.localhost:1'])
      expect(await statusOf(url, host, '/metrics')).toBe(200)
    const replica = await startTestService({ ...world, config: { ...world.config, nodeEnv: 'production' } })
    await eventually(async () => expect(await statusOf(replica.url, 'auth.internal', '/readyz')).toBe(200))
    await replica.service.stop()
  })

  test('internal routes respond with 404 without the secret', async () => {
    expect((await fetch(`${url}/internal/people`)).status).toBe(404)
  })
})

test('a call is dropped if its client disconnects before the work begins', async () => {
  const abandoned = new AbortController()
  const first = fetch(`${url}/api/late/first`, { signal: abandoned.signal })
  const second = fetch(`${url}/api/late/second`)
  await eventually(() => expect(lateCalls.waiting).toBe(2))
  abandoned.abort()
  await expect(first).rejects.toThrow()
  // Answered after the server has noticed that the client is gone.
  expect((await fetch(`${url}/api/any`)).status).toBeLessThan(500)
  lateCalls.release.resolve()
  expect((await second).status).toBe(200)
  expect(lateCalls.served).toEqual(['second'])
})
