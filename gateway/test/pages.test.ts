import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@watchline/kit/core/free-port'
import { createLogger } from '@watchline/kit/observability/log'
import { send, startTestGateway, type TestGateway } from './_util.ts'

const index = '<!doctype html><title>Watchline</title>'
const script = 'console.log("the client")'.repeat(50)

let folder: string
let gateway: TestGateway
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-pages-'))
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  write('web/index.html', index)
  write('web/index.html.br', brotliCompressSync(index))
  write('web/favicon.svg', '<svg/>')
  write('web/manifest.webmanifest', '{}')
  write('web/service-worker.js', 'the worker')
  write('web/remove-service-worker.js', 'the removal')
  write('web/.stamp', 'hidden')
  write('web/assets/app-3f2a.js', script)
  write('web/assets/app-3f2a.js.br', brotliCompressSync(script))
  write('web/assets/app-3f2a.js.gz', gzipSync(script))
  write('media/film.webm', 'film')
  write('outside.txt', 'outside')
  gateway = await startTestGateway({ webRoot: join(folder, 'web'), mediaRoot: join(folder, 'media') })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the web build', () => {
  test.each(['/', '/profile', '/admin', '/dashboard', '/anything/else', '/index.html'])(
    '%s is the client, which browsers revalidate every time',
    async path => {
      const answer = await send(gateway.url, path)
      expect([answer.status, answer.text]).toEqual([200, index])
      expect(answer.headers['content-type']).toMatch(/^text\/html/)
      expect(answer.headers['cache-control']).toBe('no-cache')
      const again = await send(gateway.url, path, { headers: { 'if-none-match': answer.headers.etag as string } })
      expect(again.status).toBe(304)
    },
  )

  test('assets are immutable and compressed as the browser accepts it', async () => {
    const path = '/assets/app-3f2a.js'
    const plain = await send(gateway.url, path)
    expect([plain.status, plain.text, plain.headers['content-encoding']]).toEqual([200, script, undefined])
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    for (const [accepted, used] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const answer = await send(gateway.url, path, { headers: { 'accept-encoding': accepted } })
      expect(answer.headers['content-encoding']).toBe(used)
      expect(answer.headers['content-type']).toMatch(/^text\/javascript/)
      expect(answer.headers.vary).toMatch(/accept-encoding/i)
      expect(answer.headers['cache-control']).toMatch(/immutable/)
    }
  })

  test('browsers ask for the service worker every time, and it may serve all pages', async () => {
    const answer = await send(gateway.url, '/service-worker.js')
    expect([answer.status, answer.text]).toEqual([200, 'the worker'])
    expect(answer.headers['content-type']).toMatch(/^text\/javascript/)
    expect(answer.headers['cache-control']).toBe('no-cache')
    const page = await send(gateway.url, '/')
    expect(page.headers['content-security-policy']).toMatch(/worker-src 'self'/)
  })

  test('without the offline page, browsers get a worker that removes itself', async () => {
    const url = await gateway.startAnother({ webRoot: join(folder, 'web'), offlinePage: false })
    const answer = await send(url, '/service-worker.js')
    expect([answer.status, answer.text]).toEqual([200, 'the removal'])
    expect(answer.headers['cache-control']).toBe('no-cache')
  })

  test('the web manifest has its own type, and browsers revalidate it every time', async () => {
    const answer = await send(gateway.url, '/manifest.webmanifest')
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(answer.headers['content-type']).toMatch(/^application\/manifest\+json/)
    expect(answer.headers['cache-control']).toBe('no-cache')
  })

  test('a route of the client is compressed too', async () => {
    const response = await fetch(`${gateway.url}/dashboard`, { headers: { 'accept-encoding': 'br' } })
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(await response.text()).toBe(index)
  })

  test.each(['/assets/missing.js', '/missing.png', '/.stamp', '/assets/.hidden', '/.env'])(
    '%s gets 404 as JSON without caching, not the client',
    async path => {
      const answer = await send(gateway.url, path)
      expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
      expect(answer.headers['cache-control']).toBe('no-store')
    },
  )

  test('nothing outside the build is served', async () => {
    for (const path of ['/../outside.txt', '/assets/../../outside.txt', '/%2e%2e/outside.txt', '/..%2foutside.txt'])
      expect((await send(gateway.url, path)).status).toBe(400)
  })

  test('HEAD gets only the headers; other methods get 405', async () => {
    const head = await send(gateway.url, '/dashboard', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(index.length)])
    const post = await send(gateway.url, '/dashboard', { method: 'POST', body: 'x' })
    expect([post.status, post.headers.allow, post.json.code]).toEqual([405, 'GET, HEAD', 'method_not_allowed'])
  })

  test('without a build pages get 503 and an explanation, and the API works', async () => {
    const url = await gateway.startAnother({ webRoot: undefined })
    const page = await send(url, '/dashboard')
    expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(page.text).toContain('not built')
    expect((await send(url, '/api/auth/options')).status).toBe(200)
    expect((await send(url, '/assets/app-3f2a.js')).status).toBe(404)
    const missing = await gateway.startAnother({ webRoot: join(folder, 'nowhere') })
    expect((await send(missing, '/')).status).toBe(503)
  })
})

describe('security headers', () => {
  const parsePolicy = (csp: string) =>
    Object.fromEntries(
      csp.split(';').map(directive => {
        const [name, ...sources] = directive.trim().split(' ')
        return [name, sources]
      }),
    )

  test('allow YouTube and own files to play, and nothing else to load', async () => {
    const { headers } = await send(gateway.url, '/')
    const policy = parsePolicy(headers['content-security-policy'] as string)
    expect(policy['script-src']).toEqual(["'self'", 'https://www.youtube.com'])
    expect(policy['frame-src']).toEqual(["'self'", 'https://www.youtube-nocookie.com', 'https://www.youtube.com'])
    expect(policy['media-src']).toEqual(["'self'", 'blob:', 'https:', 'http:'])
    expect(policy['img-src']).toEqual(["'self'", 'data:'])
    expect(policy['connect-src']).toEqual(["'self'"])
    expect(policy['base-uri']).toEqual(["'none'"])
    expect(policy['require-trusted-types-for']).toEqual(["'script'"])
    expect(policy['trusted-types']).toEqual(['default', 'youtube-widget-api'])
    expect(policy['frame-ancestors']).toEqual(["'none'"])
    expect(policy['form-action']).toEqual(["'self'"])
    expect(policy['upgrade-insecure-requests']).toBeUndefined()
    expect(headers).toMatchObject({
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'x-content-type-options': 'nosniff',
      'permissions-policy': expect.stringMatching(/autoplay=\(self "https:\/\/www\.youtube-nocookie\.com"/),
    })
    expect(headers['cross-origin-embedder-policy']).toBeUndefined()
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
  })

  test('on https require https everywhere', async () => {
    const url = await gateway.startAnother({ publicUrl: 'https://watchline.test' })
    for (const path of ['/', '/api/auth/options', '/api/nothing'])
      expect((await send(url, path)).headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    const policy = parsePolicy((await send(url, '/')).headers['content-security-policy'] as string)
    expect(policy['media-src']).toEqual(["'self'", 'blob:', 'https:'])
    expect(policy['upgrade-insecure-requests']).toEqual([])
  })

  test('leave hosts below their own alone if the operator wants it so', async () => {
    const url = await gateway.startAnother({ publicUrl: 'https://watchline.test', hstsIncludeSubdomains: false })
    expect((await send(url, '/')).headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('name the hosts of videos if the operator does', async () => {
    const url = await gateway.startAnother({ mediaHosts: ['https://media.example.org'] })
    const policy = parsePolicy((await send(url, '/')).headers['content-security-policy'] as string)
    expect(policy['media-src']).toEqual(["'self'", 'blob:', 'https://media.example.org'])
    expect(policy['connect-src']).toEqual(["'self'", 'https://media.example.org'])
  })

  test('have reports of violations sent here, where the log gets a bounded number of them', async () => {
    const lines: Record<string, unknown>[] = []
    const log = createLogger('gateway', 'warn', { write: (line: string) => void lines.push(JSON.parse(line)) })
    const url = await gateway.startAnother({}, { ...gateway.world.ports, log })
    const { headers } = await send(url, '/')
    const policy = parsePolicy(headers['content-security-policy'] as string)
    expect([policy['report-uri'], policy['report-to']]).toEqual([['/policy-reports'], ['policy']])
    expect(headers['reporting-endpoints']).toBe('policy="/policy-reports"')
    const report = (body: unknown, type = 'application/csp-report') =>
      send(url, '/policy-reports', {
        method: 'POST',
        headers: { 'content-type': type },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const old = {
      'document-uri': 'https://watchline.test/profile?code=secret',
      'effective-directive': 'img-src',
      'blocked-uri': 'https://tracker.example.org/pixel?person=1',
    }
    expect((await report({ 'csp-report': old })).status).toBe(204)
    const violation = { documentURL: 'https://watchline.test/', effectiveDirective: 'script-src', blockedURL: 'inline' }
    expect((await report([{ type: 'csp-violation', body: violation }], 'application/reports+json')).status).toBe(204)
    expect(lines).toMatchObject([
      { page: '/profile', directive: 'img-src', blocked: 'https://tracker.example.org' },
      { page: '/', directive: 'script-src', blocked: 'inline' },
    ])
    for (let sent = 0; sent < 30; sent += 1) await report({ 'csp-report': old })
    expect(lines).toHaveLength(20)
    expect((await report('nonsense')).status).toBe(400)
    expect((await report('"x"'.padEnd(20_000))).status).toBe(413)
  })

  test('are in every kind of response', async () => {
    for (const path of [
      '/',
      '/assets/app-3f2a.js',
      '/media/film.webm',
      '/api/auth/options',
      '/api/nothing',
      '/x.png',
      '//',
    ])
      expect((await send(gateway.url, path)).headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.any(String),
        'x-request-id': expect.any(String),
      })
  })
})

describe('health', () => {
  test('healthz, readyz and metrics respond', async () => {
    expect((await send(gateway.url, '/healthz')).json).toEqual({ status: 'ok' })
    const ready = await send(gateway.url, '/readyz')
    expect([ready.status, ready.json.ready, ready.json.failing]).toEqual([200, true, []])
    const metrics = await send(gateway.url, '/metrics')
    expect(metrics.status).toBe(200)
    expect(metrics.text).toMatch(/watchline_http_request_seconds_count\{.*operation="signInOptions".*\} \d+/)
  })

  test('metrics and details are not available through a proxy', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    expect((await send(gateway.url, '/metrics', { headers })).status).toBe(404)
    expect((await send(gateway.url, '/readyz', { headers })).json).toEqual({ ready: true })
  })

  test('with a port of their own, metrics and details are there only', async () => {
    const metricsPort = await freePort()
    const url = await gateway.startAnother({ metricsPort })
    expect((await send(url, '/metrics')).status).toBe(404)
    expect((await send(url, '/readyz')).json).toEqual({ ready: true })
    const statusUrl = `http://127.0.0.1:${metricsPort}`
    expect((await send(statusUrl, '/metrics')).text).toContain('watchline_build_info')
    expect((await send(statusUrl, '/readyz')).json).toMatchObject({ ready: true, service: 'gateway', failing: [] })
    expect((await send(statusUrl, '/healthz')).status).toBe(200)
    expect((await send(statusUrl, '/api/auth/options')).status).toBe(404)
  })
})
