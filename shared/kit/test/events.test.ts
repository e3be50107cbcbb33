import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import { LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { defineBatchConsumer, defineConsumer } from '@watchline/kit/messaging/consumer'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import type { Service } from '@watchline/kit/process/service-host'
import { openMongoGate } from '@watchline/testing/faults'
import {
  createTestWorld,
  eventually,
  makePersonSnapshot,
  type TestWorld,
  type TestWorldOptions,
} from '@watchline/testing/harness'
import { startTestService, type TestContext } from './_service.ts'

const fixture: { world?: TestWorld; services: Service[] } = { services: [] }

async function openWorld(options?: TestWorldOptions) {
  fixture.world = await createTestWorld(options)
  return fixture.world
}
async function start(...args: Parameters<typeof startTestService>) {
  const started = await startTestService(...args)
  fixture.services.push(started.service)
  return started
}
async function stop(service: Service) {
  fixture.services = fixture.services.filter(running => running !== service)
  await service.stop()
}

afterEach(async () => {
  for (const service of fixture.services.splice(0).reverse()) await service.stop()
  await fixture.world?.close()
  fixture.world = undefined
})

function makeCreatedEvent(person: PersonSnapshot): DomainEvent<'user.created'> {
  return {
    specversion: '1.0',
    id: newId(),
    source: 'auth',
    type: 'user.created',
    subject: person.id,
    time: new Date().toISOString(),
    data: { person, by: null },
  }
}

test('events with the same partition key are consumed one after the other, other events meanwhile', async () => {
  const world = await openWorld()
  let attempts = 0
  const consumer = defineConsumer<'session.revoked', TestContext>(
    'session.revoked',
    async ({ event, tx }, { host }) => {
      attempts += 1
      const counts = host.connection.collection<{ _id: string; times: number }>('counts')
      await counts.updateOne({ _id: event.data.person_id }, { $inc: { times: 1 } }, { session: tx.session })
    },
    { partitionKey: event => event.data.person_id },
  )
  await start(world, { consumers: [consumer] })
  const counts = world.database('playback-session').collection<{ _id: string; times: number }>('counts')
  await counts.insertMany(['p0', 'p1', 'p2'].map(_id => ({ _id, times: 0 })))
  const revocations = Array.from({ length: 60 }, (_, index): DomainEvent<'session.revoked'> => {
    const sid = newId()
    const data = { sid, person_id: `p${index % 3}`, reason: 'signed_out' as const }
    const time = new Date().toISOString()
    return { specversion: '1.0', id: newId(), source: 'auth', type: 'session.revoked', subject: sid, time, data }
  })
  await Promise.all(revocations.map(event => world.ports.bus.publish(event)))
  await eventually(async () => {
    const stored = await counts.find().sort({ _id: 1 }).toArray()
    expect(stored.map(count => count.times)).toEqual([20, 20, 20])
  })
  // No transaction had to be repeated because of a write conflict.
  expect(attempts).toBe(60)
})

describe('waiting events with the same partition key', () => {
  const effectsOf = (host: TestContext['host']) => host.connection.collection<{ _id: string }>('effects')
  const makeRevokedEvent = (sid: string): DomainEvent<'session.revoked'> => {
    const data = { sid, person_id: 'p1', reason: 'signed_out' as const }
    const time = new Date().toISOString()
    return { specversion: '1.0', id: newId(), source: 'auth', type: 'session.revoked', subject: sid, time, data }
  }
  const partitionKey = (event: DomainEvent<'session.revoked'>) => event.data.person_id
  const createBus = () => createInProcessBus({ consumersOf: () => ['playback-session'], retryDelaysMs: [] })

  test('share one transaction in a batch consumer; repeated and failing events do not affect the others', async () => {
    const world = await openWorld()
    const bus = createBus()
    let transactions = 0
    const consumed: string[] = []
    const blocked = Promise.withResolvers<void>()
    const consumer = defineBatchConsumer<'session.revoked', TestContext>(
      'session.revoked',
      async ({ events, tx }, { host }) => {
        const sids = events.map(event => event.data.sid)
        if (sids.includes('first')) await blocked.promise
        if (sids.includes('failing')) throw new Error('of this event')
        await effectsOf(host).insertMany(
          sids.map(_id => ({ _id })),
          { session: tx.session },
        )
        tx.afterCommit(() => {
          transactions += 1
          consumed.push(...sids)
        })
      },
      { partitionKey },
    )
    try {
      await start(world, { consumers: [consumer], ports: { bus } })
      const repeated = makeRevokedEvent('repeated')
      await bus.publish(repeated)
      const batch = Array.from({ length: 20 }, (_, index) => makeRevokedEvent(`e${index}`))
      const published = [bus.publish(makeRevokedEvent('first')), ...batch.map(event => bus.publish(event))]
      blocked.resolve()
      await Promise.all(published)
      expect(consumed).toEqual(['repeated', 'first', ...batch.map(event => event.data.sid)])
      // The first two events had a transaction of their own.
      expect(transactions).toBe(3)

      const failing = makeRevokedEvent('failing')
      const mixed = [
        makeRevokedEvent('d'),
        makeRevokedEvent('a'),
        repeated,
        makeRevokedEvent('b'),
        failing,
        makeRevokedEvent('c'),
      ]
      await Promise.all(mixed.map(event => bus.publish(event)))
      expect(consumed.slice(22)).toEqual(['d', 'a', 'b', 'c'])
      expect((await bus.deadLetters('playback-session')).map(letter => letter.event)).toEqual([failing])
    } finally {
      await bus.close()
    }
  })

  test('share one transaction even if their types differ, and arrive in order', async () => {
    const world = await openWorld()
    const bus = createBus()
    const blocked = Promise.withResolvers<void>()
    const sessions = new Set<unknown>()
    const consumed: string[] = []
    const record = async (events: readonly DomainEvent[], tx: Transaction) => {
      const ids = events.map(({ id }) => id)
      if (ids.includes('first')) await blocked.promise
      tx.afterCommit(() => {
        sessions.add(tx.session)
        consumed.push(...ids)
      })
    }
    const ofRevoked = defineBatchConsumer<'session.revoked', TestContext>(
      'session.revoked',
      ({ events, tx }) => record(events, tx),
      { partitionKey },
    )
    const ofStarted = defineBatchConsumer<'session.started', TestContext>(
      'session.started',
      ({ events, tx }) => record(events, tx),
      { partitionKey: event => event.data.person_id },
    )
    const makeStartedEvent = (sid: string): DomainEvent<'session.started'> => {
      const time = new Date().toISOString()
      const data = { sid, person_id: 'p1', started_at: time }
      return { specversion: '1.0', id: newId(), source: 'auth', type: 'session.started', subject: sid, time, data }
    }
    const later = ['a', 'b', 'c'].flatMap(sid => [
      { ...makeStartedEvent(sid), id: `${sid} started` },
      { ...makeRevokedEvent(sid), id: `${sid} revoked` },
      { ...makeRevokedEvent(sid), id: `${sid} revoked again` },
    ])
    const events = [{ ...makeRevokedEvent('first'), id: 'first' }, ...later]
    try {
      await start(world, { consumers: [ofRevoked, ofStarted], ports: { bus } })
      const published = events.map(event => bus.publish(event))
      blocked.resolve()
      await Promise.all(published)
      expect(consumed).toEqual(events.map(({ id }) => id))
      // The first event had a transaction of its own.
      expect(sessions.size).toBe(2)
    } finally {
      await bus.close()
    }
  })

  test('have one transaction each in a plain consumer, so a write outside it never waits for an earlier one', async () => {
    const world = await openWorld()
    const bus = createBus()
    const blocked = Promise.withResolvers<void>()
    const consumer = defineConsumer<'session.revoked', TestContext>(
      'session.revoked',
      async ({ event, tx }, { host }) => {
        const { sid } = event.data
        if (sid === 'first') return blocked.promise
        const options = { upsert: true, ...(sid === 'within' && { session: tx.session }) }
        await effectsOf(host).updateOne({ _id: 'same' }, { $set: { sid } }, options)
      },
      { partitionKey },
    )
    try {
      await start(world, { consumers: [consumer], ports: { bus } })
      const published = ['first', 'within', 'beside'].map(sid => bus.publish(makeRevokedEvent(sid)))
      blocked.resolve()
      await Promise.all(published)
      const effects = world.database('playback-session').collection<{ _id: string }>('effects')
      expect(await effects.find().toArray()).toEqual([{ _id: 'same', sid: 'beside' }])
    } finally {
      await bus.close()
    }
  })
})

test('an event that arrives while the database is unavailable waits, and no attempt is counted', async () => {
  const world = await openWorld()
  const gate = await openMongoGate(world.config.mongoUrl)
  // Without retries the first failed attempt would create a dead letter.
  const bus = createInProcessBus({ consumersOf: () => ['playback-session'], retryDelaysMs: [] })
  const lines: string[] = []
  const log = createLogger('test', 'info', { write: line => void lines.push(line) })
  const seen: string[] = []
  const consumer = defineConsumer<'user.created', TestContext>('user.created', async ({ event }) => {
    seen.push(event.id)
  })
  try {
    const config = { ...world.config, mongoUrl: gate.mongoUrl }
    await start({ ...world, config }, { consumers: [consumer], ports: { bus, log } })
    gate.shut()
    const event = makeCreatedEvent(makePersonSnapshot())
    const published = bus.publish(event)
    await eventually(() =>
      expect(lines.join('')).toContain('event not consumed, a store or service is unavailable, retrying'),
    )
    expect([seen, await bus.deadLetters('playback-session')]).toEqual([[], []])
    gate.open()
    await published
    expect([seen, await bus.deadLetters('playback-session')]).toEqual([[event.id], []])
  } finally {
    await bus.close()
    await gate.close()
  }
})

test.each([
  ['the live store', new LiveStoreUnavailable('away')],
  ['another service', new ServiceError('unavailable')],
])('an event that needs %s waits while that is unavailable, and no attempt is counted', async (_name, error) => {
  const world = await openWorld()
  const bus = createInProcessBus({ consumersOf: () => ['playback-session'], retryDelaysMs: [] })
  let attempts = 0
  const consumer = defineConsumer<'user.created', TestContext>('user.created', async () => {
    attempts += 1
    if (attempts < 3) throw error
  })
  try {
    await start(world, { consumers: [consumer], ports: { bus } })
    await bus.publish(makeCreatedEvent(makePersonSnapshot()))
    expect([attempts, await bus.deadLetters('playback-session')]).toEqual([3, []])
  } finally {
    await bus.close()
  }
})

describe.each(['in-process', 'rabbitmq'] as const)('events over the %s bus', bus => {
  test('an event is published after its transaction commits, never after a rollback', async () => {
    const world = await openWorld({ bus })
    const seen: string[] = []
    const consumer = defineConsumer<'session.revoked', TestContext>('session.revoked', async ({ event }) => {
      seen.push(event.data.sid)
    })
    const { host } = await start(world, { name: 'auth', consumers: [consumer] })
    const things = world.database('auth').collection<{ _id: string }>('things')
    const write = (sid: string, fails: boolean) =>
      host.outbox.transaction(async tx => {
        await host.connection.collection<{ _id: string }>('things').insertOne({ _id: sid }, { session: tx.session })
        tx.publish('session.revoked', sid, { sid, person_id: 'p1', reason: 'signed_out' })
        if (fails) throw new Error('changed my mind')
      })
    await expect(write('rolled-back', true)).rejects.toThrow('changed my mind')
    await write('kept', false)
    await eventually(() => seen.includes('kept'))
    expect(seen).toEqual(['kept'])
    expect((await things.find().toArray()).map(thing => thing._id)).toEqual(['kept'])
    await eventually(async () => (await host.outbox.backlog()).count === 0)
  })

  test('after a kill between commit and publication, a restart publishes the event, with one effect', async () => {
    const world = await openWorld({ bus })
    const dying = await start(world, {
      name: 'auth',
      // The process ends before it publishes the committed event.
      ports: { beforePublish: () => Promise.reject(new Error('killed here')) },
    })
    const person = makePersonSnapshot()
    await dying.host.outbox.transaction(async tx => tx.publish('user.created', person.id, { person, by: null }))
    await eventually(async () => (await dying.host.outbox.backlog()).count === 1)
    await stop(dying.service)

    const effects: string[] = []
    const revived = await start(world, {
      name: 'auth',
      consumers: [defineConsumer('user.created', async ({ event }) => void effects.push(event.id))],
    })
    await eventually(async () => (await revived.people.get(person.id)) !== undefined)
    await eventually(async () => (await revived.host.outbox.backlog()).count === 0)
    expect(effects).toHaveLength(1)
  })

  test('a repeated event has one effect, even if two replicas get it at the same time', async () => {
    const world = await openWorld({ bus })
    const consumer = defineConsumer<'user.created', TestContext>('user.created', async ({ tx }, ctx) => {
      await ctx.host.connection
        .collection<{ _id: string; n: number }>('counts')
        .updateOne({ _id: 'effects' }, { $inc: { n: 1 } }, { upsert: true, session: tx.session })
    })
    await start(world, { consumers: [consumer] })
    if (bus === 'rabbitmq') await start(world, { consumers: [consumer], ports: await world.otherPorts() })
    const event = makeCreatedEvent(makePersonSnapshot())
    await Promise.all([world.ports.bus.publish(event), world.ports.bus.publish(event), world.ports.bus.publish(event)])
    await world.ports.bus.publish(makeCreatedEvent(makePersonSnapshot()))
    const counts = world.database('playback-session').collection<{ _id: string; n: number }>('counts')
    await eventually(async () => expect((await counts.findOne({ _id: 'effects' }))?.n).toBe(2))
  })

  test('an event whose source is not the producer of its type becomes a dead letter and has no effect', async () => {
    const world = await openWorld({ bus })
    const { people, host } = await start(world)
    const person = makePersonSnapshot({ role: 'director', version: 2 ** 40 })
    const forged = { ...makeCreatedEvent(person), source: 'chat' }
    await world.ports.bus.publish(forged)
    const [letter] = await eventually(async () => {
      const letters = await world.ports.bus.deadLetters('playback-session')
      expect(letters).toHaveLength(1)
      return letters
    })
    expect(letter).toMatchObject({
      id: forged.id,
      reason: 'PoisonError: user.created came from chat, but only auth publishes it',
    })
    expect(await people.get(person.id)).toBeUndefined()
    expect(await host.metrics.registry.metrics()).toMatch(
      /watchline_events_total{.*type="user.created",outcome="refused".*} 1/,
    )
  })

  test('a failing handler is called again; an event that fits no schema becomes a dead letter at once', async () => {
    const world = await openWorld({ bus })
    let attempts = 0
    const consumer = defineConsumer<'user.created', TestContext>('user.created', async () => {
      attempts += 1
      if (attempts === 1) throw new Error('not yet')
    })
    const { people } = await start(world, { consumers: [consumer] })
    const person = makePersonSnapshot()
    await world.ports.bus.publish(makeCreatedEvent(person))
    await eventually(async () => (await people.get(person.id)) !== undefined)
    expect(attempts).toBe(2)

    const poison = { ...makeCreatedEvent(makePersonSnapshot()), data: { person: { id: { $ne: '' } } } }
    await world.ports.bus.publish(poison as unknown as DomainEvent)
    const dead = await eventually(async () => {
      const letters = await world.ports.bus.deadLetters('playback-session')
      expect(letters).toHaveLength(1)
      return letters
    })
    expect(dead[0]!.event).toMatchObject({ id: poison.id })
    expect(attempts).toBe(2)
  })
})

describe('the people projection', () => {
  test('an older version never replaces a newer one', async () => {
    const world = await openWorld()
    const { people } = await start(world)
    const person = makePersonSnapshot({ name: 'First' })
    await people.apply({ ...person, name: 'Third', version: 3 })
    await people.apply({ ...person, name: 'Second', version: 2 })
    expect(await people.get(person.id)).toMatchObject({ name: 'Third', version: 3 })
  })

  test('people of one import appear together; repeated and late events change nothing', async () => {
    const world = await openWorld()
    const { people } = await start(world)
    const replica = await start(world)
    const [trainee1, trainee2, trainee3] = [
      makePersonSnapshot({ name: 'Trainee One' }),
      makePersonSnapshot({ name: 'Trainee Two' }),
      makePersonSnapshot({ name: 'Trainee Three' }),
    ]
    const event: DomainEvent<'users.imported'> = {
      ...makeCreatedEvent(trainee1),
      type: 'users.imported',
      data: { import_id: 'i1', by: null, people: [trainee1, trainee2, trainee3] },
    }
    // One person is not found before the import; another has a newer version already.
    expect(await people.get(trainee2.id)).toBeUndefined()
    await people.apply({ ...trainee3, name: 'Trainee Three Later', version: 2 })
    await world.ports.bus.publish(event)
    await world.ports.bus.publish(event)
    await world.ports.bus.publish({ ...event, id: newId() })
    expect(await people.get(trainee1.id)).toMatchObject({ name: 'Trainee One', version: 1 })
    expect(await people.get(trainee2.id)).toMatchObject({ name: 'Trainee Two', version: 1 })
    expect(await people.get(trainee3.id)).toMatchObject({ name: 'Trainee Three Later', version: 2 })
    expect(await people.count()).toBe(3)
    // The other replica receives the import, too.
    await eventually(async () => expect(await replica.people.get(trainee2.id)).toMatchObject({ name: 'Trainee Two' }))
  })

  test('a deleted person is gone for every replica, and no late event brings them back', async () => {
    const world = await openWorld()
    const { people } = await start(world)
    const replica = await start(world)
    const [deleted, kept] = [makePersonSnapshot(), makePersonSnapshot()]
    await people.applyAll([deleted, kept])
    await eventually(async () => expect(await replica.people.get(deleted.id)).toBeDefined())
    const event: DomainEvent<'user.deleted'> = {
      ...makeCreatedEvent(deleted),
      type: 'user.deleted',
      data: { person_id: deleted.id, by: null, previous_supervisor_id: null, previous_manager_id: null },
    }
    await world.ports.bus.publish(event)
    await world.ports.bus.publish({ ...event, id: newId() })
    await eventually(async () => expect(await replica.people.get(deleted.id)).toBeUndefined())
    await world.ports.bus.publish(makeCreatedEvent({ ...deleted, version: 7 }))
    await people.apply({ ...deleted, version: 8 })
    for (const projection of [people, replica.people]) {
      expect(await projection.get(deleted.id)).toBeUndefined()
      expect(await projection.byIds([deleted.id, kept.id])).toMatchObject([{ id: kept.id }])
    }
    expect(await people.count()).toBe(1)
    expect(await people.countOf('user')).toBe(1)
    // Also of a person whom this service has never known.
    await world.ports.bus.publish({ ...event, id: newId(), data: { ...event.data, person_id: 'unknown' } })
    expect(await people.count()).toBe(1)
  })

  test('a replica that caches people sees a change that another replica made', async () => {
    const world = await openWorld()
    const auth = await startFakeAuth([])
    const writer = await start(world, { authUrl: auth.url })
    const reader = await start(world, { authUrl: auth.url, ports: await world.otherPorts() })
    const person = makePersonSnapshot()
    await writer.people.apply(person)
    await eventually(async () => expect(await reader.people.get(person.id)).toMatchObject({ role: 'user' }))
    for (let version = 2; version < 6; version += 1) {
      await writer.people.apply({ ...person, name: `Name ${version}`, version })
      await eventually(async () => expect(await reader.people.get(person.id)).toMatchObject({ version }))
    }
    auth.close()
  })

  test('an empty projection is filled from auth, page by page', async () => {
    const world = await openWorld()
    const everybody = Array.from({ length: 1_203 }, () => makePersonSnapshot())
    const auth = await startFakeAuth(everybody)
    const { people } = await start(world, { authUrl: auth.url })
    expect(await people.count()).toBe(1_203)
    auth.close()
  })

  test('a missing person, or one older than the version in the token, is fetched once', async () => {
    const world = await openWorld()
    const person = makePersonSnapshot()
    const auth = await startFakeAuth([person])
    const { people } = await start(world, { authUrl: auth.url })
    const late = makePersonSnapshot()
    auth.add(late)
    const fetchCalls = jest.spyOn(globalThis, 'fetch')
    expect(await people.find(late.id, 1)).toMatchObject({ id: late.id })
    expect(await people.find(late.id, 1)).toMatchObject({ id: late.id })
    auth.add({ ...person, role: 'manager', version: 2 })
    expect(await people.find(person.id, 2)).toMatchObject({ role: 'manager' })
    expect(fetchCalls).toHaveBeenCalledTimes(2)
    fetchCalls.mockRestore()
    expect(await people.find('nobody', 1)).toBeUndefined()
    auth.close()
  })
})

test('log lines are JSON and name the service', () => {
  const lines: string[] = []
  createLogger('chat', 'info', { write: line => void lines.push(line) }).info({ port: 1 }, 'ready')
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', service: 'chat', port: 1, msg: 'ready' })
})

function isFromPlaybackSession({ headers }: IncomingMessage): boolean {
  const header = (name: string) => headers[name] as string | undefined
  return fixture.world!.credentialsOf('auth').identify(header) === 'playback-session'
}

/** A stand-in for auth with the two internal operations that the projection calls. */
async function startFakeAuth(people: PersonSnapshot[]) {
  const peopleById = new Map(people.map(person => [person.id, person]))
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://auth')
    const id = url.pathname.split('/')[3]
    if (!isFromPlaybackSession(req)) res.writeHead(404).end()
    else if (id) peopleById.has(id) ? res.end(JSON.stringify(peopleById.get(id))) : res.writeHead(404).end()
    else {
      const after = url.searchParams.get('after') ?? ''
      const page = [...peopleById.values()].filter(person => person.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
      res.end(JSON.stringify(page.slice(0, Number(url.searchParams.get('limit')))))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (person: PersonSnapshot) => peopleById.set(person.id, person),
    close: () => server.close(),
  }
}
