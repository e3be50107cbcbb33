import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { maxOwnActs } from '@watchline/identity/personal-data'
import {
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

async function readOwnActs(person: PersonSnapshot): Promise<Record<string, unknown[]>> {
  const { text } = await callAs(world, url, person).get('/session/record/data')
  const lines = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { kind: string; data: unknown })
  expect(lines.at(-1)).toEqual({ kind: 'end', data: null })
  const acts = lines.filter(({ kind }) => kind.startsWith('own_'))
  return Object.groupBy(acts, ({ kind }) => kind) as Record<string, unknown[]>
}

test('the data of a superior contain what they did about playlists and tasks of others', async () => {
  const { supervisor, boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const [trainee, colleague] = team
  const manager = world.addPerson('manager')
  const other = world.addPerson('supervisor', { manager_id: manager.id })
  const shared = await createPlaylist(callAs(world, url, manager))
  const deleted = await createPlaylist(boss, { title: 'Old rules' })
  const assign = `/playlists/${playlist.id}/assign`
  const done = [
    await callAs(world, url, manager).put(`/playlists/${shared.id}/share`, { supervisor_ids: [other.id] }),
    await boss.put(`${assign}/due`, {
      ...{ assigned_users: [trainee!.id], due: { local: '2030-01-31T17:00' }, reason: 'On holiday' },
    }),
    await boss.put(`${assign}/override`, {
      ...{ assigned_users: [colleague!.id], change_id: crypto.randomUUID(), action: 'exempt', reason: 'Knows it' },
    }),
    await boss.delete(`/playlists/${deleted.id}`),
  ]
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200])

  const acts = await readOwnActs(supervisor)
  const data = (value: Record<string, unknown>) => ({ data: value })
  const time = expect.any(String)
  expect(acts.own_playlists).toMatchObject([data({ _id: playlist.id, title: 'Safety', shared_with: [] })])
  expect((await readOwnActs(manager)).own_playlists).toMatchObject([data({ _id: shared.id, shared_with: [other.id] })])
  expect(acts.own_deleted_playlists).toMatchObject([data({ _id: deleted.id, title: 'Old rules', deleted_at: time })])
  expect(acts.own_assignments).toHaveLength(2)
  for (const person of team)
    expect(acts.own_assignments).toContainEqual({
      kind: 'own_assignments',
      // Nothing else of the trainee's task.
      data: { _id: expect.any(String), person_id: person.id, playlist_id: playlist.id, assigned_date: time },
    })
  expect(acts.own_task_changes).toHaveLength(2)
  expect(acts.own_task_changes).toEqual(
    expect.arrayContaining([
      expect.objectContaining(data({ ...change(trainee!), reason: 'On holiday' })),
      expect.objectContaining(data({ ...change(colleague!), action: 'exempt', reason: 'Knows it' })),
    ]),
  )
  function change({ id }: PersonSnapshot) {
    return { _id: expect.any(String), person_id: id, playlist_id: playlist.id, at: time }
  }

  // Others find none of these in their data.
  for (const person of [trainee!, other]) expect(await readOwnActs(person)).toEqual({})
})

test('what a person did is found by indexes that also order it', async () => {
  const byAnother = { person_id: { $ne: 'a' } }
  const finds = [
    collectionOf(world, 'playlists').find({ created_by: 'a' }).sort({ created_at: -1 }),
    collectionOf(world, 'deleted_playlists')
      .find({ $or: [{ created_by: 'a' }, { deleted_by: 'a' }] })
      .sort({ deleted_at: -1 }),
    collectionOf(world, 'assignments')
      .find({ assigned_by: 'a', ...byAnother })
      .sort({ assigned_date: -1 }),
    collectionOf(world, 'group_assignments')
      .find({ $or: [{ assigned_by: 'a' }, { changed_by: 'a' }] })
      .sort({ assigned_at: -1 }),
    collectionOf(world, 'assignment_changes')
      .find({ by: 'a', ...byAnother })
      .sort({ at: -1 }),
  ]
  for (const find of finds) {
    const { winningPlan } = (await find.limit(maxOwnActs).explain('queryPlanner')).queryPlanner
    expect(JSON.stringify(winningPlan)).not.toMatch(/"stage":"(COLLSCAN|SORT)"/)
  }
})
