import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { callAs, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex')
const contents: Record<string, Buffer | string> = {
  script12345: '<script>alert(1)</script>',
  large123456: Buffer.alloc(limits.pictureMaxBytes + 1, jpeg),
}

let world: PlaybackWorld
let youtube: Server
let url: string
let requests: string[] = []
beforeAll(async () => {
  youtube = createServer((req, res) => {
    requests.push(`${req.url} ${req.headers.cookie ?? ''}`.trim())
    const videoId = req.url!.split('/')[2]!
    res.writeHead(videoId === 'missing1234' ? 404 : 200, { 'content-type': 'image/jpeg' })
    res.end(contents[videoId] ?? jpeg)
  })
  await new Promise<void>(resolve => youtube.listen(0, '127.0.0.1', resolve))
  world = await createPlaybackWorld()
  const youtubeCoversUrl = `http://127.0.0.1:${(youtube.address() as AddressInfo).port}`
  url = (await world.start({ config: { youtubeCoversUrl } })).url
})
afterAll(async () => {
  await world.close()
  youtube.close()
})
beforeEach(() => {
  requests = []
})

async function getCover(videoId: string, { size = '', base = url } = {}) {
  const token = world.token(await world.addPerson('user'))
  return fetch(`${base}/api/playlists/covers/${videoId}${size}`, { headers: { authorization: `Bearer ${token}` } })
}

test('the cover of a YouTube video comes from this origin, and YouTube is asked once an hour', async () => {
  const [answer, repeated] = [await getCover('abcdefghijk'), await getCover('abcdefghijk')]
  expect([answer.status, answer.headers.get('content-type'), repeated.status]).toEqual([200, 'image/jpeg', 200])
  expect(answer.headers.get('cache-control')).toBe('private, max-age=3600')
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(jpeg)
  expect((await getCover('abcdefghijk', { size: '?size=large' })).status).toBe(200)
  expect(requests).toEqual(['/vi/abcdefghijk/mqdefault.jpg', '/vi/abcdefghijk/hqdefault.jpg'])
})

test.each(['missing1234', 'script12345', 'large123456'])(
  'there is no cover if YouTube sends none (%s)',
  async videoId => {
    expect((await getCover(videoId)).status).toBe(404)
    expect((await getCover(videoId)).status).toBe(404)
    expect(requests).toHaveLength(1)
  },
)

test('there is no cover if YouTube cannot be reached', async () => {
  const { url: offline } = await world.start()
  expect((await getCover('abcdefghijk', { base: offline })).status).toBe(404)
})

test.each(['..%2f..%2fadmin', 'short', 'abcdefghijkl', 'abcdefghij%3f'])(
  '%s is not the id of a video',
  async videoId => {
    expect((await getCover(videoId)).status).toBe(404)
    expect((await getCover('abcdefghijk', { size: '?size=huge' })).status).toBe(422)
    expect(requests).toEqual([])
  },
)

test('only people who are signed in get covers', async () => {
  expect((await fetch(`${url}/api/playlists/covers/abcdefghijk`)).status).toBe(401)
  const stranger = await callAs(world, url, { ...(await world.addPerson('user')), id: 'nobody' }).get(
    '/playlists/covers/abcdefghijk',
  )
  expect(stranger.status).toBe(401)
  expect(requests).toEqual([])
})
