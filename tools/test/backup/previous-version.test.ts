import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, createBrowser } from '@watchline/testing/browser'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { Agent } from 'undici'
import { projectRoot } from '../../src/provision/paths.ts'
import { openTestStores, startProcesses, type TestStores } from '../observability/_systems.ts'

/**
 * A backup that version 0.1.0 wrote while six processes ran. Trainee 1 had completed one video and
 * was in the middle of the second one. One comment was approved. RabbitMQ still held a second
 * comment's event, which the notification service had not consumed. Keys and login sessions are
 * removed from it.
 */
const storedBackup = fileURLToPath(new URL('version-0.1.0', import.meta.url))

const agent = new Agent({ keepAliveTimeout: 1_000 })
let testStores: TestStores
let system: Awaited<ReturnType<typeof startProcesses>>

beforeAll(async () => {
  testStores = await openTestStores()
  const { NODE_OPTIONS: _, ...env } = process.env
  const stores = {
    MONGO_URL: serverUrl('MONGO_URL'),
    AMQP_URL: serverUrl('AMQP_URL'),
    REDIS_URL: serverUrl('REDIS_URL'),
  }
  const command = [join(projectRoot, 'tools/src/backup/main.ts'), 'restore', storedBackup, '--replace', '--unsigned']
  await promisify(execFile)(process.execPath, command, { env: { ...env, ...testStores.env, ...stores } })
  system = await startProcesses({}, testStores)
})
afterAll(async () => {
  await system?.close()
  await agent.close()
})

async function signIn(account: string): Promise<Browser> {
  const browser = createBrowser(system.url, agent)
  expect((await browser.signIn(`${account}@demo.local`)).status).toBe(200)
  return browser
}

async function read(browser: Browser, path: string) {
  const answer = await browser.call('GET', path)
  expect({ path, status: answer.status }).toEqual({ path, status: 200 })
  return answer.json
}

test('this version restores data and queued events of version 0.1.0', async () => {
  const trainee = await signIn('trainee1')
  const supervisor = await signIn('supervisor1')
  const manager = await signIn('manager2')

  const task = await read(trainee, '/playlists/today')
  expect(task).toMatchObject({ title: 'Welcome and safety', assignment_status: 'in_progress' })
  const [first, second] = task.videos
  expect(await read(trainee, '/session/status')).toMatchObject({
    can_resume: true,
    current_playlist_id: task.id,
    current_video_index: 1,
    video_progress: 4.5,
  })
  const watched = await read(trainee, `/engagement/watched/${task.id}`)
  expect(watched).toMatchObject({ completed_videos: 1, completion_rate: 32.4, watch_time: 12.01 })
  expect(watched.videos[0]).toMatchObject({ video_id: first.id, completed: true, watched: [[0, 12.01]] })

  const comments = await read(supervisor, `/comments/${task.id}/${first.id}`)
  expect(
    comments.map(({ comment, timestamp }: { comment: string; timestamp: number }) => [timestamp, comment]),
  ).toEqual([
    [3, 'Where is the second assembly point?'],
    [7, 'Published, and not consumed when the backup was made'],
  ])

  // The queued event becomes one notification. The reviewed notification stays reviewed.
  const approvals = async () => {
    const { notifications } = await read(supervisor, '/notifications')
    return notifications
      .filter((notification: { notification_type: string }) => notification.notification_type === 'comment')
      .map((notification: { is_approved: boolean | null; timestamp: number }) => [
        notification.timestamp,
        notification.is_approved,
      ])
      .sort()
  }
  await eventually(
    async () =>
      expect(await approvals()).toEqual([
        [3, true],
        [7, null],
      ]),
    60_000,
  )

  const [room] = await read(trainee, '/chat/rooms')
  const messages = await read(trainee, `/chat/messages/${room.id}`)
  expect(messages.map(({ message }: { message: string }) => message)).toEqual([
    'May I watch the rest tomorrow?',
    'Yes.',
  ])

  const admin = createBrowser(system.url, agent)
  const login = await admin.call('POST', '/admin/login', { email: 'admin@demo.local', password: 'watchline-demo' })
  expect(login.status).toBe(200)
  const requests = await read(admin, '/admin/supervisor-requests')
  expect(requests).toMatchObject([{ reason: 'One team more' }])

  // Watching continues at the stored position, and consumers accept every event of the outboxes.
  const started = await trainee.call('POST', '/session/monitoring', { is_monitoring: true, playlist_id: task.id })
  expect(started.status).toBe(200)
  const position = { playlist_id: task.id, video_id: second.id, video_index: 1, progress: 6 }
  expect((await trainee.call('POST', '/session/save-progress', position)).status).toBe(200)
  expect((await read(trainee, '/session/status')).video_progress).toBe(6)
  expect((await read(manager, '/manager/supervisors')).length).toBe(1)
  for (const service of ['auth', 'playback-session', 'engagement', 'notification'])
    await eventually(async () =>
      expect(await testStores.database(service).collection('outbox').countDocuments({ pending: true })).toBe(0),
    )
  expect(await approvals()).toEqual([
    [3, true],
    [7, null],
  ])
})
