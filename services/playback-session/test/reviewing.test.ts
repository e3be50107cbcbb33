import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { assignPlaylist, callAs, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
let url: string

beforeEach(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterEach(() => world.close())

test('superiors can open and watch the playlists assigned to their people', async () => {
  const director = world.addPerson('director')
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const stranger = world.addPerson('supervisor')
  world.addPerson('user', { supervisor_id: stranger.id })
  const playlist = await createPlaylist(callAs(world, url, director), { title: 'From above' })
  const openStatus = async (person: typeof trainee) =>
    (await callAs(world, url, person).get(`/playlists/${playlist.id}`)).status
  const watchStatus = async (person: typeof trainee) =>
    (await callAs(world, url, person).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id }))
      .status

  expect([await openStatus(supervisor), await watchStatus(supervisor), await openStatus(trainee)]).toEqual([
    404, 404, 404,
  ])
  await assignPlaylist(callAs(world, url, director), playlist.id, trainee)
  // Teams are in memory, which follows the database.
  for (const person of [trainee, supervisor, manager, director])
    await eventually(async () =>
      expect([person.role, await openStatus(person), await watchStatus(person)]).toEqual([person.role, 200, 200]),
    )
  expect([await openStatus(stranger), await watchStatus(stranger)]).toEqual([404, 404])
  const answer = await callAs(world, url, supervisor).get(`/playlists/${playlist.id}`)
  expect(answer.json).toMatchObject({ title: 'From above', assigned_users: [trainee.id], shared_with: [] })
})
