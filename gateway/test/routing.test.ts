import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import fc from 'fast-check'
import { readTarget } from '../src/requests/request-target.ts'
import { createOperationIndex } from '../src/routing/operation-index.ts'
import { findRow, isUnder, routingTable } from '../src/routing/routing-table.ts'
import { createBrowser, send, startTestGateway, type TestGateway } from './_util.ts'

const makeExample = (path: string) => `/api${path.replace(/\{\w+\}/g, 'some-id')}`

describe('the routing table', () => {
  test.each(operations.map(operation => [operation.name, operation] as const))(
    'sends %s to its service, and requires a session if the contract does',
    (_name, operation) => {
      const row = findRow(makeExample(operation.path))
      expect(row?.service).toBe(operation.service)
      expect(row?.session).toBe(operation.callers !== 'anyone')
    },
  )

  test('has no row that an earlier one hides', () => {
    for (const row of routingTable) expect(findRow(row.prefix)).toBe(row)
  })

  test('matches prefixes by whole segments', () => {
    expect(isUnder('/api/users', '/api/users')).toBe(true)
    expect(isUnder('/api/users/online', '/api/users')).toBe(true)
    expect(findRow('/api/users-of-others')).toBeUndefined()
    expect(findRow('/api/authors')).toBeUndefined()
    expect(findRow('/internal/people')).toBeUndefined()
  })
})

describe('the index of operations', () => {
  const findOperations = createOperationIndex(operations)

  test('finds every operation by an example of its path', () => {
    for (const operation of operations)
      expect(
        findOperations(makeExample(operation.path))
          ?.get(operation.method)
          ?.path.replace(/\{\w+\}/g, '{}'),
      ).toBe(operation.path.replace(/\{\w+\}/g, '{}'))
  })

  test('prefers fixed segments, and tries parameters if they do not match', () => {
    expect(findOperations('/api/playlists/today')?.get('GET')?.name).toBe('getToday')
    expect(findOperations('/api/playlists/today/assign')?.get('PUT')?.name).toBe('assignPlaylist')
  })

  test('finds nothing for unknown paths', () => {
    for (const path of ['/api', '/api/', '/api/playlists/', '/api/playlists//assign', '/api/nothing', '/playlists'])
      expect(findOperations(path)).toBeUndefined()
  })
})

describe('reading a target', () => {
  test('does not change an ordinary path and its query', () => {
    expect(readTarget('/api/users?search=a%2Fb&x=//..')).toEqual({ path: '/api/users', query: '?search=a%2Fb&x=//..' })
    expect(readTarget('/api/comments/p1/video%3A1')).toEqual({ path: '/api/comments/p1/video%3A1', query: '' })
  })

  test.each([
    'http://evil.test/api/users',
    '//evil.test/api',
    '/api//users',
    '/api/./users',
    '/api/../internal/people',
    '/api/users/..',
    '/api/users/.',
    '/api/users/..%2f..%2finternal',
    '/api/users/%2e%2e/internal',
    '/api/users/%2E./internal',
    '/api/users%5c..%5cinternal',
    '/api/users\\..\\internal',
    '/api/users%252f..',
    '/api/users%00',
    '/api/users%0d%0aset-cookie:x',
    '/api/users%zz',
    '/api/users%ff',
    '/api/users#x',
    '/api/us ers',
    '/api/üsers',
    '*',
    '',
    undefined,
  ])('refuses %s', url => {
    expect(readTarget(url)).toBeUndefined()
  })

  test('accepts only paths that a URL parser reads in the same way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('/', '.', '..', '%2e', '%2f', '\\', 'a', 'api', ';', '%41', ':')), parts => {
        const url = `/${parts.join('')}`
        const target = readTarget(url)
        if (target) expect(new URL(url, 'http://x').pathname).toBe(target.path)
      }),
    )
  })
})

describe('over HTTP', () => {
  let gateway: TestGateway
  let token: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    token = gateway.world.token({ id: 'p1' }, 's1')
  })
  afterAll(() => gateway.close())

  test('a call reaches its service with path and query unchanged', async () => {
    const browser = await createBrowser(gateway.url).signIn(token)
    const answer = await browser.get('/api/users/online?limit=5&cursor=a%20b')
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ service: 'playback-session', path: '/api/users/online?limit=5&cursor=a%20b' })
    expect((await browser.get('/api/users')).json.service).toBe('auth')
    expect((await browser.get('/api/manager/team-analytics')).json.service).toBe('engagement')
  })

  test.each(['/api/nothing', '/api', '/api/', '/api/auth/nothing', '/api/users/1/2', '/api/internal/people'])(
    '%s is an unknown path: 404 as JSON, with or without a session',
    async path => {
      const browser = await createBrowser(gateway.url).signIn(token)
      for (const answer of [await send(gateway.url, path), await browser.get(path)]) {
        expect(answer.status).toBe(404)
        expect(answer.json).toEqual({ detail: 'Not found.', code: 'not_found', request_id: expect.any(String) })
        expect(answer.headers['x-request-id']).toBe(answer.json.request_id)
      }
    },
  )

  test.each([
    '/api/../internal/people',
    '/api/users/..%2f..%2finternal/people',
    '/api/users/%2e%2e/%2e%2e/internal/people',
    '/api//internal/people',
    '/api\\..\\internal\\people',
    'http://127.0.0.1/internal/people',
    '/internal/people',
    '//internal/people',
    '/INTERNAL/people',
    '/api/users/online/..;/..;/internal',
  ])('%s reaches no service', async path => {
    const before = Object.values(gateway.services).map(service => service.received.length)
    const answer = await send(gateway.url, path, { headers: { cookie: `watchline_access=${token}` } })
    expect([400, 404, 503]).toContain(answer.status)
    expect(Object.values(gateway.services).map(service => service.received.length)).toEqual(before)
  })

  test('a wrong method gets 405 with the allowed methods', async () => {
    for (const method of ['TRACE', 'PATCH', 'DELETE']) {
      const answer = await send(gateway.url, '/api/playlists/today', { method })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
    }
    const options = await send(gateway.url, '/api/playlists/x/assign', { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(options.headers.allow).toBe('PUT, GET, HEAD, DELETE, OPTIONS')
    expect((await send(gateway.url, '/', { method: 'POST' })).status).toBe(405)
  })

  test('HEAD is allowed where GET is', async () => {
    const answer = await send(gateway.url, '/api/users', {
      method: 'HEAD',
      headers: { cookie: `watchline_access=${token}` },
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
    expect(gateway.services.auth.received.at(-1)!.method).toBe('HEAD')
  })

  test('the development provider needs no session or anti-forgery token, and is reachable only if configured', async () => {
    const answer = await send(gateway.url, '/oidc/token', {
      method: 'POST',
      body: 'grant_type=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic Y2xpZW50OnNlY3JldA==' },
    })
    expect(answer.json).toMatchObject({ service: 'auth', path: '/oidc/token', body: 'grant_type=x' })
    expect(answer.json.headers.authorization).toBe('Basic Y2xpZW50OnNlY3JldA==')
    const production = await gateway.startAnother({ devProvider: false })
    expect((await send(production, '/oidc/token')).status).toBe(404)
  })
})
