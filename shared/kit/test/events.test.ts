import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import { LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { defineBatchConsumer, defineConsumer } from '@watchline/kit/messaging/consumer'
import { createInProcessBus } from '@watchline/kit/messaging/in-process-bus'
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

const open: { world?: TestWorld; services: Service[] } = { services: [] }

async function newWorld(options?: TestWorldOptions) {
  open.world = await createTestWorld(options)
  return open.world
}
async function start(...args: Parameters<typeof startTestService>) {
  const started = await startTestService(...args)
  open.services.push(started.service)
  return started
}
async function stop(service: Service) {
  open.services = open.services.filter(each => each !== service)
  await service.stop()
}

afterEach(async () => {
  for (const service of open.services.splice(0).reverse()) await service.stop()
  await open.world?.close()
  open.world = undefined
})

function created(person: PersonSnapshot): DomainEvent<'user.created'> {
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

test('events whose transactions write the same document are consumed one after the other, others meanwhile', async () => {
  const world = await newWorld()
  let tries = 0
  const consumer = defineConsumer<'session.revoked', TestContext>(
    'session.revoked',
    async ({ event, tx }, { host }) => {
      tries += 1
      const counts = host.connection.collection<{ _id: string; times: number }>('counts')
      await counts.updateOne({ _id: event.data.person_id }, { $inc: { times: 1 } }, { session: tx.session })
    },
    { partitionKey: event => event.data.person_id },
  )
  await start(world, { consumers: [consumer] })
  const counts = world.database('playback-session').collection<{ _id: string; times: number }>('counts')
  await counts.insertMany(['p0', 'p1', 'p2'].map(_id => ({ _id, times: 0 })))
  const revoked = Array.from({ length: 60 }, (_, index): DomainEvent<'session.revoked'> => {
    const sid = newId()
    const data = { sid, person_id: `p${index % 3}`, reason: 'signed_out' as const }
    const time = new Date().toISOString()
    return { specversion: '1.0', id: newId(), source: 'auth', type: 'session.revoked', subject: sid, time, data }
  })
  await Promise.all(revoked.map(event => world.ports.bus.publish(event)))
  await eventually(async () => {
    const rows = await counts.find().sort({ _id: 1 }).toArray()
    expect(rows.map(row => row.times)).toEqual([20, 20, 20])
  })
  // None of them had to begin again.
  expect(tries).toBe(60)
})

describe('what waits for the same turn', () => {
  const effectsOf = (host: TestContext['host']) => host.connection.collection<{ _id: string }>('effects')
  const revoked = (sid: string): DomainEvent<'session.revoked'> => {
    const data = { sid, person_id: 'p1', reason: 'signed_out' as const }
    const time = new Date().toISOString()
    return { specversion: '1.0', id: newId(), source: 'auth', type: 'session.revoked', subject: sid, time, data }
  }
  const partitionKey = (event: DomainEvent<'session.revoked'>) => event.data.person_id
  const busOf = () => createInProcessBus({ consumersOf: () => ['playback-session'], retryDelaysMs: [] })

  test('goes in one transaction to a consumer that takes many; repeats and what is at fault keep nothing back', async () => {
    const world = await newWorld()
    const bus = busOf()
    let transactions = 0
    const consumed: string[] = []
    const blocked = Promise.withResolvers<void>()
    const consumer = defineBatchConsumer<'session.revoked', TestContext>(
      'session.revoked',
      async ({ events, tx }, { host }) => {
        const sids = events.map(event => event.data.sid)
        if (sids.includes('first')) await blocked.promise
        if (sids.includes('at fault')) throw new Error('of this event')
        await effectsOf(host).insertMany(
          sids.map(_id => ({ _id })),
          { session: tx.session },
        )
        tx.after(() => {
          transactions += 1
          consumed.push(...sids)
        })
      },
      { partitionKey },
    )
    try {
      await start(world, { consumers: [consumer], ports: { bus } })
      const once = revoked('once')
      await bus.publish(once)
      const together = Array.from({ length: 20 }, (_, index) => revoked(`e${index}`))
      const published = [bus.publish(revoked('first')), ...together.map(each => bus.publish(each))]
      blocked.resolve()
      await Promise.all(published)
      expect(consumed).toEqual(['once', 'first', ...together.map(each => each.data.sid)])
      // The first two had nobody to share with.
      expect(transactions).toBe(3)

      const atFault = revoked('at fault')
      const more = [revoked('d'), revoked('a'), once, revoked('b'), atFault, revoked('c')]
      await Promise.all(more.map(each => bus.publish(each)))
      expect(consumed.slice(22)).toEqual(['d', 'a', 'b', 'c'])
      expect((await bus.deadLetters('playback-session')).map(letter => letter.event)).toEqual([atFault])
    } finally {
      await bus.close()
    }
  })

  test('goes one by one to any other: what it writes beside its transaction never waits for that of the event before', async () => {
    const world = await newWorld()
    const bus = busOf()
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
      const published = ['first', 'within', 'beside'].map(sid => bus.publish(revoked(sid)))
      blocked.resolve()
      await Promise.all(published)
      const effects = world.database('playback-session').collection<{ _id: string }>('effects')
      expect(await effects.find().toArray()).toEqual([{ _id: 'same', sid: 'beside' }])
    } finally {
      await bus.close()
    }
  })
})

test('an event that comes while the database is away is held, and no try is counted', async () => {
  const world = await newWorld()
  const gate = await openMongoGate(world.config.mongoUrl)
  // The first try that counts as failed would be the last.
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
    const event = created(makePersonSnapshot())
    const published = bus.publish(event)
    await eventually(() => expect(lines.join('')).toContain('event waits for a store or a service'), 40_000)
    expect([seen, await bus.deadLetters('playback-session')]).toEqual([[], []])
    gate.open()
    await published
    expect([seen, await bus.deadLetters('playback-session')]).toEqual([[event.id], []])
  } finally {
    await bus.close()
    await gate.close()
  }
}, 60_000)

test.each([
  ['the live store', new LiveStoreUnavailable('away')],
  ['a service that must be asked', new ServiceError('unavailable')],
])('an event that needs %s, which is away, is held, and no try is counted', async (_name, away) => {
  const world = await newWorld()
  const bus = createInProcessBus({ consumersOf: () => ['playback-session'], retryDelaysMs: [] })
  let tries = 0
  const consumer = defineConsumer<'user.created', TestContext>('user.created', async () => {
    tries += 1
    if (tries < 3) throw away
  })
  try {
    await start(world, { consumers: [consumer], ports: { bus } })
    await bus.publish(created(makePersonSnapshot()))
    expect([tries, await bus.deadLetters('playback-session')]).toEqual([3, []])
  } finally {
    await bus.close()
  }
})

describe.each(['in-process', 'rabbitmq'] as const)('events over the %s bus', bus => {
  test('a change and its event are one: published after the commit, never after a rollback', async () => {
    const world = await newWorld({ bus })
    const seen: string[] = []
    const consumer = defineConsumer<'session.revoked', TestContext>('session.revoked', async ({ event }) => {
      seen.push(event.data.sid)
    })
    const { host } = await start(world, { consumers: [consumer] })
    const things = world.database('playback-session').collection<{ _id: string }>('things')
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
    expect((await things.find().toArray()).map(each => each._id)).toEqual(['kept'])
    await eventually(async () => (await host.outbox.backlog()).count === 0)
  })

  test('killed between commit and publish: after a restart the event arrives and its effect is there once', async () => {
    const world = await newWorld({ bus })
    const dying = await start(world, {
      // The process never comes to publishing what it has committed.
      ports: { beforePublish: () => Promise.reject(new Error('killed here')) },
    })
    const person = makePersonSnapshot()
    await dying.host.outbox.transaction(async tx => tx.publish('user.created', person.id, { person, by: null }))
    await eventually(async () => (await dying.host.outbox.backlog()).count === 1)
    await stop(dying.service)

    const effects: string[] = []
    const revived = await start(world, {
      consumers: [defineConsumer('user.created', async ({ event }) => void effects.push(event.id))],
    })
    await eventually(async () => (await revived.people.get(person.id)) !== undefined)
    await eventually(async () => (await revived.host.outbox.backlog()).count === 0)
    expect(effects).toHaveLength(1)
  })

  test('an event that comes twice, also to two replicas at once, has its effect once', async () => {
    const world = await newWorld({ bus })
    const consumer = defineConsumer<'user.created', TestContext>('user.created', async ({ tx }, ctx) => {
      await ctx.host.connection
        .collection<{ _id: string; n: number }>('counts')
        .updateOne({ _id: 'effects' }, { $inc: { n: 1 } }, { upsert: true, session: tx.session })
    })
    await start(world, { consumers: [consumer] })
    if (bus === 'rabbitmq') await start(world, { consumers: [consumer], ports: await world.otherPorts() })
    const event = created(makePersonSnapshot())
    await Promise.all([world.ports.bus.publish(event), world.ports.bus.publish(event), world.ports.bus.publish(event)])
    await world.ports.bus.publish(created(makePersonSnapshot()))
    const counts = world.database('playback-session').collection<{ _id: string; n: number }>('counts')
    await eventually(async () => expect((await counts.findOne({ _id: 'effects' }))?.n).toBe(2))
  })

  test('an effect that fails is tried again; what fits no schema goes to the dead letters at once', async () => {
    const world = await newWorld({ bus })
    let tries = 0
    const consumer = defineConsumer<'user.created', TestContext>('user.created', async () => {
      tries += 1
      if (tries === 1) throw new Error('not yet')
    })
    const { people } = await start(world, { consumers: [consumer] })
    const person = makePersonSnapshot()
    await world.ports.bus.publish(created(person))
    await eventually(async () => (await people.get(person.id)) !== undefined)
    expect(tries).toBe(2)

    const poison = { ...created(makePersonSnapshot()), data: { person: { id: { $ne: '' } } } }
    await world.ports.bus.publish(poison as unknown as DomainEvent)
    const dead = await eventually(async () => {
      const letters = await world.ports.bus.deadLetters('playback-session')
      expect(letters).toHaveLength(1)
      return letters
    })
    expect(dead[0]!.event).toMatchObject({ id: poison.id })
    expect(tries).toBe(2)
  })
})

describe('the people projection', () => {
  test('an older version never replaces a newer one, whatever the order', async () => {
    const world = await newWorld()
    const { people } = await start(world)
    const person = makePersonSnapshot({ name: 'First' })
    await people.apply({ ...person, name: 'Third', version: 3 })
    await people.apply({ ...person, name: 'Second', version: 2 })
    expect(await people.get(person.id)).toMatchObject({ name: 'Third', version: 3 })
  })

  test('people brought in together are there together; twice and out of order change nothing', async () => {
    const world = await newWorld()
    const { people } = await start(world)
    const later = await start(world)
    const [trainee1, trainee2, trainee3] = [
      makePersonSnapshot({ name: 'Trainee One' }),
      makePersonSnapshot({ name: 'Trainee Two' }),
      makePersonSnapshot({ name: 'Trainee Three' }),
    ]
    const event: DomainEvent<'users.imported'> = {
      ...created(trainee1),
      type: 'users.imported',
      data: { import_id: 'i1', by: null, people: [trainee1, trainee2, trainee3] },
    }
    // Somebody was known before, and one of them has changed since.
    expect(await people.get(trainee2.id)).toBeUndefined()
    await people.apply({ ...trainee3, name: 'Trainee Three Later', version: 2 })
    await world.ports.bus.publish(event)
    await world.ports.bus.publish(event)
    await world.ports.bus.publish({ ...event, id: newId() })
    expect(await people.get(trainee1.id)).toMatchObject({ name: 'Trainee One', version: 1 })
    expect(await people.get(trainee2.id)).toMatchObject({ name: 'Trainee Two', version: 1 })
    expect(await people.get(trainee3.id)).toMatchObject({ name: 'Trainee Three Later', version: 2 })
    expect(await people.count()).toBe(3)
    // The other replica learns of them, too.
    await eventually(async () => expect(await later.people.get(trainee2.id)).toMatchObject({ name: 'Trainee Two' }))
  })

  test('a change made by another replica is seen, though people are kept in memory', async () => {
    const world = await newWorld()
    const auth = await fakeAuth([])
    const one = await start(world, { authUrl: auth.url })
    const two = await start(world, { authUrl: auth.url, ports: await world.otherPorts() })
    const person = makePersonSnapshot()
    await one.people.apply(person)
    await eventually(async () => expect(await two.people.get(person.id)).toMatchObject({ role: 'user' }))
    for (let version = 2; version < 6; version += 1) {
      await one.people.apply({ ...person, name: `Name ${version}`, version })
      await eventually(async () => expect(await two.people.get(person.id)).toMatchObject({ version }))
    }
    auth.close()
  })

  test('an empty one is filled from the snapshot of the auth service, page by page', async () => {
    const world = await newWorld()
    const everybody = Array.from({ length: 1_203 }, () => makePersonSnapshot())
    const auth = await fakeAuth(everybody)
    const { people } = await start(world, { authUrl: auth.url })
    expect(await people.count()).toBe(1_203)
    auth.close()
  })

  test('whoever is missing, or older than the token says, is asked for once', async () => {
    const world = await newWorld()
    const person = makePersonSnapshot()
    const auth = await fakeAuth([person])
    const { people } = await start(world, { authUrl: auth.url })
    const late = makePersonSnapshot()
    auth.add(late)
    const asked = jest.spyOn(globalThis, 'fetch')
    expect(await people.find(late.id, 1)).toMatchObject({ id: late.id })
    expect(await people.find(late.id, 1)).toMatchObject({ id: late.id })
    auth.add({ ...person, role: 'manager', version: 2 })
    expect(await people.find(person.id, 2)).toMatchObject({ role: 'manager' })
    expect(asked).toHaveBeenCalledTimes(2)
    asked.mockRestore()
    expect(await people.find('nobody', 1)).toBeUndefined()
    auth.close()
  })
})

test('logs are JSON lines that carry the service and nothing of the event', () => {
  const lines: string[] = []
  createLogger('chat', 'info', { write: line => void lines.push(line) }).info({ port: 1 }, 'ready')
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', service: 'chat', port: 1, msg: 'ready' })
})

/** The auth service as the projection knows it: its two internal routes. */
async function fakeAuth(people: PersonSnapshot[]) {
  const known = new Map(people.map(person => [person.id, person]))
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://auth')
    const one = url.pathname.split('/')[3]
    if (req.headers['x-internal-secret'] !== open.world!.config.internalSecret) res.writeHead(404).end()
    else if (one) known.has(one) ? res.end(JSON.stringify(known.get(one))) : res.writeHead(404).end()
    else {
      const after = url.searchParams.get('after') ?? ''
      const page = [...known.values()].filter(person => person.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
      res.end(JSON.stringify(page.slice(0, Number(url.searchParams.get('limit')))))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (person: PersonSnapshot) => known.set(person.id, person),
    close: () => server.close(),
  }
}
