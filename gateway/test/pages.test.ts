import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { mediaTracks } from '@watchline/contracts/media'
import { eventually } from '@watchline/testing/harness'
import { send, startTestGateway, type TestGateway } from './_util.ts'

const index = '<!doctype html><title>Watchline</title>'
const script = 'console.log("the client")'.repeat(50)
const captions = 'WEBVTT\n\n00:00.000 --> 00:02.000\nWelcome.\n'
const film = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256))

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
  write('media/film.webm', film)
  write('media/part/one.mp4', film)
  write('media/.hidden.webm', film)
  write('media/.hidden.jpg', 'picture')
  write('media/film.png', 'png')
  write('media/film.webp', 'webp')
  write('media/part/one.jpg', 'jpg')
  write('media/.hidden.en.vtt', captions)
  write('media/film.en.vtt', captions)
  write('media/film.en.descriptions.vtt', captions)
  write('media/film.de-CH.vtt', captions)
  write('media/film.notes for us.vtt', captions)
  write('media/film.fr.vtt', Buffer.alloc(limits.trackMaxBytes + 1))
  write('media/part/one.en.vtt', captions)
  write('media/part/one #1.mp4', film)
  write('media/part/one #1.en.vtt', captions)
  write('media/page.html', '<script>alert(1)</script>')
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

describe('media', () => {
  const sessionHeaders = () => ({ cookie: `watchline_access=${gateway.world.token({ id: 'p1' })}` })

  test('need a session, even with an expired access token; a signed-out session gets 401', async () => {
    const getFilm = (headers: Record<string, string>) => send(gateway.url, '/media/film.webm', { headers })
    expect(await getFilm({})).toMatchObject({ status: 401, json: { code: 'no_session' } })
    expect(await getFilm({ cookie: 'watchline_access=forged' })).toMatchObject({ status: 401 })
    expect((await getFilm(sessionHeaders())).status).toBe(200)
    const { signer, ports } = gateway.world
    const longAgo = ports.clock.now() - 3_600_000
    const expired = signer.sign({ sub: 'p1', sid: 'sid-old', ver: 1, authTimeMs: longAgo }, longAgo, 600)
    expect((await getFilm({ cookie: `watchline_access=${expired}` })).status).toBe(200)
    await ports.bus.publish({
      specversion: '1.0',
      id: 'revoked-media',
      source: 'auth',
      type: 'session.revoked',
      subject: 'sid-old',
      time: new Date(ports.clock.now()).toISOString(),
      data: { sid: 'sid-old', person_id: 'p1', reason: 'signed_out' },
    })
    await eventually(async () => expect((await getFilm({ cookie: `watchline_access=${expired}` })).status).toBe(401))
  })

  test('have their content type and support ranges', async () => {
    const whole = await fetch(`${gateway.url}/media/film.webm`, { headers: sessionHeaders() })
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/webm'])
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(film)
    const part = await fetch(`${gateway.url}/media/part/one.mp4`, {
      headers: { ...sessionHeaders(), range: 'bytes=10-19' },
    })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/1000'])
    expect(part.headers.get('content-type')).toBe('video/mp4')
    expect(Buffer.from(await part.arrayBuffer())).toEqual(film.subarray(10, 20))
    const beyond = await fetch(`${gateway.url}/media/film.webm`, {
      headers: { ...sessionHeaders(), range: 'bytes=5000-' },
    })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
  })

  test.each(['/media', '/media/', '/media/part', '/media/part/', '/media/none.webm', '/media/.hidden.webm'])(
    '%s gets 404: no folder listing, no hidden file, not the client',
    async path => {
      const answer = await send(gateway.url, path, { headers: sessionHeaders() })
      expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
    },
  )

  test('cannot run as a page of this origin', async () => {
    const { headers } = await send(gateway.url, '/media/page.html', { headers: sessionHeaders() })
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('outside their folder are never served', async () => {
    for (const path of ['/media/../outside.txt', '/media/..%2foutside.txt', '/media/%2e%2e/outside.txt'])
      expect((await send(gateway.url, path)).status).toBe(400)
  })

  test('have the picture beside them as their poster', async () => {
    const fetchPoster = (path: string) => fetch(`${gateway.url}/media/${path}?poster`, { headers: sessionHeaders() })
    const beside = await fetchPoster('film.webm')
    expect([beside.status, beside.headers.get('content-type'), await beside.text()]).toEqual([200, 'image/png', 'png'])
    expect(beside.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(await (await fetchPoster('part/one.mp4')).text()).toBe('jpg')
    for (const path of ['none.webm', '.hidden.webm', '', 'part', 'part/'])
      expect([path, (await fetchPoster(path)).status]).toEqual([path, 204])
    expect((await send(gateway.url, '/media/film.webm?poster')).status).toBe(401)
  })

  test('list the captions and audio descriptions beside a video, of a bounded size', async () => {
    const answer = await send(gateway.url, '/media/film.webm?tracks', { headers: sessionHeaders() })
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(mediaTracks.parse(answer.json).tracks).toEqual([
      { kind: 'captions', language: 'de-CH', url: '/media/film.de-CH.vtt' },
      { kind: 'descriptions', language: 'en', url: '/media/film.en.descriptions.vtt' },
      { kind: 'captions', language: 'en', url: '/media/film.en.vtt' },
    ])
    const inFolder = await send(gateway.url, '/media/part/one%20%231.mp4?tracks', { headers: sessionHeaders() })
    expect(inFolder.json.tracks).toEqual([{ kind: 'captions', language: 'en', url: '/media/part/one%20%231.en.vtt' }])
    const file = await send(gateway.url, inFolder.json.tracks[0].url, { headers: sessionHeaders() })
    expect([file.status, file.headers['content-type'], file.headers['cache-control']]).toEqual([
      200,
      expect.stringMatching(/^text\/vtt/),
      'no-cache',
    ])
  })

  test('list no captions without a session, nor of a video that is not theirs to show', async () => {
    expect((await send(gateway.url, '/media/film.webm?tracks')).status).toBe(401)
    for (const path of [
      '/media?tracks',
      '/media/?tracks',
      '/media/part?tracks',
      '/media/none.webm?tracks',
      '/media/.hidden.webm?tracks',
      '/media/part%2fone.mp4?tracks',
      '/media/film.webm%00?tracks',
    ])
      expect([400, 404]).toContain((await send(gateway.url, path, { headers: sessionHeaders() })).status)
  })

  test('get 404 without MEDIA_ROOT', async () => {
    expect((await send(await gateway.startAnother({ mediaRoot: undefined }), '/media/film.webm')).status).toBe(404)
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
    expect(policy['img-src']).toEqual(["'self'", 'data:', 'https:'])
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
      expect((await send(url, path)).headers['strict-transport-security']).toMatch(/^max-age=\d{8}/)
    const policy = parsePolicy((await send(url, '/')).headers['content-security-policy'] as string)
    expect(policy['media-src']).toEqual(["'self'", 'blob:', 'https:'])
    expect(policy['upgrade-insecure-requests']).toEqual([])
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

  test('metrics are not available through a proxy', async () => {
    const answer = await send(gateway.url, '/metrics', { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(answer.status).toBe(404)
  })
})
