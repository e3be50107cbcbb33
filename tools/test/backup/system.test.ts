import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { projectRoot } from '../../src/provision/paths.ts'
import { openTestStores, startProcesses, type TestStores } from '../observability/_systems.ts'
import { startTraffic, type Traffic } from '../observability/_traffic.ts'

let testStores: TestStores
let system: Awaited<ReturnType<typeof startProcesses>>
let traffic: Traffic
beforeAll(async () => {
  testStores = await openTestStores()
  system = await startProcesses({}, testStores)
  traffic = await startTraffic(system.url)
})
afterAll(async () => {
  await traffic?.close()
  await system?.close()
})

/** The collections of all services. */
async function collections(): Promise<string[]> {
  const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
  const found = await Promise.all(
    services.map(async service => {
      const listed = await testStores.database(service).listCollections({}, { nameOnly: true }).toArray()
      return listed.map(({ name }) => `${service} ${name}`)
    }),
  )
  return found.flat().sort()
}

/** Runs the operator's command. */
async function backup(...args: string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(projectRoot, 'tools/src/backup/main.ts'), ...args],
    {
      env: {
        ...env,
        ...testStores.env,
        // The command creates its key there, and encrypts with it.
        DATA_DIR: testStores.folder,
        BACKUP_ENCRYPTION: 'true',
        MONGO_URL: serverUrl('MONGO_URL'),
        AMQP_URL: serverUrl('AMQP_URL'),
        REDIS_URL: serverUrl('REDIS_URL'),
      },
    },
  )
  return stdout
}

test('a backup of a running system is restored: queued events take effect once, later data are gone', async () => {
  const folder = join(testStores.folder, 'backup')
  const countComments = async () => {
    const { json } = await traffic.supervisor.call('GET', '/notifications')
    return json.notifications.filter(
      (notification: { notification_type: string }) => notification.notification_type === 'comment',
    ).length
  }
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where)
  await eventually(async () => expect(await countComments()).toBe(1))

  // The broker still holds this published event during the backup.
  await system.groups.notification.scale(0)
  await traffic.comment(where)
  const outbox = testStores.database('engagement').collection('outbox')
  await eventually(async () => expect(await outbox.countDocuments({ pending: true })).toBe(0))
  expect(await backup('create', folder)).toContain('is written')

  // The restore discards this later comment.
  await system.groups.notification.scale(1)
  await traffic.comment(where)
  await eventually(async () => expect(await countComments()).toBe(3))
  const eraseManager = async () => {
    const [manager] = (await traffic.admin.call('GET', '/admin/users?role=manager')).json
    await traffic.erase(manager.id, manager.email)
    return manager as { id: string; name: string }
  }
  const isErased = async () => {
    const { json } = await traffic.admin.call('GET', '/admin/erasures')
    return json[0].completed_at !== null
  }
  const manager = await eraseManager()
  await eventually(isErased)
  await expect(backup('restore', folder, '--replace')).rejects.toThrow('still running')
  await system.stop()

  const collectionsBefore = await collections()
  const headBefore = (await testStores.database('auth').collection('audit_chain').findOne())!
  expect(await backup('check', folder)).toContain('is complete')
  expect(await backup('restore', folder, '--replace')).toContain('is restored')
  const withOldCookies = [traffic.admin.copy(), traffic.supervisor.copy(), traffic.trainee.copy()]
  system = await startProcesses({}, testStores, Number(new URL(system.url).port))
  for (const browser of withOldCookies) {
    // The gateways load the ended sessions once auth has put them into the live store.
    await eventually(async () => expect((await browser.call('GET', '/auth/profile')).status).toBe(401))
    expect((await browser.call('POST', '/auth/refresh')).status).toBe(401)
  }
  await traffic.signInAdmin()
  await traffic.signInPeople()
  await eventually(async () => expect(await countComments()).toBe(2))
  expect(await collections()).toEqual(collectionsBefore)
  // The person who was erased after the backup is erased again, and the audit log says so.
  await eventually(isErased)
  for (const service of ['auth', 'playback-session', 'engagement', 'notification', 'chat'])
    expect(await testStores.database(service).collection('people').countDocuments({ name: manager.name })).toBe(0)
  const { json: entries } = await traffic.admin.call('GET', '/admin/audit?action=erased')
  expect(entries).toMatchObject([{ by: null, subject: { id: manager.id } }])
  // They are changes, as the first view of the audit log shows them, and not part of the setup.
  const { json: changes } = await traffic.admin.call('GET', '/admin/audit?setup=false&sign_ins=false')
  const { at } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const replaced = { replaced_seq: headBefore.seq, replaced_hash: headBefore.hash }
  expect(changes.slice(0, 2)).toMatchObject([
    { action: 'erased' },
    { action: 'restored', actor: 'operator', by: null, after: { backup_at: at, ...replaced } },
  ])
  // Every event is consumed, and none twice.
  for (const service of ['auth', 'playback-session', 'engagement', 'notification'])
    await eventually(async () =>
      expect(await testStores.database(service).collection('outbox').countDocuments({ pending: true })).toBe(0),
    )
  expect(await countComments()).toBe(2)
  await traffic.comment(where)
  await eventually(async () => expect(await countComments()).toBe(3))
})
