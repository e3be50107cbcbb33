import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import { callAs, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

test('a person reads how many of their assignments, positions and sessions are stored, and of nobody else', async () => {
  const { trainee, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const me = callAs(world, url, trainee)
  const countMine = async () => (await me.get('/session/record')).json
  expect(await countMine()).toEqual({ assignments: 1, positions: 0, monitored_sessions: 0 })

  await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
  await me.post('/session/save-progress', { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress: 3 })
  await me.post('/session/monitoring', { is_monitoring: false, playlist_id: playlist.id })
  expect(await countMine()).toEqual({ assignments: 1, positions: 1, monitored_sessions: 1 })

  const colleague = await callAs(world, url, team[1]!).get('/session/record')
  expect(colleague.json).toEqual({ assignments: 1, positions: 0, monitored_sessions: 0 })
  expect((await apiClient(url).get('/session/record')).status).toBe(401)
})
