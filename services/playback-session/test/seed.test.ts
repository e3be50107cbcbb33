import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Video } from '@watchline/contracts/playlists'
import { eventually } from '@watchline/testing/harness'
import type { PlaybackSessionService } from '../src/service.ts'
import { callAs, collectionOf, createPlaybackWorld, type PlaybackWorld, videos } from './_util.ts'

let world: PlaybackWorld
let service: PlaybackSessionService
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  ;({ service, url } = await world.start())
})
afterAll(() => world.close())

function createSeed() {
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const team = [1, 2].map(() => world.addPerson('user', { supervisor_id: supervisor.id }))
  const seeded = {
    title: 'Safety',
    description: '',
    videos: videos(2) as Video[],
    createdBy: manager.id,
    sharedWith: [supervisor.id],
    assignments: [{ by: supervisor.id, to: team.map(person => person.id) }],
  }
  return { seeded, chief: callAs(world, url, manager), boss: callAs(world, url, supervisor), team }
}

test('seeded playlists and assignments look like manually created ones', async () => {
  const { seeded, chief, boss, team } = createSeed()
  await service.seed([seeded])
  const [playlist] = (await chief.get('/playlists')).json
  expect(playlist).toMatchObject({ title: 'Safety', revision: 1 })
  expect((await boss.get('/supervisor/tasks')).json).toMatchObject([{ id: playlist.id }])
  // Now the projection holds the supervisor and their manager.
  await eventually(async () =>
    expect((await chief.get('/playlists')).json).toMatchObject([{ shared_with: seeded.sharedWith }]),
  )
  for (const person of team)
    expect((await callAs(world, url, person).get('/playlists/today')).json).toMatchObject({ id: playlist.id })
})

test('a repeated seeding restores nothing that was renamed, unassigned or deleted', async () => {
  const { seeded, chief, boss, team } = createSeed()
  await service.seed([seeded])
  const [playlist] = (await chief.get('/playlists')).json
  await chief.put(`/playlists/${playlist.id}`, { title: 'Renamed' })
  await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [team[0]!.id] })
  await service.seed([seeded])
  expect((await chief.get('/playlists')).json).toMatchObject([{ id: playlist.id, title: 'Renamed' }])
  expect((await callAs(world, url, team[0]!).get('/playlists/today')).json).toBeNull()
  await chief.delete(`/playlists/${playlist.id}`)
  await service.seed([seeded])
  expect((await chief.get('/playlists')).json).toEqual([])
})

test('a stored playlist without a revision can be shown, edited and deleted', async () => {
  const { seeded, chief } = createSeed()
  await service.seed([seeded])
  const [{ id }] = (await chief.get('/playlists')).json
  await collectionOf(world, 'playlists').updateOne({ _id: id }, { $unset: { revision: 1, source: 1 } })
  expect((await chief.get('/playlists')).json).toMatchObject([{ revision: 1, source: null }])
  expect((await chief.put(`/playlists/${id}`, { title: 'Edited', revision: 1 })).json).toMatchObject({ revision: 2 })
  await collectionOf(world, 'playlists').updateOne({ _id: id }, { $unset: { revision: 1 } })
  expect((await chief.delete(`/playlists/${id}`)).status).toBe(200)
})
