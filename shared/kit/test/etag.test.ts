import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { defineOperation } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import type { Service, ServiceHost } from '@watchline/kit/process/service-host'
import { apiClient, createTestWorld, eventually, makePersonSnapshot, type TestWorld } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { z } from 'zod'
import { startTestService } from './_service.ts'

const readThings = defineOperation({
  name: 'readThings',
  service: 'playback-session',
  method: 'GET',
  path: '/things/{id}',
  callers: 'signed-in',
  summary: 'Things.',
  params: z.object({ id: z.string() }),
  response: z.object({ runs: z.number() }),
})

const freshMs = 60_000
const one = makePersonSnapshot()
const other = makePersonSnapshot()
const clock = createManualClock(Date.UTC(2026, 0, 1))
let world: TestWorld
let service: Service
let host: ServiceHost
let url: string
let runs = 0
/** The live store as the service sees it. */
let away = false
let refusedRaises = 0

function watched(live: LiveStore): LiveStore {
  return {
    ...live,
    versions: {
      get: async keys => {
        if (away) throw new LiveStoreUnavailable('away')
        return live.versions.get(keys)
      },
      bump: async keys => {
        if (refusedRaises > 0) {
          refusedRaises -= 1
          throw new LiveStoreUnavailable('away')
        }
        await live.versions.bump(keys)
      },
    },
  }
}

beforeEach(async () => {
  away = false
  refusedRaises = 0
  runs = 0
  world = await createTestWorld({ clock })
  const started = await startTestService(world, {
    ports: { live: watched(world.ports.live) },
    routes: [
      defineRoute(
        readThings,
        async ({ params }) => {
          if (params.id === 'gone') fail('not_found')
          runs += 1
          return { runs }
        },
        { versions: { keys: ({ params }) => [`things:${params.id}`], maxAgeMs: freshMs } },
      ),
    ],
  })
  ;({ service, host, url } = started)
  for (const person of [one, other]) await host.outbox.transaction(tx => started.people.apply(person, tx.session))
})
afterEach(async () => {
  await service.stop()
  await world.close()
})

const read = (person: { id: string }, tag?: string | null, path = '/things/a') =>
  apiClient(url, world.token(person)).get(path, tag ? { 'if-none-match': tag } : {})

async function tagOf(person = one): Promise<string> {
  const answer = await read(person)
  expect(answer.status).toBe(200)
  return answer.headers.get('etag')!
}

const change = () => host.outbox.transaction(async tx => tx.bumpVersions('things:a'))

describe('a read that names the versions it depends on', () => {
  test('is answered with 304 and does not run while nothing changed', async () => {
    const tag = await tagOf()
    for (let poll = 0; poll < 3; poll += 1) {
      const again = await read(one, tag)
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.get('cache-control')).toBe('private, no-cache')
    }
    expect(runs).toBe(1)
  })

  test('runs again after a change, for who changed it at once', async () => {
    const tag = await tagOf()
    await change()
    const again = await read(one, tag)
    expect([again.status, again.json]).toEqual([200, { runs: 2 }])
    expect(again.headers.get('etag')).not.toBe(tag)
  })

  test('a change of something else is none', async () => {
    const tag = await tagOf()
    await host.outbox.transaction(async tx => tx.bumpVersions('things:b'))
    expect((await read(one, tag)).status).toBe(304)
  })

  test("another person's tag, or that of another address, is never good", async () => {
    const tag = await tagOf()
    expect((await read(other, tag)).status).toBe(200)
    expect((await read(one, tag, '/things/a?page=2')).status).toBe(200)
  })

  test('a tag among several, and one that a proxy weakened, is recognised', async () => {
    const tag = await tagOf()
    expect((await read(one, `"x", W/${tag}`)).status).toBe(304)
  })

  test('grows old by itself', async () => {
    const tag = await tagOf()
    clock.advance(freshMs)
    expect((await read(one, tag)).status).toBe(200)
  })

  test('answers in full, without a tag, while the live store is away', async () => {
    const tag = await tagOf()
    away = true
    const answer = await read(one, tag)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBeNull()
  })

  test('an error carries no tag', async () => {
    const answer = await read(one, null, '/things/gone')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('etag')).toBeNull()
  })
})

describe('versions raised by a transaction', () => {
  test('are raised by the relay where the first try failed', async () => {
    const tag = await tagOf()
    refusedRaises = 2
    await change()
    await eventually(async () => expect((await read(one, tag)).status).toBe(200))
    await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  })

  test('go with the events of the transaction, and leave nothing behind', async () => {
    const tag = await tagOf()
    await host.outbox.transaction(async tx => {
      tx.publish('session.started', 'a', { sid: 'a', person_id: 'a', started_at: new Date(clock.now()).toISOString() })
      tx.bumpVersions('things:a')
    })
    expect((await read(one, tag)).status).toBe(200)
    await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  })

  test('are not raised when the transaction fails', async () => {
    const tag = await tagOf()
    const failing = host.outbox.transaction(async tx => {
      tx.bumpVersions('things:a')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await read(one, tag)).status).toBe(304)
  })
})
