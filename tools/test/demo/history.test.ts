import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { seedDemoHistory } from '../../src/demo/history/seed-history.ts'
import { nameOf } from '../../src/demo/people.ts'
import { seedDemo } from '../../src/demo/seed-demo.ts'
import { type DemoDatabases, openDemoDatabases, startDemoServices } from './_demo.ts'

let databases: DemoDatabases
let demo: Awaited<ReturnType<typeof startDemoServices>>
const log = () => {}
const startedAt = Date.now()

beforeAll(async () => {
  databases = openDemoDatabases()
  // Nobody can answer a notice in the past.
  await seedDemoHistory({ env: { ...databases.env, MONITORING_NOTICE: 'consent' }, log })
  demo = await startDemoServices(databases)
})
afterAll(async () => {
  await demo?.stop()
  await databases?.close()
})

interface Member {
  name: string
  completion_rate: number
  total_videos: number
  notes: number
  progress: string
}

async function membersOf(supervisor: string): Promise<Map<string, Member>> {
  const { members } = await demo.get(supervisor, 'engagement', '/engagement/team')
  return new Map((members as Member[]).map(member => [member.name, member]))
}

async function findPlaylist(account: string, title: string): Promise<{ id: string }> {
  const playlists: { id: string; title: string }[] = await demo.get(account, 'playback-session', '/playlists')
  return playlists.find(playlist => playlist.title === title)!
}

test('the demo has people of every role, and a manager’s request waits for the administrator', async () => {
  expect(await demo.get('admin', 'auth', '/admin/user-counts')).toMatchObject({
    user: 24,
    supervisor: 4,
    manager: 2,
    director: 1,
    pending_requests: 1,
  })
  const [request] = await demo.get('admin', 'auth', '/admin/supervisor-requests')
  expect(request).toMatchObject({ manager_name: nameOf('manager2'), supervisor_name: nameOf('supervisor4') })
})

test('a trainee has four videos to watch today, one of some minutes, after completed tasks', async () => {
  const today = await demo.get('trainee1', 'playback-session', '/playlists/today')
  expect(today).toMatchObject({ title: 'One clip from each course', assignment_status: 'assigned' })
  expect(today.videos.map(({ duration }: { duration: number }) => Math.round(duration))).toEqual([15, 20, 24, 180])
  const tasks: { assignment_status: string }[] = await demo.get('trainee1', 'playback-session', '/playlists/assigned')
  expect(tasks.map(task => task.assignment_status)).toEqual(['assigned', 'completed', 'completed', 'completed'])
})

test('tasks are due, overdue and completed in time', async () => {
  const tasksOf = async (account: string): Promise<{ due: { at: string }; completed_at: string | null }[]> =>
    demo.get(account, 'playback-session', '/playlists/assigned')
  const [open, ...completed] = await tasksOf('trainee1')
  expect(Date.parse(open!.due.at)).toBeGreaterThan(Date.now())
  expect(completed).toHaveLength(3)
  for (const { due, completed_at } of completed) expect(completed_at! < due.at).toBe(true)
  const behind = await demo.get('trainee3', 'playback-session', '/playlists/today')
  expect(behind).toMatchObject({ title: 'Calls that end well', assignment_status: 'in_progress' })
  expect(Date.parse(behind.due.at)).toBeLessThan(Date.now())
  const { notifications } = await demo.get('trainee3', 'notification', '/notifications')
  const kinds = notifications.map(({ kind }: { kind: string }) => kind)
  expect(kinds.slice(0, 2)).toEqual(['task_overdue', 'task_due_soon'])
})

test('one task is due on the clocks of each person, of whom some chose their time zone', async () => {
  const { id } = await findPlaylist('supervisor2', 'One clip from each course')
  const dueOf = async (account: string) => {
    const tasks: { id: string; due: { local: string } }[] = await demo.get(
      account,
      'playback-session',
      '/playlists/assigned?status=open',
    )
    return tasks.find(task => task.id === id)!.due
  }
  const { local } = await dueOf('trainee12')
  const personal = { local, time_zone_of: 'person' }
  expect(await dueOf('trainee8')).toMatchObject({ ...personal, time_zone: 'Asia/Tokyo' })
  expect(await dueOf('trainee9')).toMatchObject({ ...personal, time_zone: 'Asia/Seoul' })
  expect(await dueOf('trainee12')).toMatchObject({ ...personal, time_zone: 'UTC' })
})

test('one completed task is due again after a year, and the open one repeats', async () => {
  const tasks: { recurrence: { unit: string } | null; completed_at: string | null; next_occurrence: unknown }[] =
    await demo.get('trainee1', 'playback-session', '/playlists/assigned')
  const recurring = tasks.filter(({ recurrence }) => recurrence)
  expect(recurring).toMatchObject([
    { recurrence: { unit: 'month' }, completed_at: null },
    { recurrence: { unit: 'year' }, completed_at: expect.any(String), next_occurrence: { due: expect.anything() } },
  ])
})

test('one completed task and the open one have conditions, for the trainee, the supervisor and the record', async () => {
  type WithConditions = { title: string; conditions?: object | null }
  const today = { grace_days: 3, required_percent: 95, max_rate: 1, attention_checks: true, allow_skipping: true }
  const completed = {
    grace_days: 7,
    required_percent: 95,
    max_rate: null,
    attention_checks: false,
    allow_skipping: true,
  }
  const tasks: WithConditions[] = await demo.get('trainee1', 'playback-session', '/playlists/assigned')
  expect(tasks.map(task => task.conditions ?? null)).toEqual([today, completed, null, null])

  const { id } = await findPlaylist('supervisor1', tasks[0]!.title)
  const assignments: WithConditions[] = await demo.get('supervisor1', 'playback-session', `/playlists/${id}/assign`)
  expect(assignments.length).toBeGreaterThan(0)
  for (const assignment of assignments) expect(assignment.conditions).toEqual(today)

  const { members } = await demo.get('supervisor1', 'engagement', '/engagement/team')
  const { user_id } = (members as { name: string; user_id: string }[]).find(({ name }) => name === nameOf('trainee1'))!
  const record = await demo.get('supervisor1', 'engagement', `/records/people/${user_id}`)
  const recorded: { title: string; completed: boolean; assignments: WithConditions[] }[] = record.tasks
  expect(recorded.find(({ title }) => title === tasks[1]!.title)).toMatchObject({
    completed: true,
    assignments: [{ conditions: completed }],
  })
})

test('one task is marked as done by hand, and one person is exempt from another', async () => {
  const closedOf = async (account: string) => {
    const tasks: { title: string; override: { kind: string; by: { name: string } } | null }[] = await demo.get(
      account,
      'playback-session',
      '/playlists/assigned?status=completed',
    )
    return tasks.flatMap(({ title, override }) => (override ? [[title, override.kind, override.by.name]] : []))
  }
  const supervisor = nameOf('supervisor1')
  expect(await closedOf('trainee5')).toEqual([['Calls that end well', 'marked_done', supervisor]])
  expect(await closedOf('trainee6')).toEqual([[expect.any(String), 'exempt', supervisor]])
  const members = await membersOf('supervisor1')
  expect(members.get(nameOf('trainee5'))).toMatchObject({ marked_done_tasks: 1, exempt_tasks: 0 })
  expect(members.get(nameOf('trainee6'))).toMatchObject({ marked_done_tasks: 0, exempt_tasks: 1 })
})

test('one member is done, one is behind, one has a gap, and one skips', async () => {
  const members = await membersOf('supervisor1')
  expect(members.get(nameOf('trainee2'))).toMatchObject({ completion_rate: 100, notes: 0 })
  expect(members.get(nameOf('trainee3'))!.completion_rate).toBeLessThan(50)
  expect(members.get(nameOf('trainee6'))!.notes).toBeGreaterThan(0)

  const calls = await findPlaylist('supervisor1', 'Calls that end well')
  const watched = await demo.get('trainee5', 'engagement', `/engagement/watched/${calls.id}`)
  expect(watched).toMatchObject({ completed: false, completed_videos: 2 })
  expect(watched.videos[1]).toMatchObject({ completed: false, missing: [[4, 9]] })
})

test('the first supervisor sees who is stuck and who is done', async () => {
  const members = await membersOf('supervisor1')
  expect(members.get(nameOf('trainee3'))).toMatchObject({ progress: 'stalled' })
  expect(members.get(nameOf('trainee2'))).toMatchObject({ progress: 'finished' })
})

test('the figures of the team grow over four weeks', async () => {
  const days: { completion_rate: number; completed_videos: number }[] = await demo.get(
    'supervisor1',
    'engagement',
    '/engagement/history?days=30',
  )
  expect(days.length).toBeGreaterThan(25)
  const completed = days.map(day => day.completed_videos)
  expect(completed).toEqual(completed.toSorted((first, second) => first - second))
  expect(new Set(completed).size).toBeGreaterThan(4)
})

test('one comment waits for the supervisor, one has an answer, and the author of a rejected one sees why', async () => {
  const bell = await demo.get('supervisor1', 'notification', '/notifications')
  expect(bell.pending_approvals).toBe(1)
  expect(bell.unread_count).toBeGreaterThan(0)

  const welcome = await findPlaylist('trainee1', 'Welcome and safety')
  const [answered] = await demo.get('trainee1', 'engagement', `/comments/${welcome.id}/exits-and-assembly-point`)
  expect(answered).toMatchObject({ user_name: nameOf('trainee2'), review: { approved: true } })
  expect(answered.replies).toHaveLength(2)

  const calls = await findPlaylist('trainee6', 'Calls that end well')
  const [rejected] = await demo.get('trainee6', 'engagement', `/comments/${calls.id}/opening-well`)
  expect(rejected.review).toMatchObject({ approved: false, comment: expect.stringContaining('Please write') })
})

test('unread messages wait at every level of the organisation', async () => {
  for (const account of ['trainee1', 'supervisor1', 'manager1', 'director1'])
    expect({ account, ...(await demo.get(account, 'chat', '/chat/unread-count')) }).toEqual({
      account,
      unread_count: 1,
    })
})

test('each person was last seen in a visit of the past, and its session has ended', async () => {
  const users: { name: string; last_seen: string | null }[] = await demo.get('admin', 'auth', '/admin/users?limit=100')
  expect(users).toHaveLength(31)
  const lastSeen = new Map(users.map(({ name, last_seen }) => [name, Date.parse(last_seen!)]))
  for (const seenAt of lastSeen.values()) expect(seenAt).toBeLessThan(startedAt)
  const { members } = await demo.get('supervisor1', 'engagement', '/engagement/team')
  const hourMs = 3600_000
  for (const { name, last_activity } of members as { name: string; last_activity: string }[])
    expect(lastSeen.get(name)!).toBeGreaterThan(Date.parse(last_activity) - hourMs)
  const open = { ended_at: null, expires_at: { $gt: new Date() } }
  expect(await databases.database('auth').collection('sessions').countDocuments(open)).toBe(0)
})

test('nobody is online and no session is open', async () => {
  expect(await demo.get('supervisor1', 'playback-session', '/users/online')).toMatchObject({ monitoring_count: 0 })
  const open = await databases
    .database('playback-session')
    .collection('monitoring_sessions')
    .countDocuments({ ended_at: null })
  expect(open).toBe(0)
})

const lastingData: Record<string, string[]> = {
  auth: ['people', 'supervisor_requests', 'audit'],
  'playback-session': ['playlists', 'assignments', 'progress'],
  engagement: ['watchers', 'comments'],
  notification: ['notifications'],
  chat: ['rooms'],
}

async function hashData(): Promise<unknown[]> {
  const hashes = Object.entries(lastingData).map(([service, collections]) =>
    databases.database(service).command({ dbHash: 1, collections }),
  )
  return (await Promise.all(hashes)).map(({ collections }) => collections)
}

test('seeding again changes nothing', async () => {
  const before = await hashData()
  await seedDemoHistory({ env: databases.env, log })
  await seedDemo({ ...demo, log })
  expect(await hashData()).toEqual(before)
})
