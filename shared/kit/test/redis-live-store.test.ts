import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, serverUrl, slowCommandMs } from '@watchline/testing/harness'
import { Redis } from 'ioredis'
import { LiveStoreUnavailable } from '../src/live/live-store.ts'
import type { LiveStoreAdapter } from '../src/live/live-store-adapter.ts'
import { createRedisLiveStore } from '../src/live/redis-live-store.ts'
import { type FaultyProxy, keysOf, openFaultyProxy, removeFromRedis, uniqueName } from './servers.ts'

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
  let proxy: FaultyProxy
  let redis: Redis
  let openedStores: LiveStoreAdapter[]

  beforeEach(async () => {
    prefix = `${uniqueName()}:`
    openedStores = []
    proxy = await openFaultyProxy(serverUrl('REDIS_URL'))
    redis = new Redis(serverUrl('REDIS_URL'))
  })
  afterEach(async () => {
    await Promise.all(openedStores.map(store => store.close()))
    await redis.quit()
    await proxy.close()
    await removeFromRedis(prefix)
  })

  function open(commandTimeoutMs = slowCommandMs): LiveStoreAdapter {
    const store = createRedisLiveStore({ url: proxy.url, prefix, commandTimeoutMs })
    openedStores.push(store)
    return store
  }

  /** Calls every operation that writes, and then every one that reads. */
  async function callAllOperations(store: LiveStoreAdapter) {
    await store.presence.report([{ personId: 'trainee1', sid: 'tab1', loginTime: now, at: now }])
    await store.presence.report([{ personId: 'trainee1', sid: 'tab2', loginTime: now, at: now }])
    await store.presence.removeSession('trainee1', 'tab2')
    await store.locks.acquire(request)
    await store.locks.renew('trainee1', 'tab1', now, request.ttlMs)
    await store.locks.acquire({ ...request, personId: 'trainee2' })
    await store.locks.release('trainee2', 'tab1')
    await store.revocations.add('sid', now + 60_000, now)
    await store.versions.bump(['a'])
    await store.counters.countHit('login', 60_000, now)
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

  test('every key has an expiry', async () => {
    await callAllOperations(open())
    const keys = await keysOf(redis, prefix)
    expect(keys.length).toBeGreaterThanOrEqual(7)
    for (const key of keys) expect([key, (await redis.pttl(key)) > 0]).toEqual([key, true])
  })

  test('Redis keeps a lock for at least its lifetime', async () => {
    await open().locks.acquire(request)
    expect(await redis.pttl(`${prefix}lock:{trainee1}`)).toBeGreaterThan(request.ttlMs)
  })

  test('a lock whose playlist an earlier version changed has no reset of another playlist', async () => {
    const store = open()
    await store.locks.acquire({ ...request, resetAt: now - 1_000 })
    expect(await store.locks.get('trainee1', now)).toMatchObject({ resetAt: now - 1_000 })
    await redis.hset(`${prefix}lock:{trainee1}`, 'playlistId', 'other')
    const lock = await store.locks.get('trainee1', now)
    expect([lock?.playlistId, lock?.resetAt]).toEqual(['other', undefined])
    await redis.hdel(`${prefix}lock:{trainee1}`, 'reset')
    expect((await store.locks.renew('trainee1', 'tab1', now, request.ttlMs))?.resetAt).toBeUndefined()
  })

  test('all operations work after Redis has lost all data and scripts', async () => {
    const store = open()
    const before = await callAllOperations(store)
    await removeFromRedis(prefix)
    await redis.script('FLUSH')
    expect(await store.locks.get('trainee1', now)).toBeUndefined()
    expect((await store.locks.acquire({ ...request, sid: 'tab2' })).acquired).toBe(true)
    await removeFromRedis(prefix)
    await redis.script('FLUSH')
    const after = await callAllOperations(store)
    expect({ ...after, versions: [] }).toEqual({ ...before, versions: [] })
  })

  test('no version repeats after Redis has lost its data', async () => {
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

  test('while Redis is unavailable every call fails; afterwards all operations work again', async () => {
    const store = open()
    await callAllOperations(store)
    proxy.cut()
    await eventually(() => expect(store.ping()).rejects.toThrow(LiveStoreUnavailable))
    await expect(store.locks.acquire(request)).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.locks.of(['trainee1'], now)).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.versions.get(['a'])).rejects.toThrow(LiveStoreUnavailable)
    await expect(store.presence.report([{ personId: 'trainee1', sid: 's', loginTime: now, at: now }])).rejects.toThrow(
      LiveStoreUnavailable,
    )
    proxy.restore()
    await eventually(() => store.ping())
    expect((await callAllOperations(store)).lock).toMatchObject({ sid: 'tab1' })
  })

  test('calls in flight fail when the connection is lost', async () => {
    const store = open()
    await store.ping()
    proxy.freeze()
    const calls = [store.ping(), store.versions.get(['a']), store.locks.acquire(request)]
    const outcomes = Promise.allSettled(calls)
    proxy.cut()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LiveStoreUnavailable) })
    }
  })

  test('calls on a silent connection fail after a timeout, and it is replaced', async () => {
    const store = open(1_000)
    await eventually(() => store.ping())
    proxy.freeze()
    await expect(store.ping()).rejects.toThrow(LiveStoreUnavailable)
    proxy.restore()
    await eventually(() => store.ping())
  })

  test('starts without Redis, fails all calls, and works as soon as Redis is there', async () => {
    proxy.cut()
    const store = open()
    await expect(store.ping()).rejects.toThrow(LiveStoreUnavailable)
    proxy.restore()
    await eventually(() => store.ping())
  })

  test('the first calls after the start wait for the connection', async () => {
    await expect(Promise.all([open().ping(), open().versions.get(['a'])])).resolves.toBeDefined()
  })

  test('closes without Redis', async () => {
    const store = open()
    await store.ping()
    proxy.cut()
    await expect(store.close()).resolves.toBeUndefined()
  })
})
