import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { projectionsOf, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, newId, openDatabase } from '@watchline/kit/mongo/database'
import type { Service } from '@watchline/kit/process/service-host'
import { createTestWorld, eventually, makePersonSnapshot, type TestWorld } from '@watchline/testing/harness'
import type { Connection } from 'mongoose'
import { startTestService } from './_service.ts'

let world: TestWorld
let auth: Auth
let database: Connection
let services: Service[]

beforeEach(async () => {
  world = await createTestWorld()
  auth = await startAuth()
  services = []
  database = createDatabase()
  await openDatabase(database, world.config.mongoUrl, `${world.config.databasePrefix}-playback-session`)
})
afterEach(async () => {
  auth.restore()
  for (const service of services.reverse()) await service.stop()
  auth.close()
  await database.close()
  await world.close()
})

async function start() {
  const started = await startTestService(world, { authUrl: auth.url, ports: await world.otherPorts() })
  services.push(started.service)
  return started
}

type Auth = Awaited<ReturnType<typeof startAuth>>

/** A stand-in for auth with the internal operations of the projection, which can wait or fail. */
async function startAuth() {
  const people = new Map<string, PersonSnapshot>()
  const requestedPaths: string[] = []
  const heldReplies: (() => void)[] = []
  let state: 'available' | 'holding' | 'unavailable' = 'available'
  function reply(path: string, res: ServerResponse) {
    const url = new URL(path, 'http://auth')
    const id = url.pathname.split('/')[3]
    const after = url.searchParams.get('after') ?? ''
    const page = [...people.values()].filter(person => person.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    const found = id ? people.get(decodeURIComponent(id)) : page.slice(0, Number(url.searchParams.get('limit')))
    res.writeHead(state === 'unavailable' ? 503 : found ? 200 : 404).end(JSON.stringify(found ?? {}))
  }
  const server = createServer((req, res) => {
    requestedPaths.push(req.url!)
    if (state === 'holding') heldReplies.push(() => reply(req.url!, res))
    else reply(req.url!, res)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    requestedPaths,
    add: (...added: PersonSnapshot[]) => added.forEach(person => void people.set(person.id, person)),
    holdReplies: () => {
      state = 'holding'
    },
    heldReplies,
    makeUnavailable: () => {
      state = 'unavailable'
    },
    restore: () => {
      state = 'available'
      for (const sendReply of heldReplies.splice(0)) sendReply()
    },
    close: () => server.close(),
  }
}

const storedPeople = () =>
  world.database('playback-session').collection<{ _id: string; [field: string]: unknown }>('people')
const findRebuild = async () => (await projectionsOf(database)).find(state => state._id === 'people')?.rebuild
const request = () => requestRebuild(database, 'people', new Date())

async function waitUntilDone() {
  return eventually(async () => {
    const rebuild = await findRebuild()
    expect(rebuild).toMatchObject({ state: 'done' })
    return rebuild!
  })
}

function makeProfileChange(person: PersonSnapshot): DomainEvent<'user.profile_changed'> {
  const envelope = { specversion: '1.0' as const, id: newId(), source: 'auth', subject: person.id }
  return {
    ...envelope,
    type: 'user.profile_changed',
    time: new Date().toISOString(),
    data: { person, by: null },
  }
}

const makeNumberedPeople = (count: number) =>
  Array.from({ length: count }, (_, index) => makePersonSnapshot({ id: `p${String(index).padStart(5, '0')}` }))

describe('rebuilding a projection while its service runs', () => {
  test('adds missing people, corrects wrong ones and removes unknown ones, for every replica', async () => {
    const everybody = makeNumberedPeople(2_300)
    auth.add(...everybody)
    const replicas = [await start(), await start()]
    const [missing, wrong, ahead, older] = [everybody[3]!, everybody[1_200]!, everybody[1_500]!, everybody[2_299]!]
    for (const person of [missing, wrong, ahead, older]) await replicas[1]!.people.get(person.id)
    await storedPeople().deleteOne({ _id: missing.id })
    await storedPeople().updateOne({ _id: wrong.id }, { $set: { role: 'admin' } })
    // The owner was restored from a backup, so the projection has a version the owner never had.
    await storedPeople().updateOne({ _id: ahead.id }, { $set: { name: 'Restored away', version: 99 } })
    auth.add({ ...older, name: 'An event that was lost', version: 2 })
    const strangers = ['a-stranger', 'p00000-between', 'z-stranger'].map(_id => ({
      ...makePersonSnapshot(),
      _id,
      id: undefined,
    }))
    await storedPeople().insertMany(strangers as never[])
    await eventually(async () => expect(await replicas[1]!.people.get('z-stranger')).toBeDefined())

    expect(await request()).toBe(true)
    expect(await waitUntilDone()).toMatchObject({ checked: 2_300, added: 1, put_right: 3, removed: 3 })
    for (const { people } of replicas) {
      await eventually(async () => {
        expect(await people.get(missing.id)).toMatchObject({ name: missing.name })
        expect(await people.get(wrong.id)).toMatchObject({ role: 'user' })
        expect(await people.get(ahead.id)).toMatchObject({ name: ahead.name, version: 1 })
        expect(await people.get(older.id)).toMatchObject({ name: 'An event that was lost', version: 2 })
        expect(await people.get('z-stranger')).toBeUndefined()
        expect(await people.count()).toBe(2_300)
      })
    }
    // A second rebuild has nothing to do.
    await request()
    expect(await waitUntilDone()).toMatchObject({ checked: 2_300, added: 0, put_right: 0, removed: 0 })
  })

  test('fills an empty projection, and no stored person disappears meanwhile', async () => {
    const everybody = makeNumberedPeople(1_500)
    auth.add(...everybody)
    const { people } = await start()
    let isWatching = true
    const found = new Set<boolean>()
    const watching = (async () => {
      while (isWatching) found.add((await storedPeople().findOne({ _id: everybody[7]!.id })) !== null)
    })()
    await request()
    await waitUntilDone()
    isWatching = false
    await watching
    expect([...found]).toEqual([true])

    await storedPeople().deleteMany({})
    await request()
    expect(await waitUntilDone()).toMatchObject({ added: 1_500 })
    expect(await people.count()).toBe(1_500)
  })

  test('does not undo an event that arrives meanwhile', async () => {
    const [first, second] = makeNumberedPeople(2)
    auth.add(first!, second!)
    const { people } = await start()
    await storedPeople().updateOne({ _id: first!.id }, { $set: { name: 'Wrong' } })
    await storedPeople().updateOne({ _id: second!.id }, { $set: { name: 'Wrong' } })
    auth.holdReplies()
    await request()
    await eventually(() => auth.heldReplies.length === 1)
    // The page and then both people are answered with the state before the event.
    for (const sendReply of auth.heldReplies.splice(0)) sendReply()
    await eventually(() => auth.heldReplies.length === 2)
    await world.ports.bus.publish(makeProfileChange({ ...first!, name: 'By event', version: 2 }))
    await eventually(async () => expect(await people.get(first!.id)).toMatchObject({ name: 'By event' }))
    auth.restore()
    await waitUntilDone()
    await eventually(async () => {
      expect(await people.get(first!.id)).toMatchObject({ name: 'By event', version: 2 })
      expect(await people.get(second!.id)).toMatchObject({ name: second!.name, version: 1 })
    })
  })

  test('a repeated request starts no second rebuild, and one replica does all of it', async () => {
    auth.add(...makeNumberedPeople(50))
    await start()
    await start()
    auth.requestedPaths.length = 0
    auth.holdReplies()
    expect([await request(), await request()]).toEqual([true, false])
    await eventually(() => auth.heldReplies.length > 0)
    expect(await request()).toBe(false)
    auth.restore()
    await waitUntilDone()
    expect(auth.requestedPaths.filter(url => url.includes('after='))).toHaveLength(1)
  })

  test('another replica continues the rebuild of a killed one where that stopped', async () => {
    auth.add(...makeNumberedPeople(2_500))
    const { people } = await start()
    await request()
    await waitUntilDone()
    const changeRebuild = (fields: Record<string, unknown>) =>
      database.collection<{ _id: string }>('projection_states').updateOne({ _id: 'people' }, { $set: fields })
    // The state after kill -9: the lease of the killed replica has not ended yet.
    await changeRebuild({
      'rebuild.state': 'running',
      'rebuild.holder': 'the dead',
      'rebuild.until': new Date(Date.now() + 3_600_000),
      'rebuild.after': 'p01999',
      'rebuild.checked': 2_000,
    })
    await storedPeople().deleteOne({ _id: 'p02100' })
    auth.requestedPaths.length = 0
    await changeRebuild({ 'rebuild.until': new Date(Date.now() - 1) })
    expect(await waitUntilDone()).toMatchObject({ checked: 2_500, added: 1 })
    expect(auth.requestedPaths).toEqual([expect.stringContaining('after=p01999')])
    expect(await people.count()).toBe(2_500)
  })

  test('waits while the owner is unavailable, stores the reason, and then continues', async () => {
    auth.add(...makeNumberedPeople(10))
    await start()
    auth.makeUnavailable()
    await request()
    await eventually(async () =>
      expect(await findRebuild()).toMatchObject({ problem: expect.stringContaining('answered 503') }),
    )
    auth.restore()
    expect(await waitUntilDone()).toMatchObject({ checked: 10 })
  })

  test('a replica that stops releases the rebuild to others at once', async () => {
    auth.add(...makeNumberedPeople(10))
    const first = await start()
    auth.holdReplies()
    await request()
    await eventually(() => auth.heldReplies.length === 1)
    services = []
    await first.service.stop()
    expect(await findRebuild()).toMatchObject({ state: 'running', problem: 'the replica that did it was stopped' })
    auth.restore()
    await start()
    expect(await waitUntilDone()).toMatchObject({ checked: 10 })
  })

  test('bumps the change version of people, so that polls read again', async () => {
    const [person] = makeNumberedPeople(1)
    auth.add(person!)
    const { people } = await start()
    await storedPeople().updateOne({ _id: person!.id }, { $set: { name: 'Wrong' } })
    const [before] = await world.ports.live.versions.get([people.versionKey])
    await request()
    await waitUntilDone()
    await eventually(async () => expect(await world.ports.live.versions.get([people.versionKey])).not.toEqual([before]))
  })
})
