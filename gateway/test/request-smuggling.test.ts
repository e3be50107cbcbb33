import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createBrowser, send, sendBytes, startTestGateway, type TestGateway } from './_util.ts'

/*
 * A corpus of requests whose end two HTTP parsers could see at different places. The second request
 * in each of them must never reach a service. Sources: RFC 9112 sections 5 to 7 and 11.2; the
 * published variants of CL.TE, TE.CL and TE.TE.
 */

let gateway: TestGateway
/** The headers of a signed-in page, as lines. */
let session: string
beforeAll(async () => {
  gateway = await startTestGateway()
  const browser = await createBrowser(gateway.url).signIn(gateway.world.token({ id: 'p1' }, 's1'))
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  session = `host: watchline.test\r\ncookie: ${cookie}\r\nx-xsrf-token: ${browser.jar.get('XSRF-TOKEN')}\r\n`
})
afterEach(() => {
  for (const service of Object.values(gateway.services)) service.received.length = 0
})
afterAll(() => gateway.close())

const received = () => Object.values(gateway.services).flatMap(service => service.received)
const hidden = () => `GET /api/chat/rooms?smuggled HTTP/1.1\r\n${session}\r\n`
const post = (lines: string, body: string) =>
  `POST /api/chat/send HTTP/1.1\r\n${session}content-type: application/json\r\n${lines}\r\n${body}`

const sendText = (text: string) => sendBytes(gateway.url, text)

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(match => Number(match[1]))

const ambiguous: Record<string, () => string> = {
  'content-length before transfer-encoding': () =>
    post('content-length: 4\r\ntransfer-encoding: chunked\r\n', `0\r\n\r\n${hidden()}`),
  'transfer-encoding before content-length': () =>
    post('transfer-encoding: chunked\r\ncontent-length: 4\r\n', `0\r\n\r\n${hidden()}`),
  'two different lengths': () => post('content-length: 0\r\ncontent-length: 60\r\n', hidden()),
  'the same length twice': () => post('content-length: 2\r\ncontent-length: 2\r\n', `{}${hidden()}`),
  'a list of lengths': () => post('content-length: 2, 2\r\n', `{}${hidden()}`),
  'a length with a sign': () => post('content-length: +2\r\n', `{}${hidden()}`),
  'a negative length': () => post('content-length: -2\r\n', `{}${hidden()}`),
  'a hexadecimal length': () => post('content-length: 0x2\r\n', `{}${hidden()}`),
  'a length beyond 64 bits': () => post('content-length: 18446744073709551618\r\n', `{}${hidden()}`),
  'a length and a space in its name': () => post('content-length : 2\r\n', `{}${hidden()}`),
  'transfer-encoding with a space in its name': () => post('transfer-encoding : chunked\r\n', `0\r\n\r\n${hidden()}`),
  'transfer-encoding with a vertical tab': () => post('transfer-encoding: \x0bchunked\r\n', `0\r\n\r\n${hidden()}`),
  'an unknown transfer-encoding': () => post('transfer-encoding: xchunked\r\n', `0\r\n\r\n${hidden()}`),
  'chunked that is not the last transfer-encoding': () =>
    post('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${hidden()}`),
  'chunked twice': () => post('transfer-encoding: chunked\r\ntransfer-encoding: x\r\n', `0\r\n\r\n${hidden()}`),
  'a folded header': () => post('transfer-encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden()}`),
  'a chunk size with a prefix': () => post('transfer-encoding: chunked\r\n', `0x0\r\n\r\n${hidden()}`),
  'a negative chunk size': () => post('transfer-encoding: chunked\r\n', `-1\r\n\r\n${hidden()}`),
  'a chunk size beyond 64 bits': () => post('transfer-encoding: chunked\r\n', `10000000000000000\r\n\r\n${hidden()}`),
  'a chunk that ends with a line feed alone': () =>
    post('transfer-encoding: chunked\r\n', `2\r\n{}\n0\r\n\r\n${hidden()}`),
  'a chunk extension with a line feed': () =>
    post('transfer-encoding: chunked\r\n', `2;a\nb\r\n{}\r\n0\r\n\r\n${hidden()}`),
  'a chunk that is longer than its size': () =>
    post('transfer-encoding: chunked\r\n', `2\r\n{}xx\r\n0\r\n\r\n${hidden()}`),
  'a NUL in a header': () => post('x-note: a\0b\r\ncontent-length: 2\r\n', `{}${hidden()}`),
  'a carriage return in a header': () => post('x-note: a\rcontent-length: 2\r\n', `{}${hidden()}`),
  'a header without a colon': () => post('content-length\r\n', `{}${hidden()}`),
  'a header without a name': () => post(': 2\r\n', `{}${hidden()}`),
  'a space before the first header': () =>
    `POST /api/chat/send HTTP/1.1\r\n content-length: 2\r\n${session}\r\n{}${hidden()}`,
  'two hosts': () => `GET /api/chat/rooms HTTP/1.1\r\nhost: other.test\r\n${session}\r\n${hidden()}`,
  'a version that does not exist': () => `POST /api/chat/send HTTP/1.2\r\n${session}\r\n${hidden()}`,
  'a space in the target': () => `GET /api/chat/rooms HTTP/1.1 HTTP/1.1\r\n${session}\r\n${hidden()}`,
}

describe('the end of the request is ambiguous', () => {
  test.each(Object.keys(ambiguous))('%s: refused, and the connection closes', async name => {
    const answer = await sendText(ambiguous[name]!())
    expect(statuses(answer)).toHaveLength(1)
    expect(statuses(answer)[0]).toBeGreaterThanOrEqual(400)
    expect(statuses(answer)[0]).toBeLessThan(500)
    expect(received().filter(({ path }) => path.includes('smuggled'))).toEqual([])
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })
})

describe('the end of the request is clear', () => {
  test.each([
    ['content-length', (body: string) => post(`content-length: ${body.length}\r\nconnection: close\r\n`, body)],
    [
      'chunks',
      (body: string) =>
        post(
          'transfer-encoding: chunked\r\nconnection: close\r\n',
          `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        ),
    ],
  ] as const)('a request inside a body with %s stays a body', async (_name, requestWith) => {
    expect(statuses(await sendText(requestWith(hidden())))).toEqual([200])
    expect(received()).toMatchObject([{ method: 'POST', path: '/api/chat/send', body: hidden() }])
  })

  test('the body of a GET never becomes the next request of a service', async () => {
    const text = `GET /api/chat/rooms HTTP/1.1\r\n${session}connection: close\r\ncontent-length: ${hidden().length}\r\n\r\n`
    expect(statuses(await sendText(text + hidden()))).toEqual([200])
    expect(received()).toMatchObject([{ path: '/api/chat/rooms', body: '' }])
  })

  test('trailers never become headers', async () => {
    const body = '2\r\n{}\r\n0\r\nauthorization: Bearer forged\r\nx-request-id: forged\r\n\r\n'
    await sendText(post('transfer-encoding: chunked\r\nconnection: close\r\n', body))
    expect(JSON.stringify(received())).not.toContain('forged')
  })

  test('an upgrade to HTTP/2 is no way around the gateway', async () => {
    const lines = 'connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n'
    const answer = await sendText(`GET /api/chat/rooms HTTP/1.1\r\n${session}${lines}\r\n${hidden()}`)
    expect(statuses(answer)).not.toContain(101)
    expect(received().filter(({ path, headers }) => path.includes('smuggled') || headers.upgrade)).toEqual([])
  })

  test('a client cannot have the gateway drop its own headers as hop-by-hop ones', async () => {
    const lines = 'connection: close, authorization, x-forwarded-for, x-request-id\r\n'
    await sendText(`GET /api/chat/rooms HTTP/1.1\r\n${session}${lines}\r\n`)
    const [request] = received()
    expect(request!.headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer /),
      'x-forwarded-for': expect.any(String),
      'x-request-id': expect.any(String),
    })
  })

  test.each([
    'http://127.0.0.1/api/chat/rooms',
    '//other.test/api/chat/rooms',
    '/api/chat/rooms%0d%0ax-injected:%20yes',
    '/api/chat/../../internal/people',
  ])('the target %s reaches no service in another form', async target => {
    await sendText(`GET ${target} HTTP/1.1\r\n${session}connection: close\r\n\r\n`)
    for (const request of received()) {
      expect(request.path).toBe('/api/chat/rooms')
      expect(request.headers['x-injected']).toBeUndefined()
    }
  })
})
