import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { hint } from '@watchline/contracts/notification'
import { type PersonSnapshot, roles } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { type BrowserStream, openBrowserStream, type StreamOptions } from '../../src/jobs/live-stream/browser-stream.ts'
import { makeComment, type NotificationWorld, startNotifications } from '../_util.ts'
import { openTestBrowser, type TestBrowser } from './_browser.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

async function start(options: Parameters<typeof startNotifications>[0] = {}) {
  world = await startNotifications(options)
  supervisor = world.addPerson('supervisor')
  trainee = world.addPerson('user', { supervisor_id: supervisor.id })
}
afterEach(async () => {
  await world?.stop()
  world = undefined as unknown as NotificationWorld
})

async function readMetric(line: string): Promise<number> {
  const text = await (await fetch(`${world.urls[0]}/metrics`)).text()
  return Number(new RegExp(`^${line}[^ ]* (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
const countOpenStreams = () => readMetric('watchline_streams_open')

/** Options of a stream without a service. */
const standalone: StreamOptions = {
  bounds: { heartbeatMs: 60_000, lifeMs: 60_000, bufferBytes: 100_000, perPerson: 1 },
  missed: false,
  endsAt: Number.POSITIVE_INFINITY,
  now: () => 0,
  nextId: () => '1',
  onSent: () => {},
  onClosed: () => {},
}

describe('a stream', () => {
  beforeEach(() => start({ bounds: { heartbeatMs: 20 } }))

  test('begins with hello and the retry time, forbids caching, and sends heartbeats', async () => {
    const browser = await world.openStream(trainee)
    expect(await browser.nextHint('hello')).toEqual({ type: 'hello', missed: false })
    expect([browser.response.statusCode, browser.retry]).toEqual([200, limits.streamRetryMs])
    expect(browser.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(browser.response.headers['content-encoding']).toBeUndefined()
    await eventually(() => browser.heartbeats > 2)
    expect(browser.hintTypes()).toEqual(['hello'])
  })

  test('sends hints of the contract, each with an id of its own', async () => {
    const browser = await world.openStream(supervisor)
    await browser.nextHint('hello')
    await world.publish('comment.added', makeComment(trainee))
    await browser.nextHint('notifications')
    await world.publish('presence.changed', { people: [{ person_id: trainee.id, online: true }] })
    await browser.nextHint('presence')
    for (const received of browser.received) expect(hint.parse(received.hint)).toEqual(received.hint)
    expect(new Set(browser.received.map(({ id }) => id)).size).toBe(browser.received.length)
    expect(await readMetric('watchline_hints_total{.*type="notifications"')).toBe(1)
  })

  test('reports after a reconnect that hints may have been missed', async () => {
    const before = await world.openStream(trainee)
    await before.nextHint('hello')
    before.disconnect()
    const reconnected = await world.openStream(trainee, { headers: { 'last-event-id': before.lastId() } })
    expect(await reconnected.nextHint('hello')).toEqual({ type: 'hello', missed: true })
  })

  test('needs a valid session, of any role', async () => {
    for (const role of roles) {
      const browser = await world.openStream(world.addPerson(role))
      expect((await browser.nextHint('hello')).type).toBe('hello')
    }
    const expired = world.signer.sign({ sub: trainee.id, sid: 's', ver: 1, authTimeMs: 0 }, 0, 600)
    for (const [token, code] of [
      [undefined, 'no_session'],
      ['forged', 'no_session'],
      [expired, 'token_expired'],
    ]) {
      const refused = await apiClient(world.urls[0]!, token).get('/stream')
      expect([refused.status, refused.json.code]).toEqual([401, code])
    }
    const head = await apiClient(world.urls[0]!, world.token(trainee)).call('HEAD', '/stream')
    expect(head.status).toBe(200)
    expect(await countOpenStreams()).toBe(roles.length)
  })

  test('is released when its browser disconnects, before or after the response head', async () => {
    const browsers = await Promise.all(Array.from({ length: 5 }, () => world.openStream(trainee)))
    await eventually(async () => (await countOpenStreams()) === 5)
    for (const browser of browsers) browser.disconnect()
    const { hostname, port } = new URL(world.urls[0]!)
    for (let count = 0; count < 5; count += 1) {
      const socket = connect(Number(port), hostname)
      socket.write(`GET /api/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.token(trainee)}\r\n\r\n`, () =>
        socket.destroy(),
      )
    }
    await eventually(async () => (await countOpenStreams()) === 0)
    const remaining = await world.openStream(trainee)
    await remaining.nextHint('hello')
    // The server may read the requests of the sockets only now.
    await eventually(async () => (await countOpenStreams()) === 1)
  })
})

describe('a stream ends', () => {
  test('with its session, after a session hint; other sessions of the person stay', async () => {
    await start()
    const [ended, open] = [
      await world.openStream(trainee, { sid: 's1' }),
      await world.openStream(trainee, { sid: 's2' }),
    ]
    await Promise.all([ended.nextHint('hello'), open.nextHint('hello')])
    await world.publish('session.revoked', { sid: 's1', person_id: trainee.id, reason: 'signed_out' })
    expect(await ended.nextHint('session')).toEqual({ type: 'session', what: 'signed_out' })
    await eventually(() => expect(ended.ending).toBe('complete'))
    const response = await world.callAs(trainee, 0, 's1').get('/stream')
    expect([response.status, response.json.code]).toEqual([401, 'no_session'])
    await world.publish('notifications.changed', { recipient_ids: [trainee.id] })
    await open.nextHint('notifications')
    expect(open.ending).toBeUndefined()
  })

  test('at once when another replica has revoked the session', async () => {
    await start()
    await world.ports.live.revocations.add('gone', world.clock.now() + 60_000)
    expect((await world.callAs(trainee, 0, 'gone').get('/stream')).status).toBe(401)
  })

  test('after its lifetime', async () => {
    await start({ bounds: { heartbeatMs: 20, lifeMs: 60_000 } })
    const browser = await world.openStream(trainee)
    await eventually(() => browser.heartbeats > 0)
    expect(browser.ending).toBeUndefined()
    world.clock.advance(66_001)
    await eventually(() => expect(browser.ending).toBe('complete'))
  })

  test('when it is the oldest of too many streams of a person', async () => {
    await start({ bounds: { perPerson: 3 } })
    const browsers: TestBrowser[] = []
    for (let count = 0; count < 4; count += 1) browsers.push(await world.openStream(trainee))
    const browserOfAnother = await world.openStream(supervisor)
    await eventually(() => expect(browsers[0]!.ending).toBe('complete'))
    await world.publish('notifications.changed', { recipient_ids: [trainee.id, supervisor.id] })
    for (const browser of [...browsers.slice(1), browserOfAnother]) await browser.nextHint('notifications')
  })

  test('when its reader does not read, because its buffer is bounded', async () => {
    let stream: BrowserStream | undefined
    let closedCount = 0
    let sentCount = 0
    const server = createServer((_req, res) => {
      stream = openBrowserStream(res, {
        ...standalone,
        onSent: () => {
          sentCount += 1
        },
        onClosed: () => {
          closedCount += 1
        },
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write('GET /api/stream HTTP/1.1\r\nhost: x\r\n\r\n')
    await eventually(() => sentCount === 1)
    // The network's own buffers hold megabytes.
    await eventually(() => {
      if (closedCount === 0) stream!.send({ type: 'chat', room_id: `${sentCount}-${'r'.repeat(50_000)}` })
      expect(closedCount).toBe(1)
    })
    socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })

  test('and frees its memory when its connection is killed', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const responses: WeakRef<ServerResponse>[] = []
    const server = createServer((_req, res) => {
      responses.push(new WeakRef(res))
      openBrowserStream(res, standalone).send({ type: 'tasks' })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    for (let count = 0; count < 5; count += 1) {
      const browser = await openTestBrowser(`http://127.0.0.1:${port}`, {})
      await browser.nextHint('hello')
      browser.disconnect()
    }
    await eventually(() => {
      collectGarbage()
      expect(responses.filter(response => response.deref())).toEqual([])
    })
    expect(responses).toHaveLength(5)
    await new Promise(resolve => server.close(resolve))
  })

  test('at once when the service stops', async () => {
    await start()
    const browsers = await Promise.all([world.openStream(trainee), world.openStream(supervisor)])
    await Promise.all(browsers.map(browser => browser.nextHint('hello')))
    const stopped = world.running.pop()!.stop()
    await Promise.all(browsers.map(browser => eventually(() => expect(browser.ending).toBe('complete'))))
    await stopped
  })
})

describe('a hint', () => {
  beforeEach(() => start())

  test('goes to its audience and to nobody else', async () => {
    const manager = world.addPerson('manager')
    const admin = world.addPerson('admin')
    const outsider = world.addPerson('supervisor')
    supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const [audience, outsiders] = await Promise.all([
      Promise.all([supervisor, manager, admin].map(person => world.openStream(person))),
      Promise.all([outsider, trainee].map(person => world.openStream(person))),
    ])
    for (const browser of [...audience, ...outsiders]) await browser.nextHint('hello')
    const monitoring = { person_id: trainee.id, sid: 'x', playlist_id: 'p', fence: 1 }
    await world.publish('monitoring.started', { ...monitoring, started_at: new Date().toISOString() })
    for (const browser of audience) await browser.nextHint('presence')
    // A later event on the same bus shows that no hint of the first is still on its way.
    await world.publish('notifications.changed', { recipient_ids: [outsider.id, trainee.id] })
    for (const browser of outsiders) {
      await browser.nextHint('notifications')
      expect(browser.hintTypes()).toEqual(['hello', 'notifications'])
    }
  })

  test('of a burst: the first and the last, with the spacing between them', async () => {
    const browser = await world.openStream(trainee)
    await browser.nextHint('hello')
    const startMs = performance.now()
    for (let count = 0; count < 50; count += 1)
      await world.publish('notifications.changed', { recipient_ids: [trainee.id] })
    await browser.nextHint('notifications')
    await browser.nextHint('notifications')
    // Each spacing allows one hint, besides the first one. A timer may fire 1 ms early.
    const spacings = (performance.now() - startMs) / (limits.hintSpacingMs - 1)
    const hints = browser.hintTypes().filter(type => type === 'notifications')
    expect(hints.length).toBeLessThanOrEqual(1 + Math.floor(spacings))
  })

  test('of a takeover goes only to the session that lost the lock', async () => {
    const [loser, winner] = [
      await world.openStream(trainee, { sid: 'from' }),
      await world.openStream(trainee, { sid: 'to' }),
    ]
    await Promise.all([loser.nextHint('hello'), winner.nextHint('hello')])
    const stopped_at = new Date().toISOString()
    const monitoring = { person_id: trainee.id, sid: 'from', playlist_id: 'p', fence: 1 }
    await world.publish('monitoring.stopped', { ...monitoring, stopped_at, reason: 'taken_over' })
    expect(await loser.nextHint('session')).toEqual({ type: 'session', what: 'taken_over' })
    await world.publish('notifications.changed', { recipient_ids: [trainee.id] })
    await winner.nextHint('notifications')
    expect(winner.hintTypes()).toEqual(['hello', 'notifications'])
    expect(loser.ending).toBeUndefined()
  })

  test('about a moved trainee goes to both supervisors; later hints go only to the new one', async () => {
    const newSupervisor = world.addPerson('supervisor')
    const [before, after, own] = await Promise.all(
      [supervisor, newSupervisor, trainee].map(person => world.openStream(person)),
    )
    for (const browser of [before, after, own]) await browser!.nextHint('hello')
    await world.changeSupervisor(trainee, newSupervisor.id)
    await own!.nextHint('profile')
    for (const browser of [before, after]) {
      await browser!.nextHint('presence')
      await browser!.nextHint('tasks')
      // The hint is repeated after every service has applied the event.
      await browser!.nextHint('presence')
    }
    await world.publish('presence.changed', { people: [{ person_id: trainee.id, online: true }] })
    await after!.nextHint('presence')
    await world.publish('notifications.changed', { recipient_ids: [supervisor.id] })
    await before!.nextHint('notifications')
    expect(before!.hintTypes().filter(type => type === 'presence')).toHaveLength(2)
  })

  test('for a role goes to the people who have the role now', async () => {
    const browser = await world.openStream(trainee)
    await browser.nextHint('hello')
    const person = { ...trainee, role: 'director' as const, supervisor_id: null, version: 2 }
    await world.publish('user.role_changed', { person, by: null, previous_role: 'user' })
    await browser.nextHint('profile')
    await world.publish('presence.changed', { people: [{ person_id: supervisor.id, online: true }] })
    await browser.nextHint('presence')
  })

  test('is not sent for an invalid event, and is sent for the next one', async () => {
    const browser = await world.openStream(trainee)
    await browser.nextHint('hello')
    await world.publish('notifications.changed', { recipient_ids: [] })
    await world.publish('notifications.changed', { recipient_ids: [trainee.id] })
    await browser.nextHint('notifications')
    expect(browser.hintTypes()).toEqual(['hello', 'notifications'])
  })
})
