import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { hint } from '@watchline/contracts/notification'
import { type PersonSnapshot, roles } from '@watchline/contracts/people'
import { apiClient, eventually } from '@watchline/testing/harness'
import { openStream, type Stream, type StreamOptions } from '../../src/jobs/live-stream/browser-stream.ts'
import { aComment, type NotificationWorld, startNotifications } from '../_util.ts'
import { type Browser, listen } from './_browser.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

async function start(options: Parameters<typeof startNotifications>[0] = {}) {
  world = await startNotifications(options)
  supervisor = world.person('supervisor')
  trainee = world.person('user', { supervisor_id: supervisor.id })
}
afterEach(async () => {
  await world?.stop()
  world = undefined as unknown as NotificationWorld
})

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${world.urls[0]}/metrics`)).text()
  return Number(new RegExp(`^${line}[^ ]* (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
const openStreams = () => metric('watchline_streams_open')

/** For a stream without a service around it. */
const alone: StreamOptions = {
  bounds: { heartbeatMs: 60_000, lifeMs: 60_000, bufferBytes: 100_000, perPerson: 1 },
  missed: false,
  endsAt: Number.POSITIVE_INFINITY,
  now: () => 0,
  nextId: () => '1',
  said: () => {},
  closed: () => {},
}

describe('a stream', () => {
  beforeEach(() => start({ bounds: { heartbeatMs: 20 } }))

  test('begins with hello and how to come again, is kept by nobody on the way, and shows that it lives', async () => {
    const browser = await world.stream(trainee)
    expect(await browser.next('hello')).toEqual({ type: 'hello', missed: false })
    expect([browser.response.statusCode, browser.retry]).toEqual([200, limits.streamRetryMs])
    expect(browser.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(browser.response.headers['content-encoding']).toBeUndefined()
    await eventually(() => browser.comments > 2)
    expect(browser.types()).toEqual(['hello'])
  })

  test('says what the contract has, each with an id of its own', async () => {
    const browser = await world.stream(supervisor)
    await browser.next('hello')
    await world.tell('comment.added', aComment(trainee))
    await browser.next('notifications')
    await world.tell('presence.changed', { people: [{ person_id: trainee.id, online: true }] })
    await browser.next('presence')
    for (const each of browser.heard) expect(hint.parse(each.hint)).toEqual(each.hint)
    expect(new Set(browser.heard.map(each => each.id)).size).toBe(browser.heard.length)
    expect(await metric('watchline_hints_total{.*type="notifications"')).toBe(1)
  })

  test('is told that it may have missed something when it was connected before', async () => {
    const before = await world.stream(trainee)
    await before.next('hello')
    before.cut()
    const again = await world.stream(trainee, { headers: { 'last-event-id': before.lastId() } })
    expect(await again.next('hello')).toEqual({ type: 'hello', missed: true })
  })

  test('is anybody’s who is signed in, and nobody’s who is not', async () => {
    for (const role of roles) {
      const browser = await world.stream(world.person(role))
      expect((await browser.next('hello')).type).toBe('hello')
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
    expect(await openStreams()).toBe(roles.length)
  })

  test('that its browser leaves is forgotten, when it is cut as when it never got its head', async () => {
    const browsers = await Promise.all(Array.from({ length: 5 }, () => world.stream(trainee)))
    await eventually(async () => (await openStreams()) === 5)
    for (const browser of browsers) browser.cut()
    const { hostname, port } = new URL(world.urls[0]!)
    for (let each = 0; each < 5; each += 1) {
      const socket = connect(Number(port), hostname)
      socket.write(`GET /api/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.token(trainee)}\r\n\r\n`, () =>
        socket.destroy(),
      )
    }
    await eventually(async () => (await openStreams()) === 0)
    const stays = await world.stream(trainee)
    await stays.next('hello')
    expect(await openStreams()).toBe(1)
  })
})

describe('a stream ends', () => {
  test('when its session does, with the word for it; other sessions of the person stay', async () => {
    await start()
    const [ended, stays] = [await world.stream(trainee, { sid: 's1' }), await world.stream(trainee, { sid: 's2' })]
    await Promise.all([ended.next('hello'), stays.next('hello')])
    await world.tell('session.revoked', { sid: 's1', person_id: trainee.id, reason: 'signed_out' })
    expect(await ended.next('session')).toEqual({ type: 'session', what: 'signed_out' })
    await eventually(() => expect(ended.ended).toBe('well'))
    const again = await world.as(trainee, 0, 's1').get('/stream')
    expect([again.status, again.json.code]).toEqual([401, 'no_session'])
    await world.tell('notifications.changed', { recipient_ids: [trainee.id] })
    await stays.next('notifications')
    expect(stays.ended).toBeUndefined()
  })

  test('before it begins when the session ended where it was not heard', async () => {
    await start()
    await world.ports.live.revocations.add('gone', world.clock.now() + 60_000)
    expect((await world.as(trainee, 0, 'gone').get('/stream')).status).toBe(401)
  })

  test('after its time, so that the session is asked again', async () => {
    await start({ bounds: { heartbeatMs: 20, lifeMs: 60_000 } })
    const browser = await world.stream(trainee)
    await eventually(() => browser.comments > 0)
    expect(browser.ended).toBeUndefined()
    world.clock.advance(66_001)
    await eventually(() => expect(browser.ended).toBe('well'))
  })

  test('when the person has too many: the oldest goes', async () => {
    await start({ bounds: { perPerson: 3 } })
    const browsers: Browser[] = []
    for (let each = 0; each < 4; each += 1) browsers.push(await world.stream(trainee))
    const other = await world.stream(supervisor)
    await eventually(() => expect(browsers[0]!.ended).toBe('well'))
    await world.tell('notifications.changed', { recipient_ids: [trainee.id, supervisor.id] })
    for (const browser of [...browsers.slice(1), other]) await browser.next('notifications')
  })

  test('when its reader does not read, and takes no memory of ours meanwhile', async () => {
    let stream: Stream | undefined
    let closed = 0
    let said = 0
    const server = createServer((_req, res) => {
      stream = openStream(res, {
        ...alone,
        said: () => {
          said += 1
        },
        closed: () => {
          closed += 1
        },
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write('GET /api/stream HTTP/1.1\r\nhost: x\r\n\r\n')
    await eventually(() => said === 1)
    // What the network itself takes comes to megabytes.
    await eventually(() => {
      if (closed === 0) stream!.say({ type: 'chat', room_id: `${said}-${'r'.repeat(50_000)}` })
      expect(closed).toBe(1)
    })
    socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })

  test('and leaves nothing behind when its connection is killed', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const answers: WeakRef<ServerResponse>[] = []
    const server = createServer((_req, res) => {
      answers.push(new WeakRef(res))
      openStream(res, alone).say({ type: 'tasks' })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    for (let each = 0; each < 5; each += 1) {
      const browser = await listen(`http://127.0.0.1:${port}`, {})
      await browser.next('hello')
      browser.cut()
    }
    await eventually(() => {
      collect()
      expect(answers.filter(answer => answer.deref())).toEqual([])
    })
    expect(answers).toHaveLength(5)
    await new Promise(resolve => server.close(resolve))
  })

  test('at once when the service stops, which does not wait for it', async () => {
    await start()
    const browsers = await Promise.all([world.stream(trainee), world.stream(supervisor)])
    await Promise.all(browsers.map(browser => browser.next('hello')))
    const stopped = world.running.pop()!.stop()
    await Promise.all(browsers.map(browser => eventually(() => expect(browser.ended).toBe('well'))))
    await stopped
  })
})

describe('a hint', () => {
  beforeEach(() => start())

  test('goes to those it concerns and to nobody else', async () => {
    const manager = world.person('manager')
    const admin = world.person('admin')
    const other = world.person('supervisor')
    supervisor = world.person('supervisor', { manager_id: manager.id })
    trainee = world.person('user', { supervisor_id: supervisor.id })
    const concerned = [supervisor, manager, admin]
    const [open, others] = await Promise.all([
      Promise.all(concerned.map(each => world.stream(each))),
      Promise.all([other, trainee].map(each => world.stream(each))),
    ])
    for (const browser of [...open, ...others]) await browser.next('hello')
    const monitoring = { person_id: trainee.id, sid: 'x', playlist_id: 'p', fence: 1 }
    await world.tell('monitoring.started', { ...monitoring, started_at: new Date().toISOString() })
    for (const browser of open) await browser.next('presence')
    // What comes after it on the same way shows that nothing is still under way.
    await world.tell('notifications.changed', { recipient_ids: [other.id, trainee.id] })
    for (const browser of others) {
      await browser.next('notifications')
      expect(browser.types()).toEqual(['hello', 'notifications'])
    }
  })

  test('of a burst: the first at once, the last in the end, few in between', async () => {
    const browser = await world.stream(trainee)
    await browser.next('hello')
    for (let each = 0; each < 50; each += 1) await world.tell('notifications.changed', { recipient_ids: [trainee.id] })
    await browser.next('notifications')
    await browser.next('notifications')
    expect(browser.heard.length).toBeLessThan(25)
  })

  test('that the session was taken over comes to that one alone', async () => {
    const [from, to] = [await world.stream(trainee, { sid: 'from' }), await world.stream(trainee, { sid: 'to' })]
    await Promise.all([from.next('hello'), to.next('hello')])
    const stopped_at = new Date().toISOString()
    const monitoring = { person_id: trainee.id, sid: 'from', playlist_id: 'p', fence: 1 }
    await world.tell('monitoring.stopped', { ...monitoring, stopped_at, reason: 'taken_over' })
    expect(await from.next('session')).toEqual({ type: 'session', what: 'taken_over' })
    await world.tell('notifications.changed', { recipient_ids: [trainee.id] })
    await to.next('notifications')
    expect(to.types()).toEqual(['hello', 'notifications'])
    expect(from.ended).toBeUndefined()
  })

  test('follows a trainee to the next supervisor, whom it tells, as it does the one before', async () => {
    const next = world.person('supervisor')
    const [before, after, own] = await Promise.all([supervisor, next, trainee].map(each => world.stream(each)))
    for (const browser of [before, after, own]) await browser!.next('hello')
    await world.move(trainee, next.id)
    await own!.next('profile')
    for (const browser of [before, after]) {
      await browser!.next('presence')
      await browser!.next('tasks')
      // Once more, when every service has it.
      await browser!.next('presence')
    }
    await world.tell('presence.changed', { people: [{ person_id: trainee.id, online: true }] })
    await after!.next('presence')
    await world.tell('notifications.changed', { recipient_ids: [supervisor.id] })
    await before!.next('notifications')
    expect(before!.types().filter(each => each === 'presence')).toHaveLength(2)
  })

  test('for a role goes to those who have it now', async () => {
    const browser = await world.stream(trainee)
    await browser.next('hello')
    const person = { ...trainee, role: 'director' as const, supervisor_id: null, version: 2 }
    await world.tell('user.role_changed', { person, by: null, previous_role: 'user' })
    await browser.next('profile')
    await world.tell('presence.changed', { people: [{ person_id: supervisor.id, online: true }] })
    await browser.next('presence')
  })

  test('is not made of an event that no schema accepts, and the next one is', async () => {
    const browser = await world.stream(trainee)
    await browser.next('hello')
    await world.tell('notifications.changed', { recipient_ids: [] })
    await world.tell('notifications.changed', { recipient_ids: [trainee.id] })
    await browser.next('notifications')
    expect(browser.types()).toEqual(['hello', 'notifications'])
  })
})
