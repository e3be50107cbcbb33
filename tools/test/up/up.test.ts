import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Answer, createBrowser } from '@watchline/testing/browser'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { rotateStoredSecrets } from '../../src/deployment/secret-files.ts'
import { rotationSteps } from '../../src/deployment/secret-rotation.ts'
import { provisionRabbit } from '../../src/provision/rabbit.ts'
import { provisionRedis } from '../../src/provision/redis.ts'
import { developmentSecrets, type Secrets } from '../../src/start/secrets.ts'
import { createStoreUsers } from '../../src/up/store-users.ts'
import { type Distributed, type ProcessName, processNames } from '../../src/up/system.ts'
import { useOwnServers } from './_use-own-servers.ts'

/** The pauses of the clients between two calls. A newcomer costs as much as many other calls. */
const pauseMs = 100
const newcomerPauseMs = 600

const name = `up${randomBytes(5).toString('hex')}`
const { folder, agent, servers, startSystem } = useOwnServers({ connections: 32 })
let system: Distributed

beforeAll(async () => {
  // A broker and a live store of its own, because every process has its own user there.
  const names = { AMQP_EXCHANGE: name, REDIS_PREFIX: `${name}:` }
  const users = createStoreUsers(names)
  const optionsOf = (server: string) => ({ dataDir: join(folder, server), alwaysStart: true, log: () => {} })
  const [rabbit, redis] = await Promise.all([
    provisionRabbit({ ...optionsOf('rabbitmq'), definitions: users.rabbitDefinitions }),
    provisionRedis({ ...optionsOf('redis'), users: users.redisAclFile }),
  ])
  servers.push(rabbit, redis)
  const addressesOf = (user: ProcessName | 'operator') =>
    users.addressesOf(user, { amqpUrl: rabbit.url, redisUrl: redis.url })
  system = await startSystem({
    stores: { mongoUrl: serverUrl('MONGO_URL'), ...addressesOf('operator') },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    envOf: Object.fromEntries(
      processNames.map(process => {
        const { amqpUrl, redisUrl } = addressesOf(process)
        return [process, { AMQP_URL: amqpUrl, REDIS_URL: redisUrl }]
      }),
    ),
    env: { ...names, ...users.env, DATABASE_PREFIX: name, RATE_LIMITS: 'false' },
    // Much longer than the gateway keeps idle connections, as upstream.ts demands: a busy gateway
    // closes them seconds late.
    drainMs: 6_000,
  })
})

describe('the system as separate processes', () => {
  test('no request fails and nobody is signed out while every secret is replaced by rolling restarts', async () => {
    const watcher = createBrowser(system.url, agent)
    await watcher.signIn('watcher@example.org')
    let newcomers = 0
    const calls: Record<string, () => Promise<Answer>> = {
      profile: () => watcher.call('GET', '/auth/profile'),
      tasks: () => watcher.call('GET', '/playlists/today'),
      notifications: () => watcher.call('GET', '/notifications'),
      chat: () => watcher.call('GET', '/chat/unread-count'),
      refresh: () => watcher.call('POST', '/auth/refresh', {}),
      // A service that does not know a person yet reads them from auth by an internal call.
      newcomer: async () => {
        newcomers += 1
        const newcomer = createBrowser(system.url, agent)
        await newcomer.signIn(`newcomer${newcomers}@example.org`)
        return newcomer.call('GET', '/playlists/today')
      },
    }
    const outcomes = new Map<string, number>()
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    let isRunning = true
    const load = Object.entries(calls).map(async ([name, call]) => {
      while (isRunning) {
        count(
          await call()
            // Browsers repeat a call whose idle connection closed as they sent it.
            .catch(error => (error?.code === 'UND_ERR_SOCKET' ? call() : Promise.reject(error)))
            .then(
              ({ status, json }) => (status === 200 ? `${name} 200` : `${name} ${status} ${JSON.stringify(json)}`),
              error => `${name} ${error}`,
            ),
        )
        await sleep(name === 'newcomer' ? newcomerPauseMs : pauseMs)
      }
    })
    const before = Object.values(system.groups).flatMap(group => group.replicas.map(replica => replica.pid))
    const firstSecrets = developmentSecrets(folder, {})
    for (const step of rotationSteps) {
      await rotateStoredSecrets(join(folder, 'secrets.json'), step)
      await Promise.all(processNames.map(service => system.roll(service)))
      // Tokens of the previous secrets live until a refresh; operators wait for that.
      const refreshes = outcomes.get('refresh 200') ?? 0
      await eventually(() => outcomes.get('refresh 200')! > refreshes + 1)
    }
    // A slow machine needs more time to make enough calls.
    await eventually(() => outcomes.get('profile 200')! > 100)
    isRunning = false
    await Promise.all(load)
    expect([...outcomes.keys()].sort()).toEqual(
      Object.keys(calls)
        .map(name => `${name} 200`)
        .sort(),
    )
    const after = Object.values(system.groups).flatMap(group => group.replicas.map(replica => replica.pid))
    expect(after.filter(pid => before.includes(pid))).toEqual([])
    for (const [secret, value] of Object.entries(developmentSecrets(folder, {})))
      expect(value).not.toBe(firstSecrets[secret as keyof Secrets])
  })

  test('every process does its work with the rights of its own user at the stores', async () => {
    const readMetrics = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text()
    const sumOf = (text: string, pattern: RegExp) =>
      [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)
    await createBrowser(system.url, agent).signIn('colleague@example.org')
    await eventually(async () => {
      const chat = await readMetrics(system.groups.chat.replicas[0]!)
      const auth = await readMetrics(system.groups.auth.replicas[0]!)
      // The lines on events tell how far an event came that did not arrive.
      const lines = `${auth}${chat}`.split('\n').filter(line => /^watchline_(events|outbox)_/.test(line))
      const consumed = /^watchline_events_total{.*type="user.created",outcome="consumed".*} [1-9]/
      expect(lines).toContainEqual(expect.stringMatching(consumed))
    })
    for (const process of processNames)
      for (const replica of system.groups[process].replicas) {
        const metrics = await readMetrics(replica)
        const failures = {
          process,
          published: sumOf(metrics, /^watchline_events_published_total{.*outcome="failed".*} (\d+)/gm),
          refused: sumOf(metrics, /^watchline_events_total{.*outcome="(?:refused|failed)".*} (\d+)/gm),
          liveStore: sumOf(metrics, /^watchline_live_store_failures_total{.*} (\d+)/gm),
        }
        expect(failures).toEqual({ process, published: 0, refused: 0, liveStore: 0 })
        const up = [...metrics.matchAll(/^watchline_dependency_up{.*dependency="([^"]+)".*} (\d)/gm)]
        expect(up.map(([, dependency, value]) => [dependency, value])).toEqual(
          expect.arrayContaining([
            ['event bus', '1'],
            ['live store', '1'],
          ]),
        )
      }
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
