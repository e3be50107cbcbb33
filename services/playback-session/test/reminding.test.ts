import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Reminder } from '@watchline/contracts/assignments'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { recordCommands } from '@watchline/testing/mongo-commands'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
const hour = 3600_000
let world: PlaybackWorld
let url: string
/** Commands of requests on the collection of assignments. */
let assignmentCommands: string[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  assignmentCommands = []
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl } })
  const started = await recordCommands(
    world.config.mongoUrl,
    ({ name, collection }) => collection === 'assignments' && assignmentCommands.push(name),
    start,
  )
  url = started.url
})
afterAll(() => world.close())

const remind = (caller: Caller, ...people: { id: string }[]) =>
  caller.post('/playlists/today/remind', { user_ids: people.map(person => person.id) })

async function remindedOutcomes(caller: Caller, ...people: { id: string }[]): Promise<Reminder[]> {
  const answer = await remind(caller, ...people)
  expect(answer.status).toBe(200)
  return answer.json.reminders
}

const complete = (personId: string, playlistId: string) => completeTask(world, personId, playlistId, clock.now())

const remindersOf = (playlist: { id: string }) =>
  world.of('task.reminded').filter(({ playlist_id }) => playlist_id === playlist.id)

/** Waits for the events of all earlier calls: the outbox publishes them in order. */
async function untilPublished() {
  const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
  await remind(boss, trainee)
  await eventually(() => expect(remindersOf(playlist)).toHaveLength(1))
}

test('a supervisor reminds several people, and one event a playlist names them', async () => {
  const { boss, supervisor, team, playlist } = await createTeamWithPlaylist(world, url, 3)
  const newer = await createPlaylist(boss, { title: 'Heights' })
  await assignPlaylist(boss, newer.id, team[2]!)
  expect(await remindedOutcomes(boss, ...team)).toEqual(
    team.map((member, index) => ({
      user_id: member.id,
      outcome: 'reminded',
      reminded_at: new Date(clock.now()).toISOString(),
      playlist_id: index === 2 ? newer.id : playlist.id,
      title: index === 2 ? 'Heights' : 'Safety',
    })),
  )
  await untilPublished()
  expect(remindersOf(playlist)).toEqual([
    {
      playlist_id: playlist.id,
      title: 'Safety',
      by: supervisor.id,
      reminded: [team[0]!.id, team[1]!.id],
      reminded_at: new Date(clock.now()).toISOString(),
    },
  ])
  expect(remindersOf(newer)).toHaveLength(1)
})

test('a person is reminded once a day of each task, also by calls at the same time, and of a version before', async () => {
  const { boss, supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const newer = await createPlaylist(boss, { title: 'Heights' })
  const newest = await createPlaylist(boss, { title: 'Fire' })
  for (const { id } of [newer, newest]) await assignPlaylist(boss, id, trainee)
  const remindOf = async ({ id: playlist_id }: { id: string }, caller = boss) => {
    const { json } = await caller.post('/playlists/today/remind', { user_ids: [trainee.id], playlist_id })
    return json.reminders[0].outcome
  }
  const outcomes = await Promise.all([playlist, newer, playlist, newer].map(task => remindOf(task)))
  expect(outcomes.sort()).toEqual(['already_reminded', 'already_reminded', 'reminded', 'reminded'])
  expect(await remindOf(playlist, callAs(world, url, world.addPerson('director')))).toBe('already_reminded')
  await untilPublished()
  for (const task of [playlist, newer]) expect(remindersOf(task)).toMatchObject([{ reminded: [trainee.id] }])
  const data = (await callAs(world, url, trainee).get('/session/record/data')).text
  for (const { id } of [playlist, newer]) expect(data).toMatch(new RegExp(`"kind":"reminders".*${id}`))

  clock.advance(24 * hour)
  const reminder = { playlist_id: newest.id, reminded_by: supervisor.id, reminded_at: new Date(clock.now()) }
  await collectionOf(world, 'reminders').replaceOne({ _id: trainee.id as never }, reminder)
  const later = callAs(world, url, supervisor)
  const ofAll = [await remindOf(newest, later), await remindOf(playlist, later), await remindOf(newer, later)]
  expect(ofAll).toEqual(['already_reminded', 'reminded', 'reminded'])
  const stored = await collectionOf(world, 'reminders').findOne({ _id: trainee.id as never })
  expect(stored).toMatchObject({ playlist_id: newer.id, earlier_today: [{}, {}] })
})

test('a task without a playable video is left out, and the answer says so', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const unplayable = await createPlaylist(boss, { title: 'Heights', videos: videos(1) })
  for (const member of team) await assignPlaylist(boss, unplayable.id, member)
  const videoPath = `/playlists/${unplayable.id}/videos/v0/unavailable`
  await boss.post(videoPath, { code: 0, decided: true })
  const user_ids = team.map(({ id }) => id)
  const remindOf = async ({ id: playlist_id }: { id: string }) =>
    (await boss.post('/playlists/today/remind', { user_ids, playlist_id })).json.reminders
  const leftOut = {
    ...{ outcome: 'no_open_task', reminded_at: null, playlist_id: unplayable.id, title: 'Heights' },
    uncompletable: 'no_playable_video',
  }
  await eventually(async () =>
    expect(await remindOf(unplayable)).toEqual(user_ids.map(user_id => ({ user_id, ...leftOut }))),
  )
  expect(await remindOf(playlist)).toMatchObject(Array(2).fill({ outcome: 'reminded' }))
  await boss.delete(videoPath)
  await eventually(async () => expect(await remindOf(unplayable)).toMatchObject([{ outcome: 'reminded' }, {}]))
  await untilPublished()
  expect(remindersOf(unplayable)).toMatchObject([{ reminded: user_ids }])
})

test('a person is reminded of a task once a day, whoever asks, and later answers say when', async () => {
  const { boss, supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const first = new Date(clock.now()).toISOString()
  const answers = await Promise.all(Array.from({ length: 5 }, () => remindedOutcomes(boss, trainee, trainee)))
  expect(answers.flat().filter(({ outcome }) => outcome === 'reminded')).toHaveLength(1)
  clock.advance(hour)
  const director = callAs(world, url, world.addPerson('director'))
  expect(await remindedOutcomes(director, trainee)).toMatchObject([{ outcome: 'already_reminded', reminded_at: first }])
  clock.advance(24 * hour)
  // The first token has expired.
  expect(await remindedOutcomes(callAs(world, url, supervisor), trainee)).toMatchObject([
    { outcome: 'reminded', reminded_at: new Date(clock.now()).toISOString() },
  ])
  await untilPublished()
  expect(remindersOf(playlist)).toHaveLength(2)
})

test('a completed task, or none, is no reason for a reminder', async () => {
  const { boss, supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const idle = world.addPerson('user', { supervisor_id: supervisor.id })
  await complete(trainee.id, playlist.id)
  const nothing = { outcome: 'no_open_task', reminded_at: null, playlist_id: null, title: null }
  expect(await remindedOutcomes(boss, trainee, idle)).toMatchObject([nothing, nothing])
  await untilPublished()
  expect(remindersOf(playlist)).toHaveLength(0)
})

test('a reminder of a chosen playlist is of that task, and only while it is unfinished', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 3)
  const newer = await createPlaylist(boss, { title: 'Heights' })
  for (const member of team) await assignPlaylist(boss, newer.id, member)
  const [open, completed, exempt] = [team[0]!, team[1]!, team[2]!]
  await complete(completed.id, playlist.id)
  await boss.put(`/playlists/${playlist.id}/assign/override`, {
    ...{ assigned_users: [exempt.id], change_id: randomUUID(), action: 'exempt', reason: 'On leave' },
  })
  const user_ids = team.map(({ id }) => id)
  const answer = await boss.post('/playlists/today/remind', { user_ids, playlist_id: playlist.id })
  expect(answer.json.reminders).toMatchObject([
    { user_id: open.id, outcome: 'reminded', playlist_id: playlist.id, title: 'Safety' },
    { user_id: completed.id, outcome: 'no_open_task' },
    { user_id: exempt.id, outcome: 'no_open_task' },
  ])
  const unknown = await boss.post('/playlists/today/remind', { user_ids, playlist_id: 'unknown' })
  expect(unknown.json.reminders).toMatchObject(Array(3).fill({ outcome: 'no_open_task' }))
  await untilPublished()
  expect(remindersOf(playlist)).toMatchObject([{ reminded: [open.id] }])
  expect(remindersOf(newer)).toEqual([])
})

test('the tasks of many people cost two queries, however many they are', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 8)
  assignmentCommands.length = 0
  const reminders = await remindedOutcomes(boss, ...team)
  expect(reminders.map(({ outcome }) => outcome)).toEqual(Array(8).fill('reminded'))
  expect(assignmentCommands).toEqual(['aggregate', 'aggregate'])
})

test('a manager reminds the trainees of their teams, and nobody else', async () => {
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const [caller, boss] = [callAs(world, url, manager), callAs(world, url, supervisor)]
  const playlist = await createPlaylist(boss)
  await assignPlaylist(boss, playlist.id, trainee)
  const { trainee: stranger } = await createTeamWithPlaylist(world, url)
  for (const other of [stranger, supervisor, manager, { id: 'nobody' }])
    expect(await remind(caller, trainee, other)).toMatchObject({ status: 403, json: { code: 'outside_team' } })
  expect((await remind(caller, trainee)).json.reminders).toMatchObject([{ outcome: 'reminded' }])
  expect((await remind(caller, trainee)).json.reminders).toMatchObject([{ outcome: 'already_reminded' }])
  await eventually(() => expect(remindersOf(playlist)).toMatchObject([{ by: manager.id, reminded: [trainee.id] }]))
})

test('a person outside the team, an unknown one and bad input remind nobody', async () => {
  const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const stranger = world.addPerson('user')
  expect(await remind(boss, trainee, stranger)).toMatchObject({ status: 403, json: { code: 'outside_team' } })
  expect((await remind(boss, trainee, { id: 'nobody' })).status).toBe(403)
  const director = callAs(world, url, world.addPerson('director'))
  expect((await remind(director, trainee, { id: 'nobody' })).status).toBe(404)
  expect((await remind(boss)).status).toBe(422)
  expect((await remind(boss, ...Array.from({ length: 101 }, (_, index) => ({ id: `p${index}` })))).status).toBe(422)
  for (const role of ['user', 'manager'] as const)
    expect((await remind(callAs(world, url, world.addPerson(role)), trainee)).status).toBe(403)
  await untilPublished()
  expect(remindersOf(playlist)).toHaveLength(0)
})
