import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { isPublicAddress } from '@watchline/kit/http/public-address'
import { type AuthWorld, startAuth } from './_util.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const contents: Record<string, Buffer | string> = {
  '/a.jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
  '/a.gif': 'GIF89a',
  '/a.webp': 'RIFF\x24\0\0\0WEBPVP8 ',
  '/a.avif': '\0\0\0\x20ftypavif',
  '/script.png': '<script>alert(1)</script>',
  '/empty.png': '',
  '/other.jpeg': png,
  '/film.avif': '\0\0\0\x20ftypmp42',
  '/sound.webp': 'RIFF\x24\0\0\0WAVEfmt ',
}
const typeOf = (path: string) => `image/${/\.(jpeg|gif|webp|avif)/.exec(path)?.[1] ?? 'png'}`
let auth: AuthWorld
let provider: Server
let origin: string
let requests: string[] = []
beforeAll(async () => {
  provider = createServer((req, res) => {
    requests.push(req.url!)
    if (req.url!.startsWith('/page')) res.setHeader('content-type', 'text/html')
    else if (req.url!.startsWith('/vector')) res.setHeader('content-type', 'image/svg+xml')
    else res.setHeader('content-type', typeOf(req.url!))
    if (req.url!.startsWith('/moved')) res.writeHead(302, { location: '/face.png' })
    if (req.url!.startsWith('/large')) res.end(Buffer.alloc(limits.pictureMaxBytes + 1))
    else res.end(contents[req.url!] ?? png)
  })
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  auth = await startAuth({}, { pictures: { isAllowed: () => true, allowsHttp: true } })
})
afterAll(async () => {
  await auth.stop()
  provider.close()
})
beforeEach(() => {
  requests = []
})

/** Asks, as a trainee, for the picture of a person with this address. */
async function getPicture(picture: string, { asked = picture, world = auth } = {}) {
  const [shown, viewer] = [await world.addPerson('user', { picture }), await world.addPerson('user')]
  const path = `${world.url}/api/users/${shown.id}/picture?${new URLSearchParams({ url: asked })}`
  return fetch(path, { headers: { authorization: `Bearer ${world.world.token(viewer)}` } })
}

describe('a picture of a person', () => {
  test('comes from this origin, and its own server is asked once an hour', async () => {
    const answer = await getPicture(`${origin}/face.png`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
    expect((await getPicture(`${origin}/face.png`)).status).toBe(200)
    expect(requests).toHaveLength(1)
    auth.clock.advance(3_601_000)
    expect((await getPicture(`${origin}/face.png`)).status).toBe(200)
    expect(requests).toHaveLength(2)
  })

  test.each(['/a.jpeg', '/a.gif', '/a.webp', '/a.avif'])('is shown in its format: %s', async path => {
    const answer = await getPicture(origin + path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, typeOf(path)])
  })

  test.each(['/script.png', '/empty.png', '/other.jpeg', '/film.avif', '/sound.webp'])(
    'is not shown if its content is not of its type: %s',
    async path => expect((await getPicture(origin + path)).status).toBe(404),
  )

  test('is loaded only for its own address, so that nobody can make the server call another', async () => {
    expect((await getPicture(`${origin}/one.png`, { asked: `${origin}/two.png` })).status).toBe(404)
    expect(requests).toEqual([])
  })

  test.each(['/page', '/vector', '/moved', '/large'])(
    'is not shown from %s: another type, a redirect, or too large',
    async path => {
      for (let repeated = 0; repeated < 2; repeated += 1) expect((await getPicture(origin + path)).status).toBe(404)
      expect(requests).toEqual([path])
    },
  )

  test('is not loaded from inside the network, nor without https', async () => {
    const strict = await startAuth({}, { pictures: { allowsHttp: true } })
    const { port } = new URL(origin)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1'])
      expect((await getPicture(`http://${host}:${port}/face.png`, { world: strict })).status).toBe(404)
    await strict.stop()
    const production = await startAuth()
    expect((await getPicture(`${origin}/face.png`, { world: production })).status).toBe(404)
    await production.stop()
    expect(requests).toEqual([])
  })
})

test.each([
  ['8.8.8.8', true],
  ['2a00:1450:4001:80b::200e', true],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.2', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['fe80::1', false],
  ['fc00::1', false],
  ['2002:a00:1::', false],
])('the address %s is public: %s', (address, isPublic) => expect(isPublicAddress(address)).toBe(isPublic))
