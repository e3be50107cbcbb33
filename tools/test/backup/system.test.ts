import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { projectRoot } from '../../src/provision/paths.ts'
import { type Ground, openGround, startProcesses } from '../observability/_systems.ts'
import { startTraffic, type Traffic } from '../observability/_traffic.ts'

let ground: Ground
let system: Awaited<ReturnType<typeof startProcesses>>
let traffic: Traffic
beforeAll(async () => {
  ground = await openGround()
  system = await startProcesses({}, ground)
  traffic = await startTraffic(system.url)
}, 120_000)
afterAll(async () => {
  await traffic?.close()
  await system?.close()
})

/** Of all services. */
async function collections(): Promise<string[]> {
  const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
  const found = await Promise.all(
    services.map(async service => {
      const listed = await ground.database(service).listCollections({}, { nameOnly: true }).toArray()
      return listed.map(({ name }) => `${service} ${name}`)
    }),
  )
  return found.flat().sort()
}

/** The command, as somebody would call it. */
async function backup(...given: string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(projectRoot, 'tools/src/backup/main.ts'), ...given],
    {
      env: {
        ...env,
        ...ground.env,
        MONGO_URL: serverUrl('MONGO_URL'),
        AMQP_URL: serverUrl('AMQP_URL'),
        REDIS_URL: serverUrl('REDIS_URL'),
      },
    },
  )
  return stdout
}

test('a running system is backed up and brought back: what the broker held is done once, what came later never was', async () => {
  const folder = join(ground.folder, 'backup')
  const texts = async () => {
    const { json } = await traffic.supervisor.call('GET', '/notifications')
    return json.notifications.filter((each: { notification_type: string }) => each.notification_type === 'comment')
      .length
  }
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where)
  await eventually(async () => expect(await texts()).toBe(1))

  // Published, and still on the broker when the backup is made.
  await system.groups.notification.scale(0)
  await traffic.comment(where)
  const outbox = ground.database('engagement').collection('outbox')
  await eventually(async () => expect(await outbox.countDocuments({ pending: true })).toBe(0))
  expect(await backup('create', folder)).toContain('is written')

  // The future that will not have been.
  await system.groups.notification.scale(1)
  await traffic.comment(where)
  await eventually(async () => expect(await texts()).toBe(3))
  await expect(backup('restore', folder, '--replace')).rejects.toThrow('still running')
  await system.stop()

  const known = await collections()
  expect(await backup('check', folder)).toContain('is complete')
  expect(await backup('restore', folder, '--replace')).toContain('is restored')
  system = await startProcesses({}, ground, Number(new URL(system.url).port))
  await eventually(async () => expect(await texts()).toBe(2), 60_000)
  expect(await collections()).toEqual(known)
  // Everything is consumed, and nothing of it twice.
  for (const service of ['auth', 'playback-session', 'engagement', 'notification'])
    await eventually(async () =>
      expect(await ground.database(service).collection('outbox').countDocuments({ pending: true })).toBe(0),
    )
  expect(await texts()).toBe(2)
  await traffic.comment(where)
  await eventually(async () => expect(await texts()).toBe(3))
}, 240_000)
