import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { LiveStoreAdapter } from '@watchline/kit/live/live-store-adapter'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { Redis } from 'ioredis'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { writeStoreUsers } from '../../src/operator/store-users/main.ts'
import { type RedisUser, redisUsers } from '../../src/operator/store-users/names.ts'
import { provisionRedis } from '../../src/provision/redis.ts'
import type { Provisioned } from '../../src/provision/types.ts'

const prefix = 'watchline:'
const folder = mkdtempSync(join(tmpdir(), 'watchline-redis-users-'))
const secrets = await deploymentSecrets()
const now = Date.UTC(2026, 0, 5, 9)
const lock = { personId: 'p1', sid: 's1', fence: 1, playlistId: 'l1', now, ttlMs: 300_000, takeOver: false }
const refused = /NOPERM/
let server: Provisioned
const opened: { close(): Promise<unknown> }[] = []

beforeAll(async () => {
  const setting = (name: RedisUser) => `REDIS_URL_${name.toUpperCase().replaceAll('-', '_')}`
  const env = Object.fromEntries(redisUsers.map(name => [setting(name), secrets[`redis_url_${name}`]]))
  writeStoreUsers(env, folder, ['redis'])
  server = await provisionRedis({
    dataDir: join(folder, 'redis'),
    alwaysStart: true,
    users: readFileSync(join(folder, 'users.acl'), 'utf8'),
    log: () => {},
  })
})
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

function urlOf(user: RedisUser): string {
  const url = new URL(server.url)
  url.username = user
  url.password = new URL(secrets[`redis_url_${user}`]!).password
  return url.href
}

function open(user: RedisUser): LiveStoreAdapter {
  const store = createRedisLiveStore({ url: urlOf(user), prefix, owner: user })
  opened.push(store)
  return store
}

function connect(url: string): Redis {
  const redis = new Redis(url)
  opened.push({ close: () => redis.quit() })
  return redis
}

describe('a Redis with a user for each service', () => {
  test.each(redisUsers.filter(user => user !== 'operator'))('%s uses versions and counters of its own', async user => {
    const store = open(user)
    await store.ping()
    const [before] = await store.versions.get(['a'])
    await store.versions.bump(['a'])
    expect(await store.versions.get(['a'])).not.toEqual([before])
    expect(await store.counters.countHit('c', 60_000, now)).toMatchObject({ count: 1 })
    await store.counters.clear('c')
  })

  test('playback-session writes the lock and presence; auth and engagement read the lock', async () => {
    const playback = open('playback-session')
    expect(await playback.locks.acquire(lock)).toMatchObject({ acquired: true })
    expect(await playback.locks.renew('p1', 's1', now, lock.ttlMs)).toMatchObject({ fence: 1 })
    for (const user of ['auth', 'engagement'] as const)
      expect(await open(user).locks.get('p1', now)).toMatchObject({ sid: 's1' })
    await open('gateway').presence.report([{ personId: 'p1', sid: 's1', loginTime: now, at: now }])
    expect((await open('engagement').presence.of(['p1'], now)).size).toBe(1)
    expect(await playback.presence.claimChanges(now, 10)).toMatchObject({ arrived: ['p1'] })
    await playback.presence.removeSession('p1', 's1')
    await playback.locks.release('p1', 's1')
  })

  test('auth ends login sessions, and the others read which have ended', async () => {
    await open('auth').revocations.add('ended', now + 60_000, now)
    for (const user of ['gateway', 'playback-session', 'engagement', 'notification'] as const) {
      expect(await open(user).revocations.has('ended', now)).toBe(true)
      await expect(open(user).revocations.add('s1', now + 60_000, now)).rejects.toThrow(refused)
    }
  })

  test('a service cannot forge what another one owns', async () => {
    const chat = open('chat')
    await expect(chat.locks.acquire(lock)).rejects.toThrow(refused)
    await expect(chat.locks.get('p1', now)).rejects.toThrow(refused)
    await expect(chat.presence.report([{ personId: 'p1', sid: 's', loginTime: now, at: now }])).rejects.toThrow(refused)
    await expect(open('engagement').locks.acquire(lock)).rejects.toThrow(refused)
    await expect(open('gateway').locks.acquire(lock)).rejects.toThrow(refused)
    const redis = connect(urlOf('chat'))
    await expect(redis.hset(`${prefix}lock:{p1}`, 'sid', 's1')).rejects.toThrow(refused)
    await expect(redis.del(`${prefix}auth:counter:{login:account:a}`)).rejects.toThrow(refused)
    // A script cannot do more than its caller.
    const script = `return redis.call('DEL', '${prefix}auth:counter:{login:account:a}')`
    await expect(redis.eval(script, 0)).rejects.toThrow(/can't access at least one of the keys/)
    for (const [command, ...args] of [
      ['FLUSHALL'],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
      ['KEYS', '*'],
      ['SCAN', '0'],
      ['FUNCTION', 'LIST'],
      ['SCRIPT', 'FLUSH'],
      ['MONITOR'],
      ['SUBSCRIBE', 'x'],
    ] as const)
      await expect(redis.call(command, ...args)).rejects.toThrow(refused)
  })

  test('the operator can remove all keys, and nobody can do anything without a password but ping', async () => {
    await open('chat').counters.countHit('c', 60_000, now)
    const operator = connect(urlOf('operator'))
    const [, keys] = await operator.scan('0', 'MATCH', `${prefix}*`, 'COUNT', 1_000)
    expect(keys).toContain(`${prefix}chat:counter:{c}`)
    expect(await operator.unlink(...keys)).toBe(keys.length)
    const anonymous = new Redis(server.url, { enableReadyCheck: false })
    opened.push({ close: async () => anonymous.disconnect() })
    expect(await anonymous.ping()).toBe('PONG')
    await expect(anonymous.get(`${prefix}chat:version:{a}`)).rejects.toThrow(refused)
  })
})
