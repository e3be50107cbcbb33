import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { systemClock } from '@watchline/kit/clock'
import { eventually, serverUrl } from '@watchline/kit/test-harness'
import { as, aTrainee, createEngagementWorld, type EngagementWorld, iso, rows } from './_util.ts'

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))
const seconds = 100
const kills = 4

let world: EngagementWorld
let port: number
let child: ChildProcess
const url = () => `http://127.0.0.1:${port}`

beforeAll(async () => {
  world = await createEngagementWorld({ bus: 'rabbitmq', live: 'redis', clock: systemClock })
  port = await freePort()
  await start()
})
afterAll(async () => {
  await end('SIGTERM')
  await world.close()
})

/** The service as operations start it: a process of its own on real MongoDB, RabbitMQ and Redis. */
async function start() {
  const { NODE_OPTIONS: _jestsOwn, ...environment } = process.env
  child = spawn(process.execPath, ['dev/src/service.ts', 'engagement'], {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...environment,
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      PORT: String(port),
      MONGO_URL: serverUrl('MONGO_URL'),
      AMQP_URL: serverUrl('AMQP_URL'),
      REDIS_URL: serverUrl('REDIS_URL'),
      DATABASE_PREFIX: world.config.databasePrefix,
      AMQP_EXCHANGE: world.config.amqpExchange,
      REDIS_PREFIX: world.config.redisPrefix,
      TOKEN_PUBLIC_KEY: world.config.tokenPublicKey,
      INTERNAL_SECRET: world.config.internalSecret,
      AUTH_URL: world.ownersUrl,
      PLAYBACK_SESSION_URL: world.ownersUrl,
    },
  })
  await eventually(async () => (await fetch(`${url()}/readyz`)).ok, 30_000)
}

async function end(signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** A viewer who has watched for some time and whose reports come now, each again until it is acknowledged. */
async function aViewer() {
  const { person, playlistId, watched } = await aTrainee(world, url(), [seconds])
  const now = Date.now()
  const started = now - (seconds + 20) * 1_000
  const sid = `sid-${person.id}`
  const lock = { personId: person.id, sid, fence: 1, playlistId, ttlMs: limits.monitoringLockMs, takeOver: false }
  await world.ports.live.locks.acquire({ ...lock, now: started })
  let sent = 0

  async function report(type: string, position: number) {
    const body = {
      playlist_id: playlistId,
      video_id: 'v0',
      event_type: type,
      watch_time: position,
      client_time: iso(started + position * 1_000),
      event_id: randomUUID(),
    }
    await eventually(async () => {
      sent += 1
      const answer = await as(world, url(), person, sid).post('/engagement/track', body)
      expect(answer.status).toBe(200)
    }, 60_000)
  }

  return {
    person,
    watched,
    sent: () => sent,
    watch: async () => {
      await report('play', 0)
      for (let position = 5; position < seconds; position += 5) await report('playing', position)
      await report('ended', seconds)
    },
  }
}

test('killed again and again under load, with clients that send again: everything is credited, and once', async () => {
  const viewers = await Promise.all(Array.from({ length: 40 }, aViewer))
  const watching = Promise.all(viewers.map(each => each.watch()))
  let done = false
  void watching.finally(() => {
    done = true
  })
  let killed = 0
  while (!done && killed < kills) {
    const before = viewers.reduce((sum, each) => sum + each.sent(), 0)
    // In the middle of it: when a good part of the reports has come in since the last time.
    await eventually(() => done || viewers.reduce((sum, each) => sum + each.sent(), 0) > before + 100, 60_000)
    await end('SIGKILL')
    killed += 1
    await start()
  }
  await watching
  expect(killed).toBe(kills)
  const repeats = viewers.reduce((sum, each) => sum + each.sent(), 0) - viewers.length * (seconds / 5 + 1)
  expect(repeats).toBeGreaterThan(0)

  for (const { watched, person } of viewers) {
    const video = await watched()
    expect(video).toMatchObject({ completion_rate: 100, completed: true, missing: [], notes: [] })
    expect(video.watch_time).toBeCloseTo(seconds, 3)
    const told = { 'event.type': 'video.completed', 'event.data.person_id': person.id }
    expect(await rows(world, 'outbox').countDocuments(told)).toBe(1)
  }
  await eventually(async () => (await rows(world, 'outbox').countDocuments({ pending: true })) === 0)
}, 240_000)

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number }
      server.close(() => resolve(free))
    })
  })
}
