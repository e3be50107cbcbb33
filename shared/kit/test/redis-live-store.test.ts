import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { Redis } from 'ioredis'
import { LiveStoreUnavailable } from '../src/live/live-store.ts'
import type { LiveStoreAdapter } from '../src/live/live-store-adapter.ts'
import { createRedisLiveStore } from '../src/live/redis-live-store.ts'
import { keysOf, openWire, removeFromRedis, uniqueName, type Wire } from './servers.ts'

const now = Date.UTC(2026, 0, 5, 9)
const request = {
  personId: 'trainee1',
  sid: 'tab1',
  fence: 1,
  playlistId: 'list',
  now,
  ttlMs: 300_000,
  takeOver: false,
}

describe('live store on Redis', () => {
  let prefix: string
  let wire: Wire
  let redis: Redis
  let opened: LiveStoreAdapter[]

  beforeEach(async () => {
    prefix = `${uniqueName()}:`
    opened = []
    wire = await openWire(serverUrl('REDIS_URL'))
    redis = new Redis(serverUrl('REDIS_URL'))
  })
  afterEach(async () => {
    await Promise.all(opened.map(store => store.close()))
    await redis.quit()
    await wire.close()
    await removeFromRedis(prefix)
  })

  function open(url = wire.url): LiveStoreAdapter {
    const store = createRedisLiveStore({ url, prefix })
    opened.push(store)
    return store
  }

  /** Every operation that writes, and every one that reads. */
  async function useAll(store: LiveStoreAdapter) {
    await store.presence.report([{ personId: 'trainee1', sid: 'tab1', loginTime: now, at: now }])
    await store.presence.report([{ personId: 'trainee1', sid: 'tab2', loginTime: now, at: now }])
    await store.presence.removeSession('trainee1', 'tab2')
    await store.locks.acquire(request)
    await store.locks.renew('trainee1', 'tab1', now, request.ttlMs)
    await store.locks.acquire({ ...request, personId: 'trainee2' })
    await store.locks.release('trainee2', 'tab1')
    await store.revocations.add('sid', now + 60_000, now)
    await store.versions.bump(['a'])
    await store.counters.hit('login', 60_000, now)
    return {
      presence: await store.presence.of(['trainee1'], now),
      online: await store.presence.online(now, { offset: 0, limit: 10 }),
      lock: await store.locks.get('trainee1', now),
      locks: await store.locks.of(['trainee1'], now),
      revoked: await store.revocations.all(now),
      has: await store.revocations.has('sid', now),
      versions: await store.versions.get(['a', 'b']),
    }
  }

  test('every key has an expiry: nothing is left behind', async () => {
    await useAll(open())
    const keys = await keysOf(redis, prefix)
    expect(keys.length).toBeGreaterThanOrEqual(7)
    for (const key of keys) expect([key, (await redis.pttl(key)) > 0]).toEqual([key, true])
  })

  test('the lock is kept by Redis at least as long as it holds', async () => {
    await open().locks.acquire(request)
    expect(await redis.pttl(`${prefix}lock:{trainee1}`)).toBeGreaterThan(request.ttlMs)
  })

  test('everything works on when Redis has forgotten everything, scripts included', async () => {
    const store = open()
    const before = await useAll(store)
    await removeFromRedis(prefix)
    await redis.script('FLUSH')
    expect(await store.locks.get('trainee1', now)).toBeUndefined()
    expect((await store.locks.acquire({ ...request, sid: 'tab2' })).acquired).toBe(true)
    await removeFromRedis(prefix)
    await redis.script('FLUSH')
    const after = await useAll(store)
    expect({ ...after, versions: [] }).toEqual({ ...before, versions: [] })
  })

  test('no version comes again after Redis has forgotten', async () => {
    const store = open()
    const seen = [await store.versions.get(['a', 'b'])]
    await store.versions.bump(['a'])
    seen.push(await store.versions.get(['a', 'b']))
    await removeFromRedis(prefix)
    seen.push(await store.versions.get(['a', 'b']))
    await store.versions.bump(['a'])
    seen.push(await store.versions.get(['a', 'b']))
    expect(new Set(seen.map(([a]) => a)).size).toBe(4)
    expect(new Set(seen.map(([, b]) => b)).size).toBe(2)
  })

  test('while Redis is away every call is refused, and when it is back all is well again', async () => {
    const store = open()
    await useAll(store)
    wire.cut()
    await eventually(() => expect(store.ping()).rejects.toThrow(LiveStoreUnavailable))
    await expect(store.locks.acquire(request)).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.locks.of(['trainee1'], now)).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.versions.get(['a'])).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.presence.report([{ personId: 'trainee1', sid: 's', loginTime: now, at: now }])).rejects.toThrow(
      LiveStoreUnavailable,
    )
    wire.mend()
    await eventually(() => store.ping())
    expect((await useAll(store)).lock).toMatchObject({ sid: 'tab1' })
  })

  test('calls in flight when the connection is lost are refused, not held', async () => {
    const store = open()
    await store.ping()
    wire.freeze()
    const calls = [store.ping(), store.versions.get(['a']), store.locks.acquire(request)]
    const outcomes = Promise.allSettled(calls)
    wire.cut()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LiveStoreUnavailable) })
    }
  })

  test('a connection that falls silent refuses calls after a while, and is replaced', async () => {
    const store = open()
    await store.ping()
    wire.freeze()
    await expect(store.ping()).rejects.toThrow(LiveStoreUnavailable)
    wire.mend()
    await eventually(() => store.ping())
  })

  test('starts without Redis, refuses, and works as soon as Redis is there', async () => {
    wire.cut()
    const store = open()
    await expect(store.ping()).rejects.toThrow(LiveStoreUnavailable)
    wire.mend()
    await eventually(() => store.ping())
  })

  test('the first calls after the start wait for the connection', async () => {
    await expect(Promise.all([open().ping(), open().versions.get(['a'])])).resolves.toBeDefined()
  })

  test('closes without Redis', async () => {
    const store = open()
    await store.ping()
    wire.cut()
    await expect(store.close()).resolves.toBeUndefined()
  })
})
