import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { connect } from 'amqplib'
import mongoose from 'mongoose'
import { provisionMongo } from '../../src/provision/mongo.ts'
import { cacheFolder, projectRoot } from '../../src/provision/paths.ts'
import { provisionRabbit } from '../../src/provision/rabbit.ts'
import { createStoreUsers } from '../../src/up/store-users.ts'
import { temporaryFolder } from '../_processes.ts'

const queue = topologyOf('watchline').queue('chat')

/** Runs the operator's command for the instance in `dataDir`. Resolves with what it prints. */
async function backup(dataDir: string, args: string[], settings: NodeJS.ProcessEnv = {}): Promise<string> {
  const { NODE_OPTIONS: _, MONGO_URL: __, AMQP_URL: ___, REDIS_URL: ____, ...env } = process.env
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(projectRoot, 'tools/src/backup/main.ts'), ...args],
    { env: { ...env, DATA_DIR: dataDir, ...settings } },
  )
  return stdout + stderr
}

function startMongo(dataDir: string) {
  return provisionMongo({
    ...{ dataDir: join(dataDir, 'mongo'), cacheDir: cacheFolder() },
    ...{ alwaysStart: true, log: () => {} },
  })
}

/** Does work with the RabbitMQ of `make up`, which starts for it and then stops. */
async function withRabbit<T>(
  dataDir: string,
  work: (channel: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createConfirmChannel']>>) => Promise<T>,
): Promise<T> {
  const users = createStoreUsers({})
  const rabbit = await provisionRabbit({
    ...{ dataDir: join(dataDir, 'rabbitmq'), definitions: users.rabbitDefinitions },
    ...{ alwaysStart: true, log: () => {} },
  })
  try {
    const connection = await connect(
      users.addressesOf('operator', { amqpUrl: rabbit.url, redisUrl: 'redis://-' }).amqpUrl,
    )
    const result = await work(await connection.createConfirmChannel())
    await connection.close()
    return result
  } finally {
    await rabbit.stop()
  }
}

test('a restore of a stopped `make up` or `make start` removes the events of later times', async () => {
  const dataDir = temporaryFolder()
  const folder = join(temporaryFolder(), 'backup')
  const mongo = await startMongo(dataDir)
  const client = await mongoose.mongo.MongoClient.connect(mongo.url)
  await client.db('watchline-chat').collection('rooms').insertOne({ name: 'first' })
  await backup(dataDir, ['create', folder])
  await client.close()
  await mongo.stop()
  await withRabbit(dataDir, async channel => {
    channel.sendToQueue(queue, Buffer.from('later'), { persistent: true })
    await channel.waitForConfirms()
  })
  const [deadLetters, brokerData] = [join(dataDir, 'dead-letters.json'), join(dataDir, 'rabbitmq')]
  writeFileSync(deadLetters, '[]')

  // A trial in other databases leaves the events of the instance alone.
  expect(await backup(dataDir, ['restore', folder], { DATABASE_PREFIX: 'trial' })).toContain('stay')
  for (const path of [deadLetters, brokerData]) expect(existsSync(path)).toBe(true)

  const printed = await backup(dataDir, ['restore', folder, '--replace'])
  for (const path of [deadLetters, brokerData]) {
    expect(printed).toContain(`${path} is removed`)
    expect(existsSync(path)).toBe(false)
  }
  // The next start creates users and queues again.
  const waiting = await withRabbit(dataDir, async channel => (await channel.checkQueue(queue)).messageCount)
  expect(waiting).toBe(0)
})
