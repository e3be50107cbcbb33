import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provisionChromium } from './chromium.ts'
import { provisionMongo } from './mongo.ts'
import { cacheFolder } from './paths.ts'
import { provisionRabbit } from './rabbit.ts'
import { provisionRedis } from './redis.ts'
import type { Log, Provisioned } from './types.ts'

export interface TestServers {
  env: { MONGO_URL: string; AMQP_URL: string; REDIS_URL: string; CHROMIUM_PATH: string }
  stop(): Promise<void>
}

/** Linux keeps files in this folder in memory. */
const memoryFolder = '/dev/shm'
/** Twice what the servers store in a whole run. */
const neededBytes = 4 * 2 ** 30

/** A whole run keeps thousands of collections open, which fill MongoDB's usual cache. */
const testCacheGb = 1

/** All servers that tests need, on free ports. stop() removes their data. */
export async function provisionTestServers(log: Log): Promise<TestServers> {
  const folder = mkdtempSync(join(chooseDataFolder(), 'watchline-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const options = (name: string) => ({ dataDir: join(folder, name), cacheDir: cacheFolder(), log })
  const attempts = await Promise.allSettled([
    provisionMongo({ ...options('mongo'), cacheGb: testCacheGb, keepsExpired: true, withoutPassword: true }),
    provisionRabbit(options('rabbitmq')),
    provisionRedis(options('redis')),
    provisionChromium({ log }),
  ])
  const [mongo, rabbit, redis, chromium] = attempts
  const stop = async () => {
    await Promise.all([mongo, rabbit, redis].map(attempt => stopIfStarted(attempt)))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  if (
    mongo.status === 'fulfilled' &&
    rabbit.status === 'fulfilled' &&
    redis.status === 'fulfilled' &&
    chromium.status === 'fulfilled'
  ) {
    const env = {
      MONGO_URL: mongo.value.url,
      AMQP_URL: rabbit.value.url,
      REDIS_URL: redis.value.url,
      CHROMIUM_PATH: chromium.value,
    }
    return { env, stop }
  }
  await stop()
  throw attempts.find(attempt => attempt.status === 'rejected')?.reason
}

/**
 * Every confirmed write waits for the disk. In memory that takes no time, and the tests need not
 * survive a power cut.
 */
function chooseDataFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= neededBytes ? memoryFolder : tmpdir()
  } catch {
    return tmpdir()
  }
}

async function stopIfStarted(attempt: PromiseSettledResult<Provisioned>) {
  if (attempt.status === 'fulfilled') await attempt.value.stop()
}
