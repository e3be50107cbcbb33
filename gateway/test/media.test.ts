import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { mediaTracks } from '@watchline/contracts/media'
import { createMediaSigner } from '@watchline/identity/media-addresses'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { mediaSecrets, send, startTestGateway, type TestGateway } from './_util.ts'

const captions = 'WEBVTT\n\n00:00.000 --> 00:02.000\nWelcome.\n'
const film = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256))
const minute = 60_000
const signer = createMediaSigner(mediaSecrets)
const clock = createManualClock(Date.UTC(2026, 0, 5, 9))

let folder: string
let gateway: TestGateway
let sessions = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-media-'))
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const path of ['film.webm', 'film.2.webm', 'other.webm', 'part/one.mp4', 'part/one #1.mp4', '.hidden.webm'])
    write(`media/${path}`, film)
  for (const path of ['film.png', 'film.webp', 'part/one.jpg', '.hidden.jpg']) write(`media/${path}`, path)
  for (const path of [
    'film.en',
    'film.en.descriptions',
    'film.de-CH',
    'film.notes for us',
    'part/one #1.en',
    '.hidden.en',
  ])
    write(`media/${path}.vtt`, captions)
  write('media/film.fr.vtt', Buffer.alloc(limits.trackMaxBytes + 1))
  for (const path of [
    'talk/main.m3u8',
    'talk/low/1.ts',
    'root.m3u8',
    'root0.ts',
    'rooted.txt',
    'rooted/1.ts',
    'root-internal.mp4',
  ])
    write(`media/${path}`, 'hls')
  write('media/page.html', '<script>alert(1)</script>')
  write('outside.txt', 'outside')
  gateway = await startTestGateway({ mediaRoot: join(folder, 'media') }, { world: { clock } })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Answers of playback-session: the own files in the playlist, or no right to watch it. */
function letPlaylistHold(...urls: string[]) {
  gateway.services['playback-session'].answer((_req, res) => {
    res.writeHead(urls.length > 0 ? 200 : 404, { 'content-type': 'application/json' })
    res.end(JSON.stringify(playlistWith(urls)))
  })
}
const playlistWith = (urls: string[]) => ({
  ...{ id: 'pl', title: 'Safety', description: '', total_duration: 10, assigned_users: [], assigned_date: null },
  ...{ created_at: new Date(0).toISOString(), created_by: 'p2', shared_with: [], source: null, revision: 1 },
  videos: urls.map((url, index) => ({ provider: 'file', id: `v${index}`, url, title: 'Film', duration: 10 })),
})
const playlistCalls = () => gateway.services['playback-session'].received.length

/** A login session of its own, with the address of a file in the playlist `pl`. */
function startSession(path = 'film.webm', { isPreview = false } = {}) {
  sessions += 1
  const sid = `sid-${sessions}`
  const signIn = () => ({ cookie: `watchline_access=${gateway.world.token({ id: 'p1' }, sid)}` })
  let headers = signIn()
  const address = signer.sign(`/media/${path}`, { sid, playlistId: isPreview ? undefined : 'pl' }, clock.now())!
  return {
    sid,
    address,
    get: (url = address, more: Record<string, string> = {}) =>
      send(gateway.url, url, { headers: { ...headers, ...more } }),
    fetch: (url = address, more: Record<string, string> = {}) =>
      fetch(gateway.url + url, { headers: { ...headers, ...more } }),
    /** A new access token of the same login session. */
    refresh: () => {
      headers = signIn()
    },
  }
}

beforeEach(() => letPlaylistHold())

describe('an own file', () => {
  test('opens by its signed address, and only for its login session', async () => {
    const session = startSession()
    expect((await session.get()).status).toBe(200)
    expect(playlistCalls()).toBe(0)
    expect(await send(gateway.url, session.address)).toMatchObject({ status: 401, json: { code: 'no_session' } })
    const forged = { cookie: 'watchline_access=forged' }
    expect((await send(gateway.url, session.address, { headers: forged })).status).toBe(401)
    expect((await startSession().get(session.address)).status).toBe(404)
  })

  test('does not open by its plain path, nor by an address that was changed', async () => {
    letPlaylistHold('/media/film.webm', '/media/other.webm')
    const { get, address } = startSession()
    const [, ticket] = /^\/media\/(~[^/]+)\//.exec(address) as unknown as [string, string]
    const later = ticket.replace(/^~\w+/, `~${Math.floor(clock.now() / 1_000 + 86_400).toString(36)}`)
    const lastLetter = ticket.endsWith('A') ? 'B' : 'A'
    for (const path of [
      '/media/film.webm',
      `/media/${ticket}/other.webm`,
      `/media/${ticket}/film.2.webm`,
      `/media/${later}/film.webm`,
      `/media/${ticket.slice(0, -1)}${lastLetter}/film.webm`,
      `/media/${ticket.replace('.pl.', '.other.')}/film.webm`,
      `/media/${ticket}`,
      `/media/${ticket}/`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    expect((await get(`/media/${ticket}/../other.webm`)).status).toBe(400)
  })

  test('closes at once when the session is signed out, and stays closed', async () => {
    letPlaylistHold('/media/film.webm')
    const session = startSession()
    expect((await session.get()).status).toBe(200)
    await gateway.world.ports.bus.publish({
      specversion: '1.0',
      id: `revoked-${session.sid}`,
      source: 'auth',
      type: 'session.revoked',
      subject: session.sid,
      time: new Date(clock.now()).toISOString(),
      data: { sid: session.sid, person_id: 'p1', reason: 'signed_out' },
    })
    await eventually(async () => expect((await session.get()).status).toBe(401))
    for (const minutes of [9, 3, 10]) {
      clock.advance(minutes * minute)
      expect((await session.get()).status).toBe(401)
    }
  })

  test('closes when neither the address nor the access token is renewed', async () => {
    letPlaylistHold('/media/film.webm')
    const session = startSession()
    const before = playlistCalls()
    clock.advance(22 * minute)
    expect(await session.get()).toMatchObject({ status: 401, json: { code: 'token_expired' } })
    expect(playlistCalls()).toBe(before)
  })

  test('plays on by the same address while the person may watch the playlist, which is asked seldom', async () => {
    letPlaylistHold('/media/film.webm')
    const session = startSession()
    const before = playlistCalls()
    for (let at = 0; at < 120; at += 4) {
      clock.advance(4 * minute)
      session.refresh()
      expect((await session.get(undefined, { range: 'bytes=10-19' })).status).toBe(206)
    }
    expect(playlistCalls() - before).toBeGreaterThan(10)
    expect(playlistCalls() - before).toBeLessThan(25)
    const { method, path, headers } = gateway.services['playback-session'].received.at(-1)!
    expect([method, path]).toEqual(['GET', '/api/playlists/pl'])
    expect(headers.authorization).toMatch(/^Bearer /)
  })

  test('closes after the person lost the playlist, or the playlist the file', async () => {
    for (const remaining of [[], ['/media/other.webm']]) {
      letPlaylistHold('/media/film.webm')
      const session = startSession()
      clock.advance(11 * minute)
      session.refresh()
      expect((await session.get()).status).toBe(200)
      letPlaylistHold(...remaining)
      clock.advance(6 * minute)
      session.refresh()
      expect((await session.get()).status).toBe(404)
      // Given back, it opens again.
      letPlaylistHold('/media/film.webm')
      clock.advance(6 * minute)
      session.refresh()
      expect((await session.get()).status).toBe(200)
    }
  })

  test('survives the minute in which the access token and the address end together', async () => {
    const session = startSession()
    clock.advance(10 * minute + 30_000)
    const { expiresAt } = readExpiry(session.address)
    expect(clock.now() - expiresAt).toBeLessThan(minute)
    expect((await session.get()).status).toBe(200)
  })

  test('waits with 503 while playback-session cannot tell, because the player then tries again', async () => {
    const session = startSession()
    clock.advance(11 * minute)
    session.refresh()
    gateway.services['playback-session'].answer((_req, res) => res.writeHead(500).end())
    expect(await session.get()).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    letPlaylistHold('/media/film.webm')
    expect((await session.get()).status).toBe(200)
  })

  test('of a preview, which no playlist holds, opens only for minutes', async () => {
    const session = startSession('film.webm', { isPreview: true })
    expect((await session.get()).status).toBe(200)
    clock.advance(11 * minute)
    session.refresh()
    expect((await session.get()).status).toBe(404)
  })
})

function readExpiry(address: string) {
  return { expiresAt: Number.parseInt(/~(\w+)/.exec(address)![1]!, 36) * 1_000 }
}

describe('the files of a video', () => {
  test('have their content type, support ranges, and only this browser keeps them', async () => {
    const whole = await startSession().fetch()
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/webm'])
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(whole.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(film)
    const session = startSession('part/one.mp4')
    const part = await session.fetch(undefined, { range: 'bytes=10-19' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/1000'])
    expect(part.headers.get('content-type')).toBe('video/mp4')
    expect(Buffer.from(await part.arrayBuffer())).toEqual(film.subarray(10, 20))
    const beyond = await session.fetch(undefined, { range: 'bytes=5000-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
  })

  test.each(['none.webm', 'part'])('%s gets 404: no folder listing, not the client', async path => {
    const answer = await startSession(path).get()
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  test.each(['.hidden.webm', '../outside.txt', 'part/../../outside.txt', '%2e%2e/outside.txt', 'part//one.mp4', ''])(
    '"%s" never gets an address',
    path => expect(signer.sign(`/media/${path}`, { sid: 's', playlistId: 'pl' }, clock.now())).toBeUndefined(),
  )

  test('cannot run as a page of this origin', async () => {
    const { headers } = await startSession('page.html').get()
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('include the picture beside it as its poster', async () => {
    const fetchPoster = (path: string) => {
      const session = startSession(path)
      return session.fetch(`${session.address}?poster`)
    }
    const beside = await fetchPoster('film.webm')
    expect([beside.status, beside.headers.get('content-type'), await beside.text()]).toEqual([
      200,
      'image/png',
      'film.png',
    ])
    expect(beside.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(await (await fetchPoster('part/one.mp4')).text()).toBe('part/one.jpg')
    expect((await fetchPoster('none.webm')).status).toBe(204)
    expect((await send(gateway.url, '/media/film.webm?poster')).status).toBe(401)
  })

  test('include the captions and audio descriptions beside it, of a bounded size', async () => {
    const session = startSession()
    const answer = await session.get(`${session.address}?tracks`)
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'private, no-cache'])
    const base = session.address.slice(0, -'film.webm'.length)
    expect(mediaTracks.parse(answer.json).tracks).toEqual([
      { kind: 'captions', language: 'de-CH', url: `${base}film.de-CH.vtt` },
      { kind: 'descriptions', language: 'en', url: `${base}film.en.descriptions.vtt` },
      { kind: 'captions', language: 'en', url: `${base}film.en.vtt` },
    ])
    const inFolder = startSession('part/one%20%231.mp4')
    const [track] = (await inFolder.get(`${inFolder.address}?tracks`)).json.tracks
    expect(track.url).toBe(`${inFolder.address.slice(0, -'.mp4'.length)}.en.vtt`)
    const file = await inFolder.get(track.url)
    expect([file.status, file.headers['content-type'], file.headers['cache-control'], file.text]).toEqual([
      200,
      expect.stringMatching(/^text\/vtt/),
      'private, no-cache',
      captions,
    ])
    expect((await send(gateway.url, track.url)).status).toBe(401)
    expect((await startSession('none.webm').get(`${startSession('none.webm').address}?tracks`)).status).toBe(404)
  })

  test('include the parts of an HLS video, which have relative addresses', async () => {
    const talk = startSession('talk/main.m3u8')
    const base = talk.address.slice(0, -'main.m3u8'.length)
    expect((await talk.get()).headers['content-type']).toMatch(/mpegurl/)
    expect((await talk.get(`${base}low/1.ts`)).status).toBe(200)
    for (const outside of ['../film.webm', '/film.webm'])
      expect([400, 404]).toContain((await talk.get(base + outside)).status)
    expect((await talk.get(base.replace(/talk\/$/, 'film.webm'))).status).toBe(404)
    const root = startSession('root.m3u8')
    const rootBase = root.address.slice(0, -'root.m3u8'.length)
    expect((await root.get(`${rootBase}root0.ts`)).status).toBe(200)
    for (const other of ['rooted.txt', 'rooted/1.ts', 'root-internal.mp4', 'film.webm'])
      expect((await root.get(rootBase + other)).status).toBe(404)
  })

  test('get 404 without MEDIA_ROOT', async () => {
    const { address, sid } = startSession()
    const headers = { cookie: `watchline_access=${gateway.world.token({ id: 'p1' }, sid)}` }
    expect((await send(await gateway.startAnother({ mediaRoot: undefined }), address, { headers })).status).toBe(404)
  })
})

test('an address of the previous secret still opens its file', async () => {
  const next = 'the secret that replaces the one of the tests'
  const url = await gateway.startAnother({ mediaRoot: join(folder, 'media'), mediaSecrets: [next, ...mediaSecrets] })
  const { address, sid } = startSession()
  const headers = { cookie: `watchline_access=${gateway.world.token({ id: 'p1' }, sid)}` }
  expect((await send(url, address, { headers })).status).toBe(200)
  const replaced = await gateway.startAnother({ mediaRoot: join(folder, 'media'), mediaSecrets: [next] })
  expect((await send(replaced, address, { headers })).status).toBe(404)
})
