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
  await openDatabase(database, world.config.mongoUrl, `${world.name}-playback-session`)
})
afterEach(async () => {
  auth.mend()
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

/** The auth service's internal routes, which a test can make wait or fail. */
async function startAuth() {
  const people = new Map<string, PersonSnapshot>()
  const asked: string[] = []
  const held: (() => void)[] = []
  let state: 'well' | 'holding' | 'away' = 'well'
  function answer(path: string, res: ServerResponse) {
    const url = new URL(path, 'http://auth')
    const id = url.pathname.split('/')[3]
    const after = url.searchParams.get('after') ?? ''
    const page = [...people.values()].filter(each => each.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    const found = id ? people.get(decodeURIComponent(id)) : page.slice(0, Number(url.searchParams.get('limit')))
    res.writeHead(state === 'away' ? 503 : found ? 200 : 404).end(JSON.stringify(found ?? {}))
  }
  const server = createServer((req, res) => {
    asked.push(req.url!)
    if (state === 'holding') held.push(() => answer(req.url!, res))
    else answer(req.url!, res)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    asked,
    add: (...some: PersonSnapshot[]) => some.forEach(each => void people.set(each.id, each)),
    hold: () => {
      state = 'holding'
    },
    held,
    leave: () => {
      state = 'away'
    },
    mend: () => {
      state = 'well'
      for (const go of held.splice(0)) go()
    },
    close: () => server.close(),
  }
}

const rows = () => world.database('playback-session').collection<{ _id: string; [field: string]: unknown }>('people')
const rebuildOf = async () => (await projectionsOf(database)).find(each => each._id === 'people')?.rebuild
const ask = () => requestRebuild(database, 'people', new Date())

async function done() {
  return eventually(async () => {
    const rebuild = await rebuildOf()
    expect(rebuild).toMatchObject({ state: 'done' })
    return rebuild!
  }, 30_000)
}

function changed(person: PersonSnapshot): DomainEvent<'user.profile_changed'> {
  const envelope = { specversion: '1.0' as const, id: newId(), source: 'auth', subject: person.id }
  return {
    ...envelope,
    type: 'user.profile_changed',
    time: new Date().toISOString(),
    data: { person, by: null },
  }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => makePersonSnapshot({ id: `p${String(index).padStart(5, '0')}` }))

describe('rebuilding a projection while its service runs', () => {
  test('adds what is missing, puts right what is wrong, removes what its owner no longer has; two replicas hear of it', async () => {
    const everybody = numbered(2_300)
    auth.add(...everybody)
    const [one, two] = [await start(), await start()]
    const [missed, wrong, ahead, older] = [everybody[3]!, everybody[1_200]!, everybody[1_500]!, everybody[2_299]!]
    for (const person of [missed, wrong, ahead, older]) await two.people.get(person.id)
    await rows().deleteOne({ _id: missed.id })
    await rows().updateOne({ _id: wrong.id }, { $set: { role: 'admin' } })
    // As after the owner was restored from a backup: what is kept here is of a future that never
    // was.
    await rows().updateOne({ _id: ahead.id }, { $set: { name: 'Restored away', version: 99 } })
    auth.add({ ...older, name: 'An event that was lost', version: 2 })
    const strangers = ['a-stranger', 'p00000-between', 'z-stranger'].map(_id => ({
      ...makePersonSnapshot(),
      _id,
      id: undefined,
    }))
    await rows().insertMany(strangers as never[])
    await eventually(async () => expect(await two.people.get('z-stranger')).toBeDefined())

    expect(await ask()).toBe(true)
    expect(await done()).toMatchObject({ checked: 2_300, added: 1, put_right: 3, removed: 3 })
    for (const { people } of [one, two]) {
      await eventually(async () => {
        expect(await people.get(missed.id)).toMatchObject({ name: missed.name })
        expect(await people.get(wrong.id)).toMatchObject({ role: 'user' })
        expect(await people.get(ahead.id)).toMatchObject({ name: ahead.name, version: 1 })
        expect(await people.get(older.id)).toMatchObject({ name: 'An event that was lost', version: 2 })
        expect(await people.get('z-stranger')).toBeUndefined()
        expect(await people.count()).toBe(2_300)
      })
    }
    // Once more, there is nothing to do.
    await ask()
    expect(await done()).toMatchObject({ checked: 2_300, added: 0, put_right: 0, removed: 0 })
  })

  test('from nothing, and who is there is never missed meanwhile', async () => {
    const everybody = numbered(1_500)
    auth.add(...everybody)
    const { people } = await start()
    let looking = true
    const seen = new Set<boolean>()
    const looks = (async () => {
      while (looking) seen.add((await rows().findOne({ _id: everybody[7]!.id })) !== null)
    })()
    await ask()
    await done()
    looking = false
    await looks
    expect([...seen]).toEqual([true])

    await rows().deleteMany({})
    await ask()
    expect(await done()).toMatchObject({ added: 1_500 })
    expect(await people.count()).toBe(1_500)
  })

  test('does not undo what an event tells meanwhile', async () => {
    const [first, second] = numbered(2)
    auth.add(first!, second!)
    const { people } = await start()
    await rows().updateOne({ _id: first!.id }, { $set: { name: 'Wrong' } })
    await rows().updateOne({ _id: second!.id }, { $set: { name: 'Wrong' } })
    auth.hold()
    await ask()
    await eventually(() => auth.held.length === 1)
    // The page is answered as the people were; then each is asked for, and answered as they were.
    for (const go of auth.held.splice(0)) go()
    await eventually(() => auth.held.length === 2)
    await world.ports.bus.publish(changed({ ...first!, name: 'By event', version: 2 }))
    await eventually(async () => expect(await people.get(first!.id)).toMatchObject({ name: 'By event' }))
    auth.mend()
    await done()
    await eventually(async () => {
      expect(await people.get(first!.id)).toMatchObject({ name: 'By event', version: 2 })
      expect(await people.get(second!.id)).toMatchObject({ name: second!.name, version: 1 })
    })
  })

  test('asked for twice it is one, and only one replica does it', async () => {
    auth.add(...numbered(50))
    await start()
    await start()
    auth.asked.length = 0
    auth.hold()
    expect([await ask(), await ask()]).toEqual([true, false])
    await eventually(() => auth.held.length > 0)
    expect(await ask()).toBe(false)
    auth.mend()
    await done()
    expect(auth.asked.filter(url => url.includes('after='))).toHaveLength(1)
  })

  test('one whose replica died is taken up by another where it was', async () => {
    auth.add(...numbered(2_500))
    const { people } = await start()
    await ask()
    await done()
    // As kill -9 leaves it: begun by somebody who is no more, in whose hands it stays until the
    // lease ends.
    await database.collection<{ _id: string }>('projection_states').updateOne(
      { _id: 'people' },
      {
        $set: {
          'rebuild.state': 'running',
          'rebuild.holder': 'the dead',
          'rebuild.until': new Date(Date.now() + 1_000),
          'rebuild.after': 'p01999',
          'rebuild.checked': 2_000,
        },
      },
    )
    await rows().deleteOne({ _id: 'p02100' })
    auth.asked.length = 0
    expect(await done()).toMatchObject({ checked: 2_500, added: 1 })
    expect(auth.asked).toEqual([expect.stringContaining('after=p01999')])
    expect(await people.count()).toBe(2_500)
  })

  test('goes on when its owner can be asked again, and says meanwhile why it does not', async () => {
    auth.add(...numbered(10))
    await start()
    auth.leave()
    await ask()
    await eventually(async () =>
      expect(await rebuildOf()).toMatchObject({ problem: expect.stringContaining('answered 503') }),
    )
    auth.mend()
    expect(await done()).toMatchObject({ checked: 10 })
  })

  test('a replica that stops leaves it to the others at once', async () => {
    auth.add(...numbered(10))
    const first = await start()
    auth.hold()
    await ask()
    await eventually(() => auth.held.length === 1)
    services = []
    await first.service.stop()
    expect(await rebuildOf()).toMatchObject({ state: 'running', problem: 'the replica that did it was stopped' })
    auth.mend()
    await start()
    expect(await done()).toMatchObject({ checked: 10 })
  })

  test('raises the version by which polls see people, so that none is told that nothing changed', async () => {
    const [person] = numbered(1)
    auth.add(person!)
    const { people } = await start()
    await rows().updateOne({ _id: person!.id }, { $set: { name: 'Wrong' } })
    const [before] = await world.ports.live.versions.get([people.versionKey])
    await ask()
    await done()
    await eventually(async () => expect(await world.ports.live.versions.get([people.versionKey])).not.toEqual([before]))
  })
})
