import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createBrowser, fakeService, send, startTestGateway, type TestGateway } from './_util.ts'

const json = { 'content-type': 'application/json' }
const megabyte = 1_048_576

let gateway: TestGateway
let browser: Awaited<ReturnType<ReturnType<typeof createBrowser>['signIn']>>
beforeEach(async () => {
  gateway = await startTestGateway()
  browser = await signedIn(gateway.url)
})
afterEach(() => gateway.close())

const signedIn = (url: string) => createBrowser(url).signIn(gateway.world.token({ id: 'p1' }, 's1'))

/** An address where nobody listens. */
async function deadAddress(): Promise<string> {
  const service = await fakeService('gone')
  await service.stop()
  return service.url
}

/** A request that is made by hand, piece by piece. */
function byHand(url: string, method: string, path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(url)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const xsrf = browser.jar.get('XSRF-TOKEN')!
  const req = request({
    hostname,
    port,
    path,
    method,
    agent: new Agent(),
    headers: { cookie, 'x-xsrf-token': xsrf, ...headers },
  })
  req.on('error', () => {})
  return req
}

describe('bodies', () => {
  test.each([0, 1, 16_384, 16_385, 200_000, megabyte])(
    'of %i bytes arrive whole, of known length or not',
    async size => {
      const body = 'x'.repeat(size)
      for (const chunked of [false, true]) {
        const answer = await browser.post('/api/chat/send', { body, chunked, headers: json })
        expect(answer.status).toBe(200)
        expect(answer.json.body.length).toBe(size)
        if (!chunked) expect(Number(answer.json.headers['content-length'])).toBe(size)
      }
    },
  )

  test('DELETE carries a body, GET does not', async () => {
    const unassign = await browser.delete('/api/playlists/x/assign', { body: '{"a":1}', headers: json })
    expect(unassign.json.body).toBe('{"a":1}')
    const got = await browser.get('/api/playlists', { body: '{"a":1}', headers: json })
    expect(got.status).toBe(200)
    expect(got.json.body).toBe('')
    expect(got.json.headers['content-length']).toBeUndefined()
  })

  test('too large by its own word is 413 at once, and no service hears of it', async () => {
    for (const size of [megabyte + 1, 3 * megabyte]) {
      const answer = await browser.post('/api/chat/send', { body: 'x'.repeat(size), headers: json })
      expect([answer.status, answer.json.code]).toEqual([413, 'too_large'])
    }
    expect(gateway.services.chat.received).toEqual([])
    expect((await browser.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(200)
  })

  test('too large without a word is 413 as soon as it is, and the service never gets it whole', async () => {
    const body = 'x'.repeat(megabyte + 100_000)
    const answer = await browser.post('/api/chat/send', { body, chunked: true, headers: json })
    expect([answer.status, answer.json.code]).toEqual([413, 'too_large'])
    expect(gateway.services.chat.received).toEqual([])
    expect((await browser.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(200)
  })

  test('are streamed: the service sees the beginning before the client has sent the end', async () => {
    const seen: string[] = []
    gateway.services.chat.answer((req, res) => {
      req.on('data', chunk => seen.push(String(chunk)))
      req.on('end', () => res.end('{"all":true}'))
    }, false)
    const req = byHand(gateway.url, 'POST', '/api/chat/send', { 'transfer-encoding': 'chunked', ...json })
    req.write('first')
    await eventually(() => expect(seen.join('')).toBe('first'))
    req.end(' last')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    expect(res.statusCode).toBe(200)
    expect(seen.join('')).toBe('first last')
    res.resume()
  })

  test('an answer that comes before the body has ended reaches the client, and the connection still serves', async () => {
    gateway.services.chat.answer((_req, res) => res.writeHead(403, json).end('{"code":"forbidden"}'), false)
    const answer = await browser.post('/api/chat/send', { body: 'x'.repeat(900_000), headers: json })
    expect([answer.status, answer.json]).toEqual([403, { code: 'forbidden' }])
    expect((await browser.get('/api/users')).status).toBe(200)
  })
})

describe('answers', () => {
  test('are streamed: the client sees the beginning before the service has sent the end', async () => {
    let finish = () => {}
    gateway.services.engagement.answer((_req, res) => {
      res.write('first')
      finish = () => res.end(' last')
    })
    const req = byHand(gateway.url, 'GET', '/api/engagement/dashboard', {})
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    let text = ''
    res.on('data', chunk => {
      text += chunk
    })
    await eventually(() => expect(text).toBe('first'))
    finish()
    await once(res, 'end')
    expect(text).toBe('first last')
  })

  test('larger than any buffer come through a slow reader whole, and hold the service back meanwhile', async () => {
    const size = 40 * megabyte
    let sent = 0
    gateway.services.engagement.answer((_req, res) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const push = () => {
        while (sent < size) {
          sent += chunk.length
          if (!res.write(chunk)) {
            res.once('drain', push)
            return
          }
        }
        res.end()
      }
      push()
    })
    const req = byHand(gateway.url, 'GET', '/api/engagement/dashboard', {})
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    // Nobody reads: the service must come to a halt long before its end.
    let last = -1
    await eventually(() => {
      const halted = sent === last
      last = sent
      return halted
    })
    expect(sent).toBeLessThan(size)
    let got = 0
    for await (const chunk of res) got += (chunk as Buffer).length
    expect(got).toBe(size)
  })

  test('that break off in the middle break off for the client too', async () => {
    gateway.services.engagement.answer((_req, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('half')
      setImmediate(() => res.destroy())
    })
    await expect(browser.get('/api/engagement/dashboard')).rejects.toThrow()
    expect((await browser.get('/api/users')).status).toBe(200)
  })
})

describe('a client that goes away', () => {
  test.each(['before the answer', 'in the middle of the answer', 'in the middle of its body'])(
    '%s ends the call to the service',
    async when => {
      let closed = false
      let begun = false
      gateway.services.chat.answer((req, res) => {
        begun = true
        req.on('error', () => {})
        res.on('close', () => {
          closed = true
        })
        if (when === 'in the middle of the answer') res.write('some')
      }, false)
      const req = when.endsWith('body')
        ? byHand(gateway.url, 'POST', '/api/chat/send', { 'transfer-encoding': 'chunked', ...json })
        : byHand(gateway.url, 'GET', '/api/chat/rooms', {})
      if (when.endsWith('body')) req.write('some')
      else req.end()
      if (when === 'in the middle of the answer') await once(req, 'response')
      await eventually(() => begun)
      req.destroy()
      await eventually(() => closed)
      expect((await browser.get('/api/users')).status).toBe(200)
    },
  )
})

describe('a service that is slow, dead or overloaded', () => {
  test('slow: 504 as JSON, and the call to it ends', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 100 })
    let ended = false
    gateway.services.chat.answer((_req, res) => {
      res.on('close', () => {
        ended = true
      })
    })
    const visiting = await signedIn(url)
    const answer = await visiting.get('/api/chat/rooms')
    expect(answer.status).toBe(504)
    expect(answer.json).toMatchObject({ code: 'too_slow', request_id: answer.headers['x-request-id'] })
    await eventually(() => ended)
    expect((await visiting.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(504)
  })

  test('waiting for a free connection counts as slow too', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 200, connections: 1 })
    gateway.services.chat.answer(() => {})
    const visiting = await signedIn(url)
    const both = await Promise.all([visiting.get('/api/chat/rooms'), visiting.get('/api/chat/unread-count')])
    expect(both.map(each => each.status)).toEqual([504, 504])
  })

  test('dead: 503 with Retry-After for its paths, the rest untouched, and well again when it is back', async () => {
    const port = Number(new URL(gateway.services.chat.url).port)
    await gateway.services.chat.stop()
    const answer = await browser.get('/api/chat/rooms')
    expect([answer.status, answer.json.code]).toEqual([503, 'unavailable'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.json.request_id).toBe(answer.headers['x-request-id'])
    expect((await browser.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(503)
    expect((await browser.post('/api/chat/send', { body: 'x'.repeat(500_000), headers: json })).status).toBe(503)
    expect((await browser.get('/api/playlists/today')).status).toBe(200)
    expect((await send(gateway.url, '/readyz')).status).toBe(200)
    gateway.services.chat = await fakeService('chat', port)
    expect((await browser.get('/api/chat/rooms')).status).toBe(200)
  })

  test('what is not HTTP is 503', async () => {
    const server = createServer(socket => socket.on('error', () => {}).end('SSH-2.0-nonsense\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const upstreams = { ...urlsOf(gateway), chat: [`http://127.0.0.1:${port}`] }
    const visiting = await signedIn(await gateway.startAnother({ upstreams }))
    expect((await visiting.get('/api/chat/rooms')).status).toBe(503)
    server.close()
  })

  test('overloaded: polls are refused before writes, and what passes is bounded', async () => {
    const url = await gateway.startAnother({ maxInFlight: 4 })
    const waiting: ServerResponse[] = []
    gateway.services.chat.answer((_req, res) => waiting.push(res))
    const visiting = await signedIn(url)
    const polls = [1, 2, 3].map(() => visiting.get('/api/chat/rooms'))
    await eventually(() => waiting.length === 3)
    const shed = await visiting.get('/api/chat/rooms')
    expect([shed.status, shed.json.code]).toEqual([503, 'overloaded'])
    expect(shed.headers['retry-after']).toBeDefined()
    const write = visiting.post('/api/chat/send', { body: '{}', headers: json })
    await eventually(() => waiting.length === 4)
    expect((await visiting.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(503)
    expect((await visiting.get('/api/playlists/today')).status).toBe(200)
    for (const res of waiting) res.end('{}')
    expect((await Promise.all([...polls, write])).map(each => each.status)).toEqual([200, 200, 200, 200])
    gateway.services.chat.answer((_req, res) => res.end('{}'))
    expect((await visiting.get('/api/chat/rooms')).status).toBe(200)
  })
})

const urlsOf = ({ services }: TestGateway) => ({
  auth: [services.auth.url],
  'playback-session': [services['playback-session'].url],
  engagement: [services.engagement.url],
  notification: [services.notification.url],
  chat: [services.chat.url],
})

describe('trying again', () => {
  test('a GET whose connection broke before a byte came is tried once more; twice is enough', async () => {
    let calls = 0
    gateway.services.chat.answer((req, res) => {
      calls += 1
      if (calls === 1) req.socket.destroy()
      else res.end('{"second":true}')
    })
    expect((await browser.get('/api/chat/rooms')).json).toEqual({ second: true })
    expect(calls).toBe(2)
    gateway.services.chat.answer(req => {
      calls += 1
      req.socket.destroy()
    })
    expect((await browser.get('/api/chat/rooms')).status).toBe(503)
    expect(calls).toBe(4)
  })

  test.each(['POST', 'PUT', 'DELETE'])('a %s is sent once and never again', async method => {
    let calls = 0
    const lost = (req: IncomingMessage) => {
      calls += 1
      req.socket.destroy()
    }
    gateway.services.chat.answer(lost)
    gateway.services['playback-session'].answer(lost)
    const path = method === 'POST' ? '/api/chat/send' : '/api/playlists/x/assign'
    const call = { POST: browser.post, PUT: browser.put, DELETE: browser.delete }[method]!
    expect((await call(path, { body: '{}', headers: json })).status).toBe(503)
    expect(calls).toBe(1)
  })

  test('a GET goes to the next address, and the one that failed is left alone for a while', async () => {
    const second = await fakeService('second chat')
    const dead = await deadAddress()
    const upstreams = { ...urlsOf(gateway), chat: [dead, gateway.services.chat.url, second.url] }
    const visiting = await signedIn(await gateway.startAnother({ upstreams }))
    for (let i = 0; i < 6; i++) expect((await visiting.get('/api/chat/rooms')).status).toBe(200)
    // Taken in turn, and writes too find only those that answer.
    for (let i = 0; i < 4; i++) expect((await visiting.post('/api/chat/mark-read?room_id=r')).status).toBe(200)
    expect(gateway.services.chat.received.length).toBeGreaterThanOrEqual(4)
    expect(second.received.length).toBeGreaterThanOrEqual(4)
    await second.stop()
  })
})

describe('the live stream', () => {
  test('passes as it comes, with our headers, and ends for both when one goes', async () => {
    let upstream: ServerResponse | undefined
    let closed = false
    gateway.services.notification.answer((_req, res) => {
      upstream = res
      res.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'watchline_access=planted' })
      res.write('data: 1\n\n')
      res.on('close', () => {
        closed = true
      })
    })
    const req = byHand(gateway.url, 'GET', '/api/stream', {
      'last-event-id': '5',
      authorization: 'Bearer forged',
      'x-forwarded-for': '6.6.6.6',
    })
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    let text = ''
    res.on('data', chunk => {
      text += chunk
    })
    res.on('error', () => {})
    await eventually(() => expect(text).toBe('data: 1\n\n'))
    upstream!.write('data: 2\n\n')
    await eventually(() => expect(text).toBe('data: 1\n\ndata: 2\n\n'))
    expect(res.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-content-type-options': 'nosniff' })
    expect(res.headers['set-cookie']).toBeUndefined()
    const { headers } = gateway.services.notification.received.at(-1)!
    expect(headers).toMatchObject({ 'last-event-id': '5', 'x-forwarded-for': '127.0.0.1' })
    expect(headers.authorization).toBe(`Bearer ${browser.jar.get('watchline_access')}`)
    expect(headers.cookie).toBeUndefined()
    req.destroy()
    await eventually(() => closed)
  })

  test('is not cut by the limit on time, and ends when its session does', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 50 })
    let upstream: ServerResponse | undefined
    gateway.services.notification.answer((_req, res) => {
      upstream = res
      res.write('data: 1\n\n')
    })
    const req = byHand(url, 'GET', '/api/stream', {})
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.on('error', () => {}).resume()
    // A plain call that starts after it and is cut shows that the limit has passed for the stream
    // as well.
    gateway.services.chat.answer(() => {})
    expect((await (await signedIn(url)).get('/api/chat/rooms')).status).toBe(504)
    expect(res.destroyed).toBe(false)
    await gateway.world.ports.bus.publish({
      specversion: '1.0',
      id: 'e1',
      source: 'auth',
      type: 'session.revoked',
      subject: 's1',
      time: new Date().toISOString(),
      data: { sid: 's1', person_id: 'p1', reason: 'signed_out' },
    })
    await eventually(() => res.destroyed)
    await eventually(() => upstream!.destroyed)
  })

  test('goes to another address when one cannot be reached', async () => {
    const upstreams = { ...urlsOf(gateway), notification: [await deadAddress(), gateway.services.notification.url] }
    const visiting = await signedIn(await gateway.startAnother({ upstreams }))
    gateway.services.notification.answer((_req, res) => res.end('data: 1\n\n'))
    for (let each = 0; each < 3; each += 1) expect((await visiting.get('/api/stream')).text).toBe('data: 1\n\n')
  })

  test('of a service that is dead or silent is 503 or 504 as JSON', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 100 })
    const visiting = await signedIn(url)
    gateway.services.notification.answer(() => {})
    const slow = await visiting.get('/api/stream')
    expect([slow.status, slow.json.code]).toEqual([504, 'too_slow'])
    await gateway.services.notification.stop()
    const dead = await visiting.get('/api/stream')
    expect([dead.status, dead.json.code]).toEqual([503, 'unavailable'])
    expect((await send(url, '/api/stream')).status).toBe(401)
  })
})

describe('what comes in', () => {
  async function raw(text: string): Promise<string> {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    socket.end(text)
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', () => {})
    await once(socket, 'close')
    return answer
  }

  test.each([
    'nonsense\r\n\r\n',
    'GET /api/users HTTP/1.1\r\n\r\n',
    'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
    'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  ])('malformed (%#) is answered with 4xx and ends nothing', async text => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })

  test('CONNECT, a hasty close and a half request end nothing', async () => {
    await raw('CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test\r\n\r\n')
    await raw('POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nhalf')
    await raw('')
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })

  test('an upgrade nobody offers is an ordinary request', async () => {
    const answer = await browser.get('/api/chat/rooms', {
      headers: { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' },
    })
    expect(answer.status).toBe(200)
    expect(answer.json.headers.upgrade).toBeUndefined()
  })
})

describe('limits on the rate', () => {
  const rateLimits = { session: 20, address: 10, signIn: 3 }

  async function untilRefused(call: () => Promise<{ status: number; headers: Record<string, unknown> }>) {
    for (let passed = 0; passed < 50; passed++) {
      const answer = await call()
      if (answer.status === 429) {
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
        return passed
      }
    }
    throw new Error('never refused')
  }

  test('count a session by itself and everybody else by address', async () => {
    const url = await gateway.startAnother({ rateLimits })
    expect(await untilRefused(() => send(url, '/api/auth/options'))).toBeGreaterThanOrEqual(10)
    const visiting = createBrowser(url)
    visiting.jar.set('watchline_access', gateway.world.token({ id: 'p1' }, 's1'))
    expect(await untilRefused(() => visiting.get('/api/users'))).toBeGreaterThanOrEqual(20)
    const other = createBrowser(url)
    other.jar.set('watchline_access', gateway.world.token({ id: 'p2' }, 's2'))
    expect((await other.get('/api/users')).status).toBe(200)
    expect((await send(url, '/')).status).not.toBe(429)
  })

  test('are stricter for signing in', async () => {
    const visiting = createBrowser(await gateway.startAnother({ rateLimits }))
    await visiting.get('/api/auth/options')
    expect(await untilRefused(() => visiting.post('/api/admin/login'))).toBe(3)
    expect((await visiting.get('/api/auth/options')).status).toBe(200)
  })
})

test('a stopping gateway finishes what it took', async () => {
  const own = await startTestGateway()
  let finish = () => {}
  own.services.auth.answer((_req, res) => {
    finish = () => res.end('{"late":true}')
  })
  const answer = send(own.url, '/api/auth/options')
  await eventually(() => own.services.auth.received.length === 1)
  const closed = own.close()
  finish()
  expect((await answer).json).toEqual({ late: true })
  await closed
  await expect(send(own.url, '/healthz')).rejects.toThrow()
})
