import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { priorityHeader } from '@watchline/contracts/priority'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createAuthority, issueCertificate } from '../../tools/src/deployment/certificates.ts'
import type { GatewayConfig } from '../src/config.ts'
import {
  createBrowser,
  send,
  sendBytes,
  startFakeService,
  startTestGateway,
  type TestGateway,
  type TestResponse,
} from './_util.ts'

const json = { 'content-type': 'application/json' }
const megabyte = 1_048_576

let gateway: TestGateway
let browser: Awaited<ReturnType<ReturnType<typeof createBrowser>['signIn']>>
beforeEach(async () => {
  gateway = await startTestGateway()
  browser = await signInBrowser(gateway.url)
})
afterEach(() => gateway.close())

const signInBrowser = (url: string) => createBrowser(url).signIn(gateway.world.token({ id: 'p1' }, 's1'))

/** An address without a server. */
async function findUnusedAddress(): Promise<string> {
  const service = await startFakeService('stopped')
  await service.stop()
  return service.url
}

/** A signed-in request whose body the test writes itself, in pieces. */
function startRequest(url: string, method: string, path: string, headers: Record<string, string>) {
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
    'of %i bytes arrive complete, with and without content-length',
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

  test('are forwarded for DELETE, not for GET', async () => {
    const unassign = await browser.delete('/api/playlists/x/assign', { body: '{"a":1}', headers: json })
    expect(unassign.json.body).toBe('{"a":1}')
    const list = await browser.get('/api/playlists', { body: '{"a":1}', headers: json })
    expect(list.status).toBe(200)
    expect(list.json.body).toBe('')
    expect(list.json.headers['content-length']).toBeUndefined()
  })

  test('too large by content-length get 413 at once and reach no service', async () => {
    for (const size of [megabyte + 1, 3 * megabyte]) {
      const answer = await browser.post('/api/chat/send', { body: 'x'.repeat(size), headers: json })
      expect([answer.status, answer.json.code]).toEqual([413, 'too_large'])
    }
    expect(gateway.services.chat.received).toEqual([])
    expect((await browser.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(200)
  })

  test('too large without content-length get 413, and the service never gets them whole', async () => {
    const body = 'x'.repeat(megabyte + 100_000)
    const answer = await browser.post('/api/chat/send', { body, chunked: true, headers: json })
    expect([answer.status, answer.json.code]).toEqual([413, 'too_large'])
    expect(gateway.services.chat.received).toEqual([])
    expect((await browser.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(200)
  })

  test('are streamed: the service gets the beginning before the client sends the end', async () => {
    const chunks: string[] = []
    gateway.services.chat.answer((req, res) => {
      req.on('data', chunk => chunks.push(String(chunk)))
      req.on('end', () => res.end('{"all":true}'))
    }, false)
    const req = startRequest(gateway.url, 'POST', '/api/chat/send', { 'transfer-encoding': 'chunked', ...json })
    req.write('first')
    await eventually(() => expect(chunks.join('')).toBe('first'))
    req.end(' last')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    expect(res.statusCode).toBe(200)
    expect(chunks.join('')).toBe('first last')
    res.resume()
  })

  test('may be answered before their end; the client gets that answer and can go on', async () => {
    gateway.services.chat.answer((_req, res) => res.writeHead(403, json).end('{"code":"forbidden"}'), false)
    const answer = await browser.post('/api/chat/send', { body: 'x'.repeat(900_000), headers: json })
    expect([answer.status, answer.json]).toEqual([403, { code: 'forbidden' }])
    expect((await browser.get('/api/users')).status).toBe(200)
  })
})

describe('answers', () => {
  test('are streamed: the client gets the beginning before the service sends the end', async () => {
    let finish = () => {}
    gateway.services.engagement.answer((_req, res) => {
      res.write('first')
      finish = () => res.end(' last')
    })
    const req = startRequest(gateway.url, 'GET', '/api/engagement/dashboard', {})
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

  test('larger than any buffer reach a slow reader complete, and back-pressure reaches the service', async () => {
    const size = 40 * megabyte
    let sentBytes = 0
    gateway.services.engagement.answer((_req, res) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const push = () => {
        while (sentBytes < size) {
          sentBytes += chunk.length
          if (!res.write(chunk)) {
            res.once('drain', push)
            return
          }
        }
        res.end()
      }
      push()
    })
    const req = startRequest(gateway.url, 'GET', '/api/engagement/dashboard', {})
    req.end()
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    // The client does not read, so the service must stop sending long before the end.
    let lastSentBytes = -1
    await eventually(() => {
      const hasStopped = sentBytes === lastSentBytes
      lastSentBytes = sentBytes
      return hasStopped
    })
    expect(sentBytes).toBeLessThan(size)
    let receivedBytes = 0
    for await (const chunk of res) receivedBytes += (chunk as Buffer).length
    expect(receivedBytes).toBe(size)
  })

  test('that end too early fail for the client too', async () => {
    gateway.services.engagement.answer((_req, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('half')
      setImmediate(() => res.destroy())
    })
    await expect(browser.get('/api/engagement/dashboard')).rejects.toThrow()
    expect((await browser.get('/api/users')).status).toBe(200)
  })
})

describe('a client that disconnects', () => {
  test.each(['before the answer', 'in the middle of the answer', 'in the middle of its body'])(
    '%s ends the call to the service',
    async moment => {
      let isStarted = false
      let isClosed = false
      gateway.services.chat.answer((req, res) => {
        isStarted = true
        req.on('error', () => {})
        res.on('close', () => {
          isClosed = true
        })
        if (moment === 'in the middle of the answer') res.write('part')
      }, false)
      const req = moment.endsWith('body')
        ? startRequest(gateway.url, 'POST', '/api/chat/send', { 'transfer-encoding': 'chunked', ...json })
        : startRequest(gateway.url, 'GET', '/api/chat/rooms', {})
      if (moment.endsWith('body')) req.write('part')
      else req.end()
      if (moment === 'in the middle of the answer') await once(req, 'response')
      await eventually(() => isStarted)
      req.destroy()
      await eventually(() => isClosed)
      expect((await browser.get('/api/users')).status).toBe(200)
    },
  )
})

describe('a failing service', () => {
  test('that is slow gives 504 as JSON, and the call to it ends', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 100 })
    let isClosed = false
    gateway.services.chat.answer((_req, res) => {
      res.on('close', () => {
        isClosed = true
      })
    })
    const client = createBrowser(url)
    // The anti-forgery cookie is from the first gateway, which has time to answer.
    for (const [name, value] of browser.jar) client.jar.set(name, value)
    const answer = await client.get('/api/chat/rooms')
    expect(answer.status).toBe(504)
    expect(answer.json).toMatchObject({ code: 'too_slow', request_id: answer.headers['x-request-id'] })
    await eventually(() => isClosed)
    expect((await client.post('/api/chat/send', { body: '{}', headers: json })).status).toBe(504)
  })

  test('is also slow while calls wait for a free connection', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 200, connections: 1 })
    gateway.services.chat.answer(() => {})
    const client = await signInBrowser(url)
    const answers = await Promise.all([client.get('/api/chat/rooms'), client.get('/api/chat/unread-count')])
    expect(answers.map(answer => answer.status)).toEqual([504, 504])
  })

  test('that is down gives 503 with Retry-After for its own paths, until it is back', async () => {
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
    gateway.services.chat = await startFakeService('chat', port)
    expect((await browser.get('/api/chat/rooms')).status).toBe(200)
  })

  test('that does not speak HTTP gives 503', async () => {
    const server = createServer(socket => socket.on('error', () => {}).end('SSH-2.0-nonsense\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const upstreams = { ...urlsOf(gateway), chat: [`http://127.0.0.1:${port}`] }
    const client = await signInBrowser(await gateway.startAnother({ upstreams }))
    expect((await client.get('/api/chat/rooms')).status).toBe(503)
    server.close()
  })

  test('that is full refuses polls first, then reports, then reads, and a write of a person last', async () => {
    const url = await gateway.startAnother({ maxInFlight: 20, connections: 32 })
    const heldResponses: ServerResponse[] = []
    gateway.services.chat.answer((_req, res) => heldResponses.push(res))
    const client = await signInBrowser(url)
    const write = (priority?: string) =>
      client.post('/api/chat/send', { body: '{}', headers: { ...json, ...(priority && { priority }) } })
    const read = (priority?: string) => client.get('/api/chat/rooms', priority ? { headers: { priority } } : {})
    const held: Promise<{ status: number }>[] = []
    /** Adds a call that the service holds. A gateway whose event loop is late refuses some. */
    const hold = (call: () => Promise<{ status: number }>) =>
      eventually(async () => {
        const before = heldResponses.length
        let refused: { status: number } | undefined
        const answer = call()
        void answer.then(early => {
          refused = early
        })
        await eventually(() => refused !== undefined || heldResponses.length > before)
        expect(refused).toBeUndefined()
        held.push(answer)
      })
    for (const [call, limit] of [
      [() => read(priorityHeader.poll), 12],
      [() => write(priorityHeader.report), 15],
      [() => read(), 18],
      [() => write(), 20],
    ] as const) {
      while (held.length < limit) await hold(call)
      const refused = await call()
      expect([refused.status, refused.json.code]).toEqual([503, 'overloaded'])
      expect(refused.headers['retry-after']).toBeDefined()
    }
    expect((await client.get('/api/playlists/today')).status).toBe(200)
    gateway.services.chat.answer((_req, res) => res.end('{}'))
    for (const res of heldResponses) res.end('{}')
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await read()).status).toBe(200)
  })

  test('that is full of calls that can wait still serves a sign-in and a write of a person', async () => {
    const url = await gateway.startAnother({ maxInFlight: 20, connections: 32 })
    const heldResponses: ServerResponse[] = []
    gateway.services.auth.answer((req, res) => {
      if (req.headers.priority || req.url === '/api/users') heldResponses.push(res)
      else res.end('{}')
    })
    const client = await signInBrowser(url)
    const report = { body: '{}', headers: { ...json, priority: priorityHeader.report } }
    const held = Array.from({ length: 20 }, () => client.post('/api/auth/refresh', report))
    await eventually(() => expect(heldResponses).toHaveLength(15))
    held.push(...Array.from({ length: 5 }, () => client.get('/api/users')))
    await eventually(() => expect(heldResponses).toHaveLength(18))
    expect((await client.post('/api/auth/logout', { body: '{}', headers: json })).status).toBe(200)
    const visitor = createBrowser(url)
    for (const path of ['/api/auth/options', '/api/auth/signin', '/api/auth/callback'])
      expect((await visitor.get(path)).status).toBe(200)
    for (const res of heldResponses) res.end('{}')
    const statuses = (await Promise.all(held)).map(({ status }) => status)
    expect(statuses.filter(status => status === 503)).toHaveLength(7)
  })
})

describe('a service that answers all writes late', () => {
  const poll = { headers: { priority: priorityHeader.poll } }
  const report = { body: '{}', headers: { ...json, priority: priorityHeader.report } }

  test('gets no polls, and later no reports, but every call that somebody waits for', async () => {
    const { chat } = gateway.services
    chat.answer((req, res, body) => {
      // A refusal is quick, which tells nothing about the time that work takes.
      if (body === '"refuse"') res.writeHead(409).end('{}')
      else setTimeout(() => res.end('{}'), req.method === 'POST' ? 400 : 0)
    })
    const writeLate = () =>
      Promise.all(Array.from({ length: 8 }, () => browser.post('/api/chat/send', { body: '{}', headers: json })))
    /** Waits until a call is admitted. A gateway whose event loop is late also refuses some. */
    const untilAdmitted = (call: () => Promise<TestResponse>) =>
      eventually(async () => {
        const answer = await call()
        expect(answer.status).toBe(200)
        return answer
      })
    let refusedPoll = await untilAdmitted(() => browser.get('/api/chat/rooms', poll))
    await untilAdmitted(() => browser.post('/api/chat/send', report))
    let refusedReport = refusedPoll
    while (refusedReport.status === 200) {
      const refusedByService = browser.post('/api/chat/send', { body: '"refuse"', headers: json })
      expect((await writeLate()).map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect((await refusedByService).status).toBe(409)
      if (refusedPoll.status === 200) refusedPoll = await browser.get('/api/chat/rooms', poll)
      else refusedReport = await browser.post('/api/chat/send', report)
    }
    for (const refused of [refusedPoll, refusedReport]) {
      expect([refused.status, refused.json.code]).toEqual([503, 'overloaded'])
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await browser.get('/api/chat/rooms')).status).toBe(200)
    await untilAdmitted(() => browser.get('/api/playlists/today', poll))
  })
})

const urlsOf = ({ services }: TestGateway) => ({
  auth: [services.auth.url],
  'playback-session': [services['playback-session'].url],
  engagement: [services.engagement.url],
  notification: [services.notification.url],
  chat: [services.chat.url],
})

describe('retries', () => {
  test('a GET is retried once if its connection breaks before the first byte', async () => {
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

  test.each(['POST', 'PUT', 'DELETE'])('a %s is never retried', async method => {
    let calls = 0
    const breakConnection = (req: IncomingMessage) => {
      calls += 1
      req.socket.destroy()
    }
    gateway.services.chat.answer(breakConnection)
    gateway.services['playback-session'].answer(breakConnection)
    const path = method === 'POST' ? '/api/chat/send' : '/api/playlists/x/assign'
    const call = { POST: browser.post, PUT: browser.put, DELETE: browser.delete }[method]!
    expect((await call(path, { body: '{}', headers: json })).status).toBe(503)
    expect(calls).toBe(1)
  })

  test('a GET goes to the next address, and the failing address is skipped for a while', async () => {
    const second = await startFakeService('second chat')
    const upstreams = { ...urlsOf(gateway), chat: [await findUnusedAddress(), gateway.services.chat.url, second.url] }
    const client = await signInBrowser(await gateway.startAnother({ upstreams }))
    for (let i = 0; i < 6; i++) expect((await client.get('/api/chat/rooms')).status).toBe(200)
    // Round robin over the reachable addresses, for writes too.
    for (let i = 0; i < 4; i++) expect((await client.post('/api/chat/mark-read?room_id=r')).status).toBe(200)
    expect(gateway.services.chat.received.length).toBeGreaterThanOrEqual(4)
    expect(second.received.length).toBeGreaterThanOrEqual(4)
    await second.stop()
  })
})

describe('the live stream', () => {
  test('is forwarded at once, with the headers of the gateway, and ends when the client disconnects', async () => {
    let upstream: ServerResponse | undefined
    let isClosed = false
    gateway.services.notification.answer((_req, res) => {
      upstream = res
      res.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'watchline_access=planted' })
      res.write('data: 1\n\n')
      res.on('close', () => {
        isClosed = true
      })
    })
    const req = startRequest(gateway.url, 'GET', '/api/stream', {
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
    await eventually(() => isClosed)
  })

  test('has no time limit and ends with its login session', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 1_000 })
    let upstream: ServerResponse | undefined
    gateway.services.notification.answer((_req, res) => {
      upstream = res
      res.write('data: 1\n\n')
    })
    const res = await eventually(async () => {
      const req = startRequest(url, 'GET', '/api/stream', {})
      req.end()
      const [response] = (await once(req, 'response')) as [IncomingMessage]
      response.on('error', () => {}).resume()
      // A slow machine may miss the short limit of the first byte.
      expect(response.statusCode).toBe(200)
      return response
    })
    // When a later plain call reaches the time limit, the stream has passed it too.
    gateway.services.chat.answer(() => {})
    expect((await (await signInBrowser(url)).get('/api/chat/rooms')).status).toBe(504)
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

  test('uses another address if one is unreachable', async () => {
    const upstreams = {
      ...urlsOf(gateway),
      notification: [await findUnusedAddress(), gateway.services.notification.url],
    }
    const client = await signInBrowser(await gateway.startAnother({ upstreams }))
    gateway.services.notification.answer((_req, res) => res.end('data: 1\n\n'))
    for (let index = 0; index < 3; index += 1) expect((await client.get('/api/stream')).text).toBe('data: 1\n\n')
  })

  test('sends nothing to an address whose certificate nobody trusts', async () => {
    const calls: string[] = []
    const { cert, key } = await issueCertificate(await createAuthority(), ['127.0.0.1'])
    const impostor = createTlsServer({ cert, key }, (req, res) => {
      calls.push(req.url!)
      res.end('{}')
    }).listen(0, '127.0.0.1')
    await once(impostor, 'listening')
    const address = `https://127.0.0.1:${(impostor.address() as AddressInfo).port}`
    const upstreams = { ...urlsOf(gateway), chat: [address, gateway.services.chat.url], notification: [address] }
    const client = await signInBrowser(await gateway.startAnother({ upstreams }))
    for (let index = 0; index < 3; index += 1) expect((await client.get('/api/chat/rooms')).status).toBe(200)
    const refused = await client.get('/api/notifications')
    expect([refused.status, refused.json.code]).toEqual([503, 'unavailable'])
    expect((await client.get('/api/stream')).status).toBe(503)
    expect(calls).toEqual([])
    impostor.close()
  })

  test('speaks https only, if it has a certificate', async () => {
    const authority = await createAuthority()
    const { cert, key } = await issueCertificate(authority, ['127.0.0.1'])
    const folder = mkdtempSync(join(tmpdir(), 'watchline-gateway-'))
    const [tlsCertFile, tlsKeyFile] = [join(folder, 'cert'), join(folder, 'key')]
    writeFileSync(tlsCertFile, cert)
    writeFileSync(tlsKeyFile, key)
    const url = await gateway.startAnother({ tlsCertFile, tlsKeyFile })
    const get = (address: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(address)
        const options = { hostname, port, path: '/healthz', agent: false as const }
        const call = address.startsWith('https:') ? requestTls({ ...options, ca: authority.cert }) : request(options)
        call.once('response', res => resolve(res.resume().statusCode))
        call.once('error', reject)
        call.end()
      })
    expect(url).toMatch(/^https:/)
    expect(await get(url)).toBe(200)
    await expect(get(url.replace('https:', 'http:'))).rejects.toThrow()
    rmSync(folder, { recursive: true })
  })

  test('gives 504 for a silent service and 503 for a stopped one, as JSON', async () => {
    const url = await gateway.startAnother({ answerTimeoutMs: 1_000 })
    const client = await signInBrowser(url)
    gateway.services.notification.answer(() => {})
    const slow = await client.get('/api/stream')
    expect([slow.status, slow.json.code]).toEqual([504, 'too_slow'])
    await gateway.services.notification.stop()
    await eventually(async () => {
      const stopped = await client.get('/api/stream')
      expect([stopped.status, stopped.json.code]).toEqual([503, 'unavailable'])
    })
    expect((await send(url, '/api/stream')).status).toBe(401)
  })
})

describe('raw bytes', () => {
  const sendRaw = (text: string) => sendBytes(gateway.url, text, { halfClose: true })

  test.each([
    'nonsense\r\n\r\n',
    'GET /api/users HTTP/1.1\r\n\r\n',
    'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
    'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  ])('that are malformed (%#) get 4xx, and the gateway goes on', async text => {
    expect(await sendRaw(text)).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })

  test('of a CONNECT, of half a request, or none at all do not stop the gateway', async () => {
    await sendRaw('CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test\r\n\r\n')
    await sendRaw('POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nhalf')
    await sendRaw('')
    expect((await send(gateway.url, '/healthz')).status).toBe(200)
  })

  test('with an upgrade header are an ordinary request', async () => {
    const answer = await browser.get('/api/chat/rooms', {
      headers: { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' },
    })
    expect(answer.status).toBe(200)
    expect(answer.json.headers.upgrade).toBeUndefined()
  })
})

describe('rate limits', () => {
  const rateLimits = { session: 20, address: 10, signIn: 3, page: 30 }
  // Buckets are refilled by the clock. While it stands still, exactly their capacity passes.
  const clock = createManualClock(Date.now())
  const startLimited = (overrides: Partial<GatewayConfig> = {}) =>
    gateway.startAnother({ rateLimits, ...overrides }, { ...gateway.world.ports, clock })

  /** Repeats a call until it gets 429, and returns how many calls passed. */
  async function countUntilRefused(call: () => Promise<{ status: number; headers: Record<string, unknown> }>) {
    for (let passed = 0; passed < 50; passed++) {
      const answer = await call()
      if (answer.status === 429) {
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
        return passed
      }
    }
    throw new Error('never refused')
  }

  test('count calls by person, and calls without a session by address', async () => {
    const url = await startLimited()
    expect(await countUntilRefused(() => send(url, '/api/auth/options'))).toBe(10)
    const client = createBrowser(url)
    client.jar.set('watchline_access', gateway.world.token({ id: 'p1' }, 's1'))
    expect(await countUntilRefused(() => client.get('/api/users'))).toBe(20)
    const colleague = createBrowser(url)
    colleague.jar.set('watchline_access', gateway.world.token({ id: 'p2' }, 's2'))
    expect((await colleague.get('/api/users')).status).toBe(200)
    expect((await send(url, '/')).status).not.toBe(429)
  })

  const tokenOfAge = (id: string, sid: string, ageS: number) => {
    const signedAt = clock.now() - ageS * 1_000
    return gateway.world.signer.sign({ sub: id, sid, ver: 1, authTimeMs: signedAt }, signedAt, 600)
  }

  test('count all sessions of a person together, and their expired access tokens together', async () => {
    const url = await startLimited({ rateLimits: { ...rateLimits, address: 1 } })
    const call = (id: string, sid: string, ageS = 0) =>
      send(url, '/api/users', { headers: { cookie: `watchline_access=${tokenOfAge(id, sid, ageS)}` } })
    let sessions = 0
    const passed = await countUntilRefused(() => {
      sessions += 1
      return call('p1', `s${sessions}`)
    })
    expect(passed).toBe(20)
    let expired = 0
    const passedExpired = await countUntilRefused(() => {
      expired += 1
      return call('p1', `s-expired-${expired}`, 3_600)
    })
    expect(passedExpired).toBe(20)
    for (const id of ['p2', 'p3', 'p4']) expect((await call(id, `s-${id}`, 3_600)).status).toBe(401)
  })

  test('of an expired access token that was stolen leave its owner alone', async () => {
    const url = await startLimited({ trustedProxies: 1, mediaRoot: '.' })
    const call = (path: string, { address, ageS }: { address: string; ageS: number }) => {
      const cookie = `watchline_access=${tokenOfAge('p1', 's1', ageS)}`
      return send(url, path, { headers: { cookie, 'x-forwarded-for': address } })
    }
    const thief = { address: '198.51.100.7', ageS: 3_600 }
    for (const path of ['/api/users', '/media/film.webm']) {
      expect(await countUntilRefused(() => call(path, thief))).toBe(20)
      for (const ageS of [0, 3_600]) expect((await call(path, { address: '203.0.113.5', ageS })).status).not.toBe(429)
      expect((await call(path, { address: thief.address, ageS: 0 })).status).not.toBe(429)
    }
  })

  test('bound the requests for pages and for own files', async () => {
    const url = await startLimited()
    expect(await countUntilRefused(() => send(url, '/'))).toBe(30)
    const cookie = `watchline_access=${gateway.world.token({ id: 'p1' }, 's1')}`
    const media = await startLimited({ mediaRoot: '.' })
    expect(await countUntilRefused(() => send(media, '/media/film.webm', { headers: { cookie } }))).toBe(20)
    expect((await send(media, '/api/users', { headers: { cookie } })).status).toBe(200)
  })

  test('bound the open connections of one address', async () => {
    const url = await startLimited({ connectionsPerAddress: 3 })
    const { hostname, port } = new URL(url)
    const open = () =>
      new Promise<Socket>(resolve => {
        const socket = connect(Number(port), hostname, () => resolve(socket))
      })
    const sockets = await Promise.all([open(), open(), open()])
    await expect(send(url, '/healthz')).rejects.toThrow()
    sockets[0]!.destroy()
    await eventually(async () => expect((await send(url, '/healthz')).status).toBe(200))
    for (const socket of sockets) socket.destroy()
  })

  test('are stricter for sign-in', async () => {
    const client = createBrowser(await startLimited())
    await client.get('/api/auth/options')
    expect(await countUntilRefused(() => client.post('/api/admin/login'))).toBe(3)
    expect((await client.get('/api/auth/options')).status).toBe(200)
  })

  describe('of neighbours in one network', () => {
    const cookieName = 'watchline_browser'
    let url: string
    beforeEach(async () => {
      url = await startLimited()
    })
    const logIn = (client: ReturnType<typeof createBrowser>) => client.post('/api/admin/login')

    /** A browser in which the person signed in and out. */
    async function knownBrowser(id: string, at = url) {
      const client = createBrowser(at)
      await client.get('/api/auth/options')
      const token = tokenOfAge(id, `sid-${id}`, 0)
      gateway.services.auth.answer((_req, res) => {
        res.setHeader('set-cookie', `watchline_access=${token}; Path=/; HttpOnly`)
        res.end('{}')
      })
      expect((await logIn(client)).status).toBe(200)
      gateway.services.auth.answer((_req, res) => res.end('{}'))
      client.jar.delete('watchline_access')
      await client.get('/api/auth/options')
      return client
    }

    async function floodByStranger() {
      const stranger = createBrowser(url)
      await stranger.get('/api/auth/options')
      await countUntilRefused(() => logIn(stranger))
      await countUntilRefused(() => stranger.get('/api/auth/options'))
      return stranger
    }

    test('never keep a browser out that signed in before', async () => {
      const client = await knownBrowser('p7')
      const stranger = await floodByStranger()
      expect((await client.get('/api/auth/options')).status).toBe(200)
      expect((await logIn(client)).status).toBe(200)
      expect((await logIn(stranger)).status).toBe(429)
    })

    test('leave the files of the client to browsers that signed in before, and to people with a session', async () => {
      const known = await knownBrowser('p7')
      const inSession = createBrowser(url)
      inSession.jar.set('watchline_access', tokenOfAge('p8', 's8', 0))
      expect(await countUntilRefused(() => send(url, '/'))).toBe(30)
      // Twice the calls of a person, for two devices that load a new version together.
      for (const client of [known, inSession]) expect(await countUntilRefused(() => client.get('/'))).toBe(40)
      for (const forgery of ['p7.forged', 'p9', '']) {
        const headers = { cookie: `${cookieName}=${forgery}; watchline_access=forged` }
        expect([forgery, (await send(url, '/', { headers })).status]).toEqual([forgery, 429])
      }
      expect((await known.get('/api/auth/options')).status).toBe(200)
    })

    test('count a browser with a forged cookie, or with one of another installation, as unknown', async () => {
      const client = await knownBrowser('p7')
      const genuine = client.jar.get(cookieName)!
      const foreignUrl = await startLimited({ csrfSecrets: ['a secret of another installation in tests'] })
      const foreign = (await knownBrowser('p7', foreignUrl)).jar.get(cookieName)!
      const forgeries = [genuine.replace('p7', 'p8'), genuine.slice(0, -1), 'p7', '.', genuine.slice(2), foreign]
      await floodByStranger()
      for (const forgery of forgeries) {
        client.jar.set(cookieName, forgery)
        expect([forgery, (await client.get('/api/auth/options')).status]).toEqual([forgery, 429])
      }
    })

    test('count all browsers of one person together, and people with a session by themselves', async () => {
      const browsers = [await knownBrowser('p7'), await knownBrowser('p7')]
      let calls = 0
      expect(await countUntilRefused(() => logIn(browsers[calls++ % 2]!))).toBe(3)
      const colleague = createBrowser(url)
      colleague.jar.set('watchline_access', tokenOfAge('p9', 's9', 0))
      await colleague.get('/api/auth/options')
      expect((await logIn(colleague)).status).toBe(200)
    })

    test('do not get the cookie again with each refresh, but with each sign-in', async () => {
      const client = await knownBrowser('p7')
      const refresh = async (sid: string) => {
        const token = tokenOfAge('p7', sid, 0)
        gateway.services.auth.answer((_req, res) => {
          res.setHeader('set-cookie', `watchline_access=${token}; Path=/; HttpOnly`)
          res.end('{}')
        })
        const { cookies } = await client.post('/api/auth/refresh')
        return cookies.filter(cookie => cookie.startsWith(`${cookieName}=`))
      }
      expect(await refresh('s1')).toHaveLength(1)
      expect(await refresh('s1')).toEqual([])
      client.jar.delete(cookieName)
      const [cookie] = await refresh('s1')
      expect(cookie).toMatch(/^watchline_browser=p7\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/)
    })

    test('get a Secure cookie with the __Host- prefix on https, and are known by it', async () => {
      const client = createBrowser(await startLimited({ publicUrl: 'https://watchline.test' }))
      await client.get('/api/auth/options')
      const refresh = async () => {
        const token = tokenOfAge('p7', 's1', 0)
        gateway.services.auth.answer((_req, res) => {
          res.setHeader('set-cookie', `__Host-watchline_access=${token}; Path=/; HttpOnly; Secure`)
          res.end('{}')
        })
        const { cookies } = await client.post('/api/auth/refresh')
        return cookies.filter(cookie => cookie.includes('watchline_browser='))
      }
      expect(await refresh()).toEqual([
        expect.stringMatching(
          /^__Host-watchline_browser=p7\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000; Secure$/,
        ),
      ])
      expect(await refresh()).toEqual([])
    })
  })
})

test('a stopping gateway finishes its open requests', async () => {
  const stopping = await startTestGateway()
  let finish = () => {}
  stopping.services.auth.answer((_req, res) => {
    finish = () => res.end('{"late":true}')
  })
  const answer = send(stopping.url, '/api/auth/options')
  await eventually(() => stopping.services.auth.received.length === 1)
  const closed = stopping.close()
  finish()
  expect((await answer).json).toEqual({ late: true })
  await closed
  await expect(send(stopping.url, '/healthz')).rejects.toThrow()
})
