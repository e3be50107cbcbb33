import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { defineOperation } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import type { Service, ServiceHost } from '@watchline/kit/process/service-host'
import { apiClient } from '@watchline/testing/api-client'
import { createTestWorld, eventually, makePersonSnapshot, type TestWorld } from '@watchline/testing/harness'
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

const maxAgeMs = 60_000
const caller = makePersonSnapshot()
const otherCaller = makePersonSnapshot()
const clock = createManualClock(Date.UTC(2026, 0, 1))
let world: TestWorld
let service: Service
let host: ServiceHost
let url: string
let runs = 0
let isUnavailable = false
let remainingBumpFailures = 0

/** The live store with the faults that a test sets. */
function withFaults(live: LiveStore): LiveStore {
  return {
    ...live,
    versions: {
      get: async keys => {
        if (isUnavailable) throw new LiveStoreUnavailable('away')
        return live.versions.get(keys)
      },
      bump: async keys => {
        if (remainingBumpFailures > 0) {
          remainingBumpFailures -= 1
          throw new LiveStoreUnavailable('away')
        }
        await live.versions.bump(keys)
      },
    },
  }
}

beforeEach(async () => {
  isUnavailable = false
  remainingBumpFailures = 0
  runs = 0
  world = await createTestWorld({ clock })
  const started = await startTestService(world, {
    ports: { live: withFaults(world.ports.live) },
    routes: [
      defineRoute(
        readThings,
        async ({ params }) => {
          if (params.id === 'gone') fail('not_found')
          runs += 1
          return { runs }
        },
        { versions: { keys: ({ params }) => [`things:${params.id}`], maxAgeMs } },
      ),
    ],
  })
  ;({ service, host, url } = started)
  for (const person of [caller, otherCaller])
    await host.outbox.transaction(tx => started.people.apply(person, tx.session))
})
afterEach(async () => {
  await service.stop()
  await world.close()
})

const read = (person: { id: string }, etag?: string | null, path = '/things/a') =>
  apiClient(url, world.token(person)).get(path, etag ? { 'if-none-match': etag } : {})

async function readEtag(): Promise<string> {
  const response = await read(caller)
  expect(response.status).toBe(200)
  return response.headers.get('etag')!
}

const bumpVersion = () => host.outbox.transaction(async tx => tx.bumpVersions('things:a'))

describe('a read with versions', () => {
  test('responds with 304 and does not run while no version changed', async () => {
    const etag = await readEtag()
    for (let poll = 0; poll < 3; poll += 1) {
      const again = await read(caller, etag)
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toBe('no-store')
    }
    expect(runs).toBe(1)
  })

  test('runs again after a change; the person who made it sees it at once', async () => {
    const etag = await readEtag()
    await bumpVersion()
    const again = await read(caller, etag)
    expect([again.status, again.json]).toEqual([200, { runs: 2 }])
    expect(again.headers.get('etag')).not.toBe(etag)
  })

  test('ignores the change of another version', async () => {
    const etag = await readEtag()
    await host.outbox.transaction(async tx => tx.bumpVersions('things:b'))
    expect((await read(caller, etag)).status).toBe(304)
  })

  test('accepts no ETag of another person or another address', async () => {
    const etag = await readEtag()
    expect((await read(otherCaller, etag)).status).toBe(200)
    expect((await read(caller, etag, '/things/a?page=2')).status).toBe(200)
  })

  test('accepts an ETag in a list, and one that a proxy made weak', async () => {
    const etag = await readEtag()
    expect((await read(caller, `"x", W/${etag}`)).status).toBe(304)
  })

  test('runs again after maxAgeMs', async () => {
    const etag = await readEtag()
    clock.advance(maxAgeMs)
    expect((await read(caller, etag)).status).toBe(200)
  })

  test('responds in full, without an ETag, while the live store is unavailable', async () => {
    const etag = await readEtag()
    isUnavailable = true
    const response = await read(caller, etag)
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).toBeNull()
  })

  test('has no ETag if it fails', async () => {
    const response = await read(caller, null, '/things/gone')
    expect(response.status).toBe(404)
    expect(response.headers.get('etag')).toBeNull()
  })
})

describe('versions bumped by a transaction', () => {
  test('are bumped by the relay if the first attempt failed', async () => {
    const etag = await readEtag()
    remainingBumpFailures = 2
    await bumpVersion()
    await eventually(async () => expect((await read(caller, etag)).status).toBe(200))
    await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  })

  test('change together with its events, and leave nothing in the outbox', async () => {
    const etag = await readEtag()
    await host.outbox.transaction(async tx => {
      tx.publish('session.started', 'a', { sid: 'a', person_id: 'a', started_at: new Date(clock.now()).toISOString() })
      tx.bumpVersions('things:a')
    })
    expect((await read(caller, etag)).status).toBe(200)
    await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  })

  test('do not change if the transaction fails', async () => {
    const etag = await readEtag()
    const failing = host.outbox.transaction(async tx => {
      tx.bumpVersions('things:a')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await read(caller, etag)).status).toBe(304)
  })
})
