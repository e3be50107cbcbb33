import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import fc from 'fast-check'
import { createCatalogue } from '../src/catalogue.ts'
import { isUnder, rowFor, table } from '../src/routing.ts'
import { readTarget } from '../src/target.ts'
import { type House, openHouse, send, visitor } from './_util.ts'

const example = (path: string) => `/api${path.replace(/\{\w+\}/g, 'some-id')}`

describe('the routing table', () => {
  test.each(operations.map(operation => [operation.name, operation] as const))(
    'sends %s to its service, and asks for a session exactly when the contract does',
    (_name, operation) => {
      const row = rowFor(example(operation.path))
      expect(row?.service).toBe(operation.service)
      expect(row?.session).toBe(operation.who !== 'anyone')
    },
  )

  test('has no row that an earlier one hides', () => {
    for (const row of table) expect(rowFor(row.prefix)).toBe(row)
  })

  test('takes prefixes by whole segments', () => {
    expect(isUnder('/api/users', '/api/users')).toBe(true)
    expect(isUnder('/api/users/online', '/api/users')).toBe(true)
    expect(rowFor('/api/users-of-others')).toBeUndefined()
    expect(rowFor('/api/authors')).toBeUndefined()
    expect(rowFor('/internal/people')).toBeUndefined()
  })
})

describe('the catalogue', () => {
  const at = createCatalogue(operations)

  test('finds every operation by an example of its path', () => {
    for (const operation of operations)
      expect(
        at(example(operation.path))
          ?.get(operation.method)
          ?.path.replace(/\{\w+\}/g, '{}'),
      ).toBe(operation.path.replace(/\{\w+\}/g, '{}'))
  })

  test('prefers fixed segments, and comes back from them when they lead nowhere', () => {
    expect(at('/api/playlists/today')?.get('GET')?.name).toBe('getToday')
    expect(at('/api/playlists/today/assign')?.get('PUT')?.name).toBe('assignPlaylist')
  })

  test('knows nothing else', () => {
    for (const path of ['/api', '/api/', '/api/playlists/', '/api/playlists//assign', '/api/nothing', '/playlists'])
      expect(at(path)).toBeUndefined()
  })
})

describe('reading a target', () => {
  test('keeps an ordinary path and its query as they are', () => {
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

  test('whatever it accepts means the same to a URL parser', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('/', '.', '..', '%2e', '%2f', '\\', 'a', 'api', ';', '%41', ':')), parts => {
        const url = `/${parts.join('')}`
        const target = readTarget(url)
        if (target) expect(new URL(url, 'http://x').pathname).toBe(target.path)
      }),
    )
  })
})

describe('at the door', () => {
  let house: House
  let token: string
  beforeAll(async () => {
    house = await openHouse()
    token = house.world.token({ id: 'p1' }, 's1')
  })
  afterAll(() => house.close())

  test('a call reaches its service with path and query unchanged', async () => {
    const someone = await visitor(house.url).signIn(token)
    const answer = await someone.get('/api/users/online?limit=5&cursor=a%20b')
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ service: 'playback-session', path: '/api/users/online?limit=5&cursor=a%20b' })
    expect((await someone.get('/api/users')).json.service).toBe('auth')
    expect((await someone.get('/api/manager/team-analytics')).json.service).toBe('engagement')
  })

  test.each(['/api/nothing', '/api', '/api/', '/api/auth/nothing', '/api/users/1/2', '/api/internal/people'])(
    '%s is an unknown path: 404 as JSON, with or without a session',
    async path => {
      const someone = await visitor(house.url).signIn(token)
      for (const answer of [await send(house.url, path), await someone.get(path)]) {
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
    const before = Object.values(house.services).map(service => service.received.length)
    const answer = await send(house.url, path, { headers: { cookie: `watchline_access=${token}` } })
    expect([400, 404, 503]).toContain(answer.status)
    expect(Object.values(house.services).map(service => service.received.length)).toEqual(before)
  })

  test('a method the path does not have is 405 and says which it has', async () => {
    for (const method of ['TRACE', 'PATCH', 'DELETE']) {
      const answer = await send(house.url, '/api/playlists/today', { method })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
    }
    const options = await send(house.url, '/api/playlists/x/assign', { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(options.headers.allow).toBe('PUT, DELETE, OPTIONS')
    expect((await send(house.url, '/', { method: 'POST' })).status).toBe(405)
  })

  test('HEAD works as GET does', async () => {
    const answer = await send(house.url, '/api/users', {
      method: 'HEAD',
      headers: { cookie: `watchline_access=${token}` },
    })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
    expect(house.services.auth.received.at(-1)!.method).toBe('HEAD')
  })

  test('the development provider is reached without session or anti-forgery token, and only where it is configured', async () => {
    const answer = await send(house.url, '/oidc/token', {
      method: 'POST',
      body: 'grant_type=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic Y2xpZW50OnNlY3JldA==' },
    })
    expect(answer.json).toMatchObject({ service: 'auth', path: '/oidc/token', body: 'grant_type=x' })
    expect(answer.json.headers.authorization).toBe('Basic Y2xpZW50OnNlY3JldA==')
    const production = await house.another({ devProvider: false })
    expect((await send(production, '/oidc/token')).status).toBe(404)
  })
})
