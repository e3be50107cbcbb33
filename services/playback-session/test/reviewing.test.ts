import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { aPlaylist, as, assigned, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
let url: string

beforeEach(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterEach(() => world.close())

test('whoever looks after somebody may look at what they have to watch, and watch it', async () => {
  const director = world.person('director')
  const manager = world.person('manager')
  const supervisor = world.person('supervisor', { manager_id: manager.id })
  const trainee = world.person('user', { supervisor_id: supervisor.id })
  const stranger = world.person('supervisor')
  world.person('user', { supervisor_id: stranger.id })
  const playlist = await aPlaylist(as(world, url, director), { title: 'From above' })
  const look = async (person: typeof trainee) => (await as(world, url, person).get(`/playlists/${playlist.id}`)).status
  const watch = async (person: typeof trainee) =>
    (await as(world, url, person).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })).status

  expect([await look(supervisor), await watch(supervisor), await look(trainee)]).toEqual([404, 404, 404])
  await assigned(as(world, url, director), playlist.id, trainee)
  for (const person of [trainee, supervisor, manager, director])
    expect([person.role, await look(person), await watch(person)]).toEqual([person.role, 200, 200])
  expect([await look(stranger), await watch(stranger)]).toEqual([404, 404])
  const seen = await as(world, url, supervisor).get(`/playlists/${playlist.id}`)
  expect(seen.json).toMatchObject({ title: 'From above', assigned_users: [trainee.id], shared_with: [] })
})
