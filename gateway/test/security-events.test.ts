import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createLogger } from '@watchline/kit/observability/log'
import { createManualClock } from '@watchline/testing/manual-clock'
import { send, startTestGateway, type TestGateway } from './_util.ts'

interface LogLine {
  msg: string
  code?: string
  network?: string
}

const lines: LogLine[] = []
let gateway: TestGateway
let url: string
beforeAll(async () => {
  gateway = await startTestGateway()
  const log = createLogger('gateway', 'info', { write: line => void lines.push(JSON.parse(line)) })
  const rateLimits = { session: 3, address: 1_000, signIn: 1_000, page: 1_000 }
  url = await gateway.startAnother({ trustedProxies: 1, rateLimits }, { ...gateway.world.ports, log })
})
afterAll(() => gateway.close())
beforeEach(() => {
  lines.length = 0
})

const securityLines = () => lines.filter(line => line.msg === 'security event')
const call = (address: string, headers: Record<string, string> = {}, method = 'POST') =>
  send(url, '/api/auth/refresh', {
    method,
    headers: { 'x-forwarded-for': address, 'x-request-id': 'the-request-1', ...headers },
  })

test('a call without an anti-forgery token is a line, however often it comes', async () => {
  for (let count = 0; count < 3; count += 1) expect((await call('2001:db8:1:2::7')).status).toBe(403)
  expect(securityLines()).toMatchObject([
    { code: 'csrf', operation: 'refreshSession', network: '2001:db8:1:2::/64', request_id: 'the-request-1' },
  ])
})

test('a call from another website is a line', async () => {
  await call('10.0.0.1', { 'sec-fetch-site': 'cross-site' })
  expect(securityLines()).toMatchObject([{ code: 'cross_site', network: '10.0.0.1' }])
})

test('a request for another host is a line, however often it comes', async () => {
  const visit = () => send(url, '/', { headers: { host: 'evil.example', 'x-forwarded-for': '10.0.0.2' } })
  for (let count = 0; count < 3; count += 1) expect((await visit()).status).toBe(421)
  expect(securityLines()).toMatchObject([{ code: 'wrong_host', network: '10.0.0.2' }])
})

test('an ambiguous request and bytes that are no request are a line', async () => {
  expect((await send(url, '/api/%252e%252e/users', { headers: { 'x-forwarded-for': '10.0.0.3' } })).status).toBe(400)
  expect(securityLines()).toMatchObject([{ code: 'malformed', network: '10.0.0.3' }])
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end('no request\r\n\r\n')
  await once(socket.resume(), 'close')
  expect(securityLines()[1]).toMatchObject({ code: 'malformed', network: '127.0.0.1' })
})

test('a proxy that the settings do not name is a warning for an hour, and a detail of readiness', async () => {
  const clock = createManualClock(Date.now())
  const log = createLogger('gateway', 'info', { write: line => void lines.push(JSON.parse(line)) })
  const unaware = await gateway.startAnother({ trustedProxies: 0 }, { ...gateway.world.ports, log, clock })
  const visit = (headers = {}) => send(unaware, '/readyz', { headers })
  const warnings = () => lines.filter(({ msg }) => msg.includes('TRUSTED_PROXIES is 0'))
  expect([(await visit()).json.late, warnings()]).toEqual([[], []])
  for (let count = 0; count < 3; count += 1)
    await send(unaware, '/api/auth/options', { headers: { 'x-forwarded-for': '10.0.0.4' } })
  expect(warnings()).toHaveLength(1)
  expect((await visit()).json).toMatchObject({
    ready: true,
    late: ['requests carry X-Forwarded-For, but TRUSTED_PROXIES is 0'],
  })
  clock.advance(3_600_000)
  expect((await visit()).json.late).toEqual([])
  await send(url, '/api/auth/options', { headers: { 'x-forwarded-for': '10.0.0.4' } })
  expect(warnings()).toHaveLength(1)
})

test('a caller above the rate limit is a line with the person', async () => {
  const token = gateway.world.token({ id: 'person-1', version: 1 })
  for (let count = 0; count < 5; count += 1)
    await send(url, '/api/users/online', { headers: { cookie: `watchline_access=${token}` } })
  expect(securityLines()).toMatchObject([{ code: 'too_many', person_id: 'person-1' }])
})
