import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import { createEngagementWorld, type EngagementWorld } from './_util.ts'

let world: EngagementWorld
let url: string

beforeEach(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterEach(() => world.close())

test('a supervisor may watch a playlist that is assigned only to their trainee', async () => {
  const supervisor = world.addPerson('supervisor')
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const stranger = world.addPerson('supervisor')
  world.addPerson('user', { supervisor_id: stranger.id })
  const playlist = world.playlist([60])
  world.assign(playlist, trainee)
  const statuses = async (person: typeof trainee) => {
    const call = apiClient(url, world.token(person))
    const report = {
      playlist_id: playlist.playlist_id,
      video_id: 'v0',
      watch_time: 1,
      event_type: 'play',
      event_id: randomUUID(),
    }
    const tracked = await call.post('/engagement/track', report)
    return [tracked.status, (await call.get(`/engagement/watched/${playlist.playlist_id}`)).status]
  }
  expect(await statuses(trainee)).toEqual([200, 200])
  expect(await statuses(supervisor)).toEqual([200, 200])
  expect(await statuses(stranger)).toEqual([404, 404])
})
