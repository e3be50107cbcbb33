import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { eventually } from '@watchline/testing/harness'
import { callAs, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld, readCollection } from './_util.ts'

let world: PlaybackWorld
beforeAll(async () => {
  world = await createPlaybackWorld({ bus: 'rabbitmq', live: 'redis' })
})
afterAll(() => world.close())

/** The events that a consumer's queue would hold. */
async function listen(bus: EventBus, types: string[]) {
  const heard: DomainEvent[] = []
  const subscription = await bus.subscribeLive({ types }, event => heard.push(event as DomainEvent))
  return { heard, subscription }
}

describe('a failure between commit and publish', () => {
  test.each([
    ['the publishing fails', () => Promise.reject(new Error('killed'))],
    ['the process hangs for ever', () => new Promise<void>(() => {})],
  ])('%s: after a restart the event arrives once', async (_how, beforePublish) => {
    const { heard, subscription } = await listen(world.ports.bus, ['playlist.assigned', 'monitoring.started'])
    let stuck = 0
    const doomed = await world.start({
      ports: {
        ...(await world.otherPorts()),
        beforePublish: () => {
          stuck += 1
          return beforePublish()
        },
      },
    })
    const { trainee, playlist } = await createTeamWithPlaylist(world, doomed.url)
    const me = callAs(world, doomed.url, trainee)
    expect((await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })).status).toBe(200)
    await eventually(() => expect(stuck).toBeGreaterThan(0))
    expect(await readCollection(world, 'outbox').countDocuments({ pending: true })).toBeGreaterThanOrEqual(3)
    const ofThis = (type: string) =>
      heard.filter(event => event.type === type && (event.data as { playlist_id: string }).playlist_id === playlist.id)
    expect(ofThis('playlist.assigned')).toEqual([])

    // No wait for the failed replica: as after kill -9, another takes over its events.
    const rescuer = (await world.start({ ports: await world.otherPorts() })).service
    await eventually(() => {
      expect(ofThis('playlist.assigned')).toHaveLength(1)
      expect(ofThis('monitoring.started')).toHaveLength(1)
    })
    await eventually(async () =>
      expect(await readCollection(world, 'outbox').countDocuments({ pending: true })).toBe(0),
    )
    expect(ofThis('playlist.assigned')).toHaveLength(1)
    expect(ofThis('monitoring.started')).toHaveLength(1)
    await subscription.cancel()
    // Otherwise it would publish the events of the next failed replica.
    await rescuer.stop()
  })

  test('a refused call leaves neither state nor event', async () => {
    const { url } = await world.start({ ports: await world.otherPorts() })
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    await eventually(async () =>
      expect(await readCollection(world, 'outbox').countDocuments({ pending: true })).toBe(0),
    )
    const before = await readCollection(world, 'outbox').countDocuments({})
    const outsider = world.person('user')
    await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [outsider.id, trainee.id] })
    await boss.post('/playlists', { title: '', videos: [] })
    await callAs(world, url, outsider).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    expect(await readCollection(world, 'outbox').countDocuments({})).toBe(before)
  })
})
