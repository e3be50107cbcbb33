import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createBrowser } from '@watchline/testing/browser'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { Agent } from 'undici'
import { type Distributed, startDistributed } from '../../src/up/system.ts'

const name = `up${randomBytes(5).toString('hex')}`
const folder = mkdtempSync(join(tmpdir(), 'watchline-up-'))
const agent = new Agent({ connections: 32 })
let system: Distributed

beforeAll(async () => {
  system = await startDistributed({
    dataDir: folder,
    port: 0,
    stores: { mongoUrl: serverUrl('MONGO_URL'), amqpUrl: serverUrl('AMQP_URL'), redisUrl: serverUrl('REDIS_URL') },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    env: { DATABASE_PREFIX: name, AMQP_EXCHANGE: name, REDIS_PREFIX: `${name}:`, RATE_LIMITS: 'false' },
    drainMs: 1_000,
    log: () => {},
  })
})
afterAll(async () => {
  await agent.close()
  await system?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('the system as separate processes', () => {
  test('no request fails while its processes are replaced', async () => {
    const watcher = createBrowser(system.url, agent)
    await watcher.signIn('watcher@example.org')
    const calls: (() => Promise<{ status: number }>)[] = [
      () => watcher.call('GET', '/auth/profile'),
      () => watcher.call('GET', '/playlists/today'),
      () => watcher.call('GET', '/notifications'),
      () => watcher.call('GET', '/chat/unread-count'),
      () => watcher.call('POST', '/comments', { playlist_id: 'none', video_id: 'none', content: 'x', timestamp: 0 }),
    ]
    const outcomes = new Map<string, number>()
    let isRunning = true
    const load = Array.from({ length: 8 }, async (_, index) => {
      for (let call = index; isRunning; call += 1) {
        const outcome = await calls[call % calls.length]!().then(
          ({ status }) => (status < 500 ? 'answered' : `status ${status}`),
          error => String(error),
        )
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        await sleep(5)
      }
    })
    const before = system.groups.gateway.replicas.map(replica => replica.pid)
    for (const service of ['playback-session', 'gateway'] as const) await system.roll(service)
    isRunning = false
    await Promise.all(load)
    expect([...outcomes.keys()]).toEqual(['answered'])
    expect(outcomes.get('answered')).toBeGreaterThan(100)
    expect(system.groups.gateway.replicas.map(replica => replica.pid)).not.toEqual(before)
  })

  test('a process that dies is restarted, and scaling adds and removes processes', async () => {
    const { chat } = system.groups
    const { pid } = chat.replicas[0]!
    chat.replicas[0]!.signal('SIGKILL')
    await eventually(() => expect(chat.replicas[0]).toMatchObject({ ready: true, restarts: 1 }))
    expect(chat.replicas[0]!.pid).not.toBe(pid)
    await chat.scale(2)
    expect(chat.replicas.map(replica => replica.ready)).toEqual([true, true])
    await chat.scale(1)
    expect(chat.replicas).toHaveLength(1)
  })
})
