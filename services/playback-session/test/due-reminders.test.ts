import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import {
  callAs,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const hour = 3600_000
const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let replicas: PlaybackSessionService[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const first = await world.start()
  url = first.url
  replicas = [first.service, (await world.start()).service, (await world.start()).service]
})
afterAll(() => world.close())

/** Three replicas at once; the number of tasks that all of them reminded of. */
async function remind(): Promise<number> {
  const counts = await Promise.all(replicas.map(service => service.sendDueRemindersOnce()))
  return counts.reduce((sum, count) => sum + count, 0)
}
const dueIn = (hours: number) => ({
  local: new Date(clock.now() + hours * hour).toISOString().slice(0, 16),
  time_zone: 'UTC',
})
const remindersOf = (playlist: { id: string }) =>
  world
    .of('task.due')
    .filter(({ playlist_id }) => playlist_id === playlist.id)
    .map(({ reason, people }) => [reason, [...people].sort()])
const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id).sort()
const complete = (person: { id: string }, playlist: { id: string }) =>
  completeTask(world, person.id, playlist.id, clock.now())

test('people are reminded once a day before the due date and once at it, by one of several replicas', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 3)
  const playlist = await createPlaylist(boss)
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team), due: dueIn(48) })
  clock.advance(24 * hour - 60_000)
  expect(await remind()).toBe(0)
  clock.advance(60_000)
  expect(await remind()).toBe(3)
  expect(await remind()).toBe(0)
  await eventually(() => expect(remindersOf(playlist)).toEqual([['due_soon', idsOf(team)]]))

  // Completed meanwhile, so there is nothing to remind of.
  const task = async () => (await callAs(world, url, team[0]!).get('/playlists/assigned?status=open')).json
  await complete(team[0]!, playlist)
  await eventually(async () => expect((await task()).map(({ id }: { id: string }) => id)).not.toContain(playlist.id))
  clock.advance(24 * hour)
  expect(await remind()).toBe(2)
  clock.advance(30 * 24 * hour)
  expect(await remind()).toBe(0)
  await eventually(() =>
    expect(remindersOf(playlist)).toEqual([
      ['due_soon', idsOf(team)],
      ['overdue', idsOf(team.slice(1))],
    ]),
  )
})

test('a due date that was set within its last day has one reminder, and a changed one has its own', async () => {
  const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const setDue = (due: unknown) =>
    callAs(world, url, supervisor).put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due })
  await setDue(dueIn(2))
  expect(await remind()).toBe(0)
  clock.advance(2 * hour)
  expect(await remind()).toBe(1)
  await setDue(dueIn(48))
  await setDue(null)
  clock.advance(48 * hour)
  expect(await remind()).toBe(0)
  await setDue(dueIn(30))
  clock.advance(30 * hour - limits.dueSoonMs)
  expect(await remind()).toBe(1)
  await eventually(() => expect(remindersOf(playlist).map(([reason]) => reason)).toEqual(['overdue', 'due_soon']))
})

test('nobody is reminded who is deactivated or no longer has the task', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const people = idsOf(team)
  await boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: people, due: dueIn(2) })
  const [leaver, other] = team as [(typeof team)[number], (typeof team)[number]]
  const changed = world.changePerson(leaver, { deactivated_at: new Date(clock.now()).toISOString() })
  await world.publish('user.deactivated', {
    ...{ person: changed, by: null, previous_supervisor_id: null, previous_manager_id: null },
  })
  await eventually(async () =>
    expect((await callAs(world, url, leaver).get('/playlists/today')).json.code).toBe('deactivated'),
  )
  await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [other.id] })
  clock.advance(2 * hour)
  expect(await remind()).toBe(0)
  expect(remindersOf(playlist)).toEqual([])
})

test('many due tasks are taken in batches', async () => {
  const supervisor = world.addPerson('supervisor')
  const boss = callAs(world, url, supervisor)
  const trainees = [world.addPerson('user', { supervisor_id: supervisor.id })]
  const playlists = await Promise.all(Array.from({ length: 3 }, () => createPlaylist(boss)))
  for (const { id } of playlists)
    await boss.put(`/playlists/${id}/assign`, { assigned_users: idsOf(trainees), due: dueIn(1) })
  clock.advance(hour)
  expect(await replicas[0]!.sendDueRemindersOnce()).toBe(3)
  await eventually(() => expect(playlists.flatMap(remindersOf)).toHaveLength(3))
})
