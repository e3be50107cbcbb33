import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineOperation } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, EventStreamReply, Reply } from '@watchline/kit/http/route'
import type { Service } from '@watchline/kit/process/service-host'
import { apiClient, createTestWorld, makePersonSnapshot, type TestWorld } from '@watchline/testing/harness'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { startTestService, type TestContext } from './_service.ts'

const things = { service: 'playback-session', callers: 'signed-in', summary: 'A thing.' } as const
const answer = z.object({ heard: z.string(), by: z.string() })

const sayThing = defineOperation({
  ...things,
  name: 'sayThing',
  method: 'POST',
  path: '/things/{id}',
  params: z.object({ id: z.string().regex(/^[a-z]+$/) }),
  query: z.object({ loud: z.enum(['yes', 'no']).default('no') }),
  body: z.object({ word: z.string().min(1, 'is required'), times: z.number().int().max(3).default(1) }),
  response: answer,
})
const staffThing = defineOperation({
  ...things,
  name: 'staffThing',
  method: 'GET',
  path: '/things/staff',
  callers: ['manager', 'admin'],
  response: answer,
})
const anyThing = defineOperation({
  ...things,
  name: 'anyThing',
  method: 'GET',
  path: '/any',
  callers: 'anyone',
  response: answer,
})
const brokenThing = defineOperation({
  ...things,
  name: 'brokenThing',
  method: 'GET',
  path: '/broken/{how}',
  params: z.object({ how: z.string() }),
  response: answer,
})

const openThing = defineOperation({
  ...things,
  name: 'openThing',
  method: 'GET',
  path: '/open',
  callers: ['manager'],
  response: z.null(),
})

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

const asUser = () => apiClient(url, world.token(user))

describe('a route', () => {
  test('gets parsed input and the caller, and its answer is JSON', async () => {
    const said = await asUser().post('/things/abc?loud=yes', { word: 'hi', times: 2, role: 'admin' })
    expect(said).toMatchObject({ status: 200, json: { heard: 'abc hihi yes', by: user.id } })
    expect(said.headers.get('cache-control')).toBe('private, no-cache')
    expect(said.headers.get('x-powered-by')).toBeNull()
  })

  test('may answer with a status, headers and cookies of its own', async () => {
    const { status, headers, json } = await apiClient(url).get('/any')
    expect([status, headers.get('x-thing'), headers.get('set-cookie')]).toEqual([202, '1', 'thing=x; Path=/; HttpOnly'])
    expect(json.by).toBe('nobody')
  })

  test('may keep its answer open, for those who may have it; only its head is told when that was asked', async () => {
    const opened = await apiClient(url, world.token(manager)).get('/open')
    expect([opened.status, opened.text]).toEqual([200, `for ${manager.id}, and more`])
    expect((await asUser().get('/open')).status).toBe(403)
    expect((await apiClient(url).get('/open')).status).toBe(401)
    const head = await apiClient(url, world.token(manager)).call('HEAD', '/open')
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('a fixed path goes before one with a parameter', async () => {
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
  ])('%s is refused clearly', async (_what, body, status, code) => {
    const refused = await asUser().post('/things/abc', body)
    expect(refused).toMatchObject({
      status,
      json: { code, detail: expect.any(String), request_id: expect.any(String) },
    })
    if (status === 422) expect(refused.json.errors.length).toBeGreaterThan(0)
    expect(refused.text).not.toMatch(/\bat .*\.ts|node_modules/)
  })

  test('invalid input says where and what', async () => {
    const { json } = await asUser().post('/things/abc', { word: '', times: 9 })
    expect(json.errors.map((each: { path: string }) => each.path)).toEqual(['word', 'times'])
    expect(json.detail).toBe('word is required')
  })

  test('a body that is not JSON is refused', async () => {
    const refused = await asUser().post('/things/abc', 'word=x', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(refused).toMatchObject({ status: 415, json: { code: 'not_json' } })
  })

  test('unknown paths, other methods and ids that are none', async () => {
    expect(await asUser().get('/nothing')).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect(await asUser().post('/things/ABC', { word: 'x' })).toMatchObject({ status: 404 })
    const other = await asUser().delete('/any')
    expect(other).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
    expect(other.headers.get('allow')).toBe('GET')
  })

  test('a refusal keeps its words; anything unexpected stays inside', async () => {
    const refused = await asUser().get('/broken/refused')
    expect(refused).toMatchObject({ status: 409, json: { code: 'conflict', detail: 'Taken.' } })
    expect(refused.headers.get('retry-after')).toBe('7')
    for (const how of ['thrown', 'shape']) {
      const broken = await asUser().get(`/broken/${how}`)
      expect(broken).toMatchObject({ status: 500, json: { code: 'internal' } })
      expect(broken.text).not.toContain('secret')
    }
  })

  test('the request id of the caller is kept when it is one, and made otherwise', async () => {
    const kept = await apiClient(url).get('/any', { 'x-request-id': 'abcdef-12345' })
    expect(kept.headers.get('x-request-id')).toBe('abcdef-12345')
    const made = await apiClient(url).get('/any', { 'x-request-id': 'no good <script>' })
    expect(made.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
  })
})

describe('rights', () => {
  test('a role that is not named is refused, before the body is looked at', async () => {
    expect(await asUser().get('/things/staff')).toMatchObject({ status: 403, json: { code: 'forbidden' } })
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
  const foreign = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokens: [string, () => string][] = [
    ['alg none', () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims())}.`],
    [
      'signed with the public key as a secret',
      () => {
        // jsonwebtoken itself refuses to sign so; an attacker does not ask it
        const head = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims())}`
        return `${head}.${Buffer.from(world.config.tokenPublicKey).toString('base64url')}`
      },
    ],
    ['signed by somebody else', () => jwt.sign(claims(), foreign.privateKey, { algorithm: 'RS256' })],
    ['for another audience', () => jwt.sign({ ...claims(), aud: 'others' }, world.privateKey, { algorithm: 'RS256' })],
    ['without a session', () => jwt.sign({ ...claims(), sid: undefined }, world.privateKey, { algorithm: 'RS256' })],
    ['tampered with', () => world.token(user).replace(/\.[^.]+\./, `.${encode({ ...claims(), sub: manager.id })}.`)],
    ['not a token', () => 'abc'],
  ]
  test.each(tokens)('a token that is %s is nobody’s', async (_what, make) => {
    expect(await apiClient(url, make()).get('/things/staff')).toMatchObject({
      status: 401,
      json: { code: 'no_session' },
    })
  })

  test('a token that has expired on its way from the gateway is let in; one that did so longer ago is to be refreshed, not a session at its end', async () => {
    const expiredFor = (seconds: number) => {
      const exp = Math.floor(Date.now() / 1_000) - seconds
      return jwt.sign({ ...claims(), sub: manager.id, exp }, world.privateKey, { algorithm: 'RS256' })
    }
    expect(await apiClient(url, expiredFor(5)).get('/things/staff')).toMatchObject({ status: 200 })
    const late = await apiClient(url, expiredFor(60)).get('/things/staff')
    expect(late).toMatchObject({ status: 401, json: { code: 'token_expired' } })
  })

  test('a valid token of those claims works, so the refusals above mean something', async () => {
    const token = jwt.sign({ ...claims(), sub: manager.id }, world.privateKey, { algorithm: 'RS256' })
    expect(await apiClient(url, token).get('/things/staff')).toMatchObject({ status: 200 })
  })
})

describe('health', () => {
  test('a service says that it lives, that it is ready, and how it is', async () => {
    const get = (path: string) => fetch(url + path)
    expect((await get('/healthz')).status).toBe(200)
    expect(await (await get('/readyz')).json()).toMatchObject({ ready: true, failing: [] })
    await asUser().post('/things/abc', { word: 'x' })
    expect(await (await get('/metrics')).text()).toMatch(
      /watchline_http_request_seconds_count\{[^}]*operation="sayThing",status="200"/,
    )
  })

  test('internal routes are not there for who has not the secret', async () => {
    expect((await fetch(`${url}/internal/people`)).status).toBe(404)
  })
})
