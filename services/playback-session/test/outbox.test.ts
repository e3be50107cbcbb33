import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { eventually } from '@watchline/testing/harness'
import { callAs, collectionOf, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
beforeAll(async () => {
  world = await createPlaybackWorld({ bus: 'rabbitmq', live: 'redis' })
})
afterAll(() => world.close())

/** The events that a consumer's queue would hold. */
async function recordEvents(bus: EventBus, types: string[]) {
  const received: DomainEvent[] = []
  const subscription = await bus.subscribeLive({ types }, event => received.push(event as DomainEvent))
  return { received, subscription }
}

describe('a failure between commit and publish', () => {
  test.each([
    ['the publish fails', () => Promise.reject(new Error('killed'))],
    ['the process hangs', () => new Promise<void>(() => {})],
  ])('%s: another replica publishes the event once', async (_name, beforePublish) => {
    const { received, subscription } = await recordEvents(world.ports.bus, ['playlist.assigned', 'monitoring.started'])
    let blockedCalls = 0
    const failing = await world.start({
      ports: {
        ...(await world.otherPorts()),
        beforePublish: () => {
          blockedCalls += 1
          return beforePublish()
        },
      },
    })
    const { trainee, playlist } = await createTeamWithPlaylist(world, failing.url)
    const me = callAs(world, failing.url, trainee)
    expect((await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })).status).toBe(200)
    await eventually(() => expect(blockedCalls).toBeGreaterThan(0))
    expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBeGreaterThanOrEqual(3)
    const receivedOf = (type: string) =>
      received.filter(
        event => event.type === type && (event.data as { playlist_id: string }).playlist_id === playlist.id,
      )
    expect(receivedOf('playlist.assigned')).toEqual([])

    // No wait for the failed replica: as after kill -9, another takes over its events.
    const successor = (await world.start({ ports: await world.otherPorts() })).service
    await eventually(() => {
      expect(receivedOf('playlist.assigned')).toHaveLength(1)
      expect(receivedOf('monitoring.started')).toHaveLength(1)
    })
    await eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0))
    expect(receivedOf('playlist.assigned')).toHaveLength(1)
    expect(receivedOf('monitoring.started')).toHaveLength(1)
    await subscription.cancel()
    // A running replica would publish the events of the next failing one.
    await successor.stop()
  })

  test('a refused call leaves neither state nor event', async () => {
    const { url } = await world.start({ ports: await world.otherPorts() })
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    await eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0))
    const before = await collectionOf(world, 'outbox').countDocuments({})
    const outsider = world.addPerson('user')
    await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [outsider.id, trainee.id] })
    await boss.post('/playlists', { title: '', videos: [] })
    await callAs(world, url, outsider).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    expect(await collectionOf(world, 'outbox').countDocuments({})).toBe(before)
  })
})
