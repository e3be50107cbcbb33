import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createBrowser, send, startTestGateway, type TestGateway } from './_util.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ publicUrl: 'http://training.example:8080', allowedHosts: ['proxy.internal'] })
})
afterAll(() => gateway.close())

const get = (path: string, host: string) => send(gateway.url, path, { headers: { host } })

describe('the host of a request', () => {
  test.each(['training.example', 'TRAINING.example:9999', 'proxy.internal', '127.0.0.1', 'localhost:1', '[::1]:8080'])(
    '%s is our own',
    async host => {
      expect((await get('/api/auth/options', host)).status).toBe(200)
    },
  )

  test.each([
    'attacker.example',
    'training.example.attacker.example',
    'attacker.example:8080',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    '192.168.0.7:8080',
    '[::2]',
    'training.example@attacker.example',
  ])('%s gets nothing, neither the API nor pages', async host => {
    const before = gateway.services.auth.received.length
    for (const path of ['/api/auth/options', '/oidc/auth', '/', '/media/film.mp4']) {
      const answer = await get(path, host)
      expect(answer.status).toBe(421)
      expect(answer.json.code).toBe('wrong_host')
      expect(answer.cookies).toEqual([])
    }
    expect(gateway.services.auth.received.length).toBe(before)
  })

  test.each(['10.0.0.7:8080', '[fd00::7]:8080', 'training.example', 'localhost'])(
    'does not matter to probes and scrapers of this machine: %s',
    async host => {
      for (const path of ['/healthz', '/readyz', '/metrics']) expect((await get(path, host)).status).toBe(200)
      expect((await get('/readyz', host)).json).toHaveProperty('service')
    },
  )

  test('lets a probe by another name learn only whether the process works, as a page of that name could', async () => {
    expect((await get('/healthz', 'attacker.example')).status).toBe(200)
    expect((await get('/readyz', 'attacker.example:8080')).json).toEqual({ ready: true })
    const metrics = await get('/metrics', 'attacker.example:8080')
    expect([metrics.status, metrics.text.includes('watchline_')]).toEqual([421, false])
  })
})

describe('a request that a proxy passed on', () => {
  const headersOfProxies: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-proto': 'https' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '203.0.113.7' },
  ]

  test.each(headersOfProxies)('learns no details and finds no development provider: %j', async headers => {
    expect((await send(gateway.url, '/readyz', { headers })).json).toEqual({ ready: true })
    expect((await send(gateway.url, '/metrics', { headers })).status).toBe(404)
    const before = gateway.services.auth.received.length
    const answer = await send(gateway.url, '/oidc/auth', { headers })
    expect([answer.status, answer.json.code]).toEqual([403, 'through_proxy'])
    expect(gateway.services.auth.received.length).toBe(before)
  })

  test('is one with HTTP/1.0 too, as nginx sends it by default, and auth learns of it', async () => {
    const { port } = new URL(gateway.url)
    const ask = (path: string, version: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1')
        let text = ''
        socket.on('data', data => {
          text += data
        })
        socket.once('end', () => resolve(text)).once('error', reject)
        socket.write(`GET ${path} HTTP/${version}\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n`)
      })
    expect(await ask('/oidc/auth', '1.0')).toContain('through_proxy')
    expect(await ask('/oidc/auth', '1.1')).not.toContain('through_proxy')
    await ask('/api/auth/options', '1.0')
    expect(gateway.services.auth.received.at(-1)!.headers.via).toBe('1.1 proxy')
    await ask('/api/auth/options', '1.1')
    expect(gateway.services.auth.received.at(-1)!.headers).not.toHaveProperty('via')
  })

  test('gets the development provider where the operator wants it so', async () => {
    const url = await gateway.startAnother({ devProviderForAll: true })
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await send(url, '/oidc/auth', { headers })).status).toBe(200)
  })
})

describe('a call that the browser marks as made by another website', () => {
  test('changes nothing, although it has a valid token', async () => {
    const browser = createBrowser(gateway.url)
    await browser.get('/api/auth/options')
    const before = gateway.services.auth.received.length
    const post = (site: string) =>
      browser.post('/api/auth/refresh', {
        body: '{}',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
      })
    const refused = await post('cross-site')
    expect(refused.status).toBe(403)
    expect(refused.json.code).toBe('cross_site')
    expect(gateway.services.auth.received.length).toBe(before)
    for (const site of ['same-origin', 'same-site', 'none']) expect((await post(site)).status).toBe(200)
  })

  test.each([
    ['a picture or frame', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a script that navigates', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
  ])('begins no sign-in: %s gets the sign-in page', async (_name, fetchHeaders) => {
    const before = gateway.services.auth.received.length
    const headers = { 'sec-fetch-site': 'cross-site', ...fetchHeaders }
    const answer = await send(gateway.url, '/api/auth/signin?login_hint=trainee@example.org', { headers })
    expect([answer.status, answer.headers.location]).toEqual([302, '/'])
    expect(gateway.services.auth.received.length).toBe(before)
  })

  test.each([
    ['a click on a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' }],
    ['a link in a mail', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['our own page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }],
    ['a browser without these headers', {}],
  ])('does not keep people from signing in: %s', async (_name, headers) => {
    expect((await send(gateway.url, '/api/auth/signin', { headers })).status).toBe(200)
  })

  test('may read, because a link leads here', async () => {
    const answer = await send(gateway.url, '/api/auth/options', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).toBe(200)
  })
})
