import { expect, test } from '@jest/globals'
import { cookieNames } from '@watchline/identity/cookies'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { Redis } from 'ioredis'
import { openTestBrowser } from '../../../services/notification/test/live-stream/_browser.ts'
import { useSystem } from './_use-system.ts'

const running = useSystem()

interface Identified {
  id: string
}

/** Reads how superiors and the stores show the trainee and the supervisor's team. */
async function observe(traineeId: string) {
  const { supervisor, admin } = running.traffic
  const read = async (caller: typeof admin, path: string) => (await caller.call('GET', path)).json
  const [online, team, users, [leader], rooms] = await Promise.all([
    read(supervisor, '/users/online'),
    read(supervisor, '/engagement/team'),
    read(supervisor, '/users'),
    read(admin, '/admin/supervisors'),
    read(supervisor, '/chat/rooms'),
  ])
  const redis = new Redis(serverUrl('REDIS_URL'))
  const lock = await redis.exists(`${running.system.name}:lock:{${traineeId}}`).finally(() => redis.disconnect())
  const sessions = running.system.database('playback-session').collection('monitoring_sessions')
  return {
    online: online.users.map((user: { user_id: string }) => user.user_id),
    teamOfEngagement: team.members.map((member: { user_id: string }) => member.user_id),
    teamOfAuth: users.map(({ id }: Identified) => id),
    teamSize: leader.user_count,
    roomIsOpen: rooms[0].open,
    lock: lock === 1,
    monitoredSessions: await sessions.countDocuments({ person_id: traineeId, open: true }),
  }
}

test('a person who is deactivated while watching leaves every service at once, and their history stays', async () => {
  const { system, traffic } = running
  const { trainee, supervisor, admin } = traffic
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where)
  await traffic.chat()
  const { id, name } = (await trainee.call('GET', '/auth/profile')).json
  const stream = await openTestBrowser(system.url, { cookie: `${cookieNames(system.url).access}=${trainee.token()}` })
  await stream.nextHint('hello')
  await eventually(async () =>
    expect(await observe(id)).toEqual({
      online: expect.arrayContaining([id]),
      teamOfEngagement: [id],
      teamOfAuth: [id],
      teamSize: 1,
      roomIsOpen: true,
      lock: true,
      monitoredSessions: 1,
    }),
  )
  const before = await eventually(async () => {
    const { json } = await admin.call('GET', `/engagement/members/${id}`)
    expect(json.playlists).toHaveLength(1)
    return json
  })

  const answer = await admin.call('PUT', `/admin/users/${id}/status`, { status: 'deactivated' })
  expect(answer).toMatchObject({ status: 200 })

  // Auth and the gateways refuse them from now on, the others as soon as the event has arrived.
  expect((await trainee.call('GET', '/auth/profile')).status).toBe(401)
  const calls: [string, string, object?][] = [
    ['GET', '/playlists/today'],
    ['POST', '/session/heartbeat'],
    ['POST', '/engagement/track', { ...where, event_type: 'play', watch_time: 1, event_id: crypto.randomUUID() }],
    ['GET', '/notifications'],
    ['GET', '/chat/rooms'],
    ['POST', '/auth/refresh'],
  ]
  for (const [method, path, body] of calls)
    await eventually(async () => expect([path, (await trainee.call(method, path, body)).status]).toEqual([path, 401]))
  await eventually(() => stream.ending !== undefined)
  await eventually(async () =>
    expect(await observe(id)).toEqual({
      online: expect.not.arrayContaining([id]),
      teamOfEngagement: [],
      teamOfAuth: [],
      teamSize: 0,
      roomIsOpen: false,
      lock: false,
      monitoredSessions: 0,
    }),
  )

  const after = (await admin.call('GET', `/engagement/members/${id}`)).json
  expect(after.playlists).toEqual(before.playlists)
  const comments = await admin.call('GET', `/comments/${where.playlist_id}/${where.video_id}`)
  expect(comments.json).toMatchObject([{ user_name: name }])
  const [room] = (await supervisor.call('GET', '/chat/rooms')).json
  expect((await supervisor.call('GET', `/chat/messages/${room.id}`)).json).toHaveLength(1)
})
