import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const findWatcher = (personId: string) => collectionOf(world, 'watchers').findOne({ _id: personId })
const makeStopped = (personId: string, fence: number, from: number | undefined, to: number) => ({
  person_id: personId,
  sid: `sid-${personId}`,
  playlist_id: 'p',
  fence,
  ...(from !== undefined && { started_at: iso(from) }),
  stopped_at: iso(to),
  reason: 'released' as const,
})

describe('monitoring.stopped', () => {
  test('adds the lock interval to the bank, also when late, repeated or out of order', async () => {
    const now = world.clock.now()
    const balances = []
    for (const order of [
      [1, 2, 3],
      [3, 1, 2],
      [2, 2, 3, 1, 1],
      [3, 2, 1],
    ]) {
      const { id } = world.addPerson()
      for (const fence of order)
        await world.publish(
          'monitoring.stopped',
          makeStopped(id, fence, now + fence * 20_000, now + fence * 20_000 + 10_000),
        )
      balances.push((await findWatcher(id))!.balance)
    }
    expect(balances).toEqual([30, 30, 30, 30])
  })

  test('a repeated event applies once', async () => {
    const { id } = world.addPerson()
    const now = world.clock.now()
    const event = newId()
    for (let time = 0; time < 3; time += 1)
      await world.publish('monitoring.stopped', makeStopped(id, 1, now, now + 10_000), { id: event })
    expect(await findWatcher(id)).toMatchObject({ balance: 10, version: 1 })
  })

  test('without a start, as older versions published it, uses the stored start or adds nothing', async () => {
    const [announced, unannounced] = [world.addPerson(), world.addPerson()]
    const now = world.clock.now()
    const started = {
      person_id: announced.id,
      sid: `sid-${announced.id}`,
      playlist_id: 'p',
      fence: 1,
      started_at: iso(now),
    }
    await world.publish('monitoring.started', started)
    expect(await findWatcher(announced.id)).toMatchObject({ balance: 0, holds: [{ fence: 1, from: now, to: now }] })
    await world.publish('monitoring.stopped', makeStopped(announced.id, 1, undefined, now + 10_000))
    await world.publish('monitoring.stopped', makeStopped(unannounced.id, 1, undefined, now + 10_000))
    expect((await findWatcher(announced.id))!.balance).toBe(10)
    expect((await findWatcher(unannounced.id))!.balance).toBe(0)
  })

  test('adds only the time that earlier reports under the same lock have not added', async () => {
    const { person, lock, track, watched } = await createTrainee(world, url, [100])
    await lock.acquire()
    await track({ event_type: 'play', watch_time: 0, client_time: iso(world.clock.now()) })
    world.clock.advance(10_000)
    await track({ watch_time: 10, client_time: iso(world.clock.now()) })
    expect((await findWatcher(person.id))!.balance).toBe(0)
    world.clock.advance(4_000)
    const publishStopped = await lock.release()
    await publishStopped()
    expect((await findWatcher(person.id))!.balance).toBe(4)
    expect((await watched()).watch_time).toBe(10)
  })

  test('adds all time although reports of the same person arrive concurrently', async () => {
    const { person, lock, track } = await createTrainee(world, url, [1_000])
    await lock.acquire()
    const now = world.clock.now()
    const stops = Array.from({ length: 10 }, (_, index) =>
      makeStopped(person.id, index + 1, now - (index + 1) * 10_000, now - index * 10_000),
    )
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => track({ event_type: 'play', watch_time: index })),
      ...stops.map(event => world.publish('monitoring.stopped', event)),
    ])
    expect(answers.slice(0, 10)).toEqual(Array(10).fill(expect.objectContaining({ status: 200 })))
    await eventually(async () => expect((await findWatcher(person.id))!.balance).toBe(100))
    expect(await world.ports.bus.deadLetters('engagement')).toEqual([])
  })
})

describe('playlists and assignments', () => {
  const findPlaylist = (id: string) => collectionOf(world, 'playlists').findOne({ _id: id })

  test('come from a snapshot at the first start, page by page', async () => {
    const fresh = await createEngagementWorld()
    try {
      const person = fresh.addPerson()
      const playlists = Array.from({ length: 3 }, () => fresh.playlist([10]))
      for (const playlist of playlists) fresh.assign(playlist, person)
      const { url: freshUrl } = await fresh.start()
      expect(await collectionOf(fresh, 'playlists').countDocuments()).toBe(3)
      expect(await collectionOf(fresh, 'assignments').countDocuments({ person_id: person.id, assigned: true })).toBe(3)
      fresh.owners.requestedPaths.length = 0
      await fresh.start()
      expect(fresh.owners.requestedPaths).toEqual([])
      const watched = await callAs(fresh, freshUrl, person).get(`/engagement/watched/${playlists[0]!.playlist_id}`)
      expect(watched.status).toBe(200)
    } finally {
      await fresh.close()
    }
  })

  test('playlist.created adds a new playlist and never changes a stored one', async () => {
    const playlist = { ...world.playlist([10]), shared_with: ['supervisor'] }
    await world.publish('playlist.created', playlist)
    expect(await findPlaylist(playlist.playlist_id)).toMatchObject({ title: 'Safety', shared_with: ['supervisor'] })
    await world.publish('playlist.created', { ...playlist, title: 'Older' })
    expect((await findPlaylist(playlist.playlist_id))!.title).toBe('Safety')
  })

  test('the later of an assignment and an unassignment wins, in either order of events', async () => {
    const playlist = world.playlist([10])
    const playlist_id = playlist.playlist_id
    const now = world.clock.now()
    const publishAssigned = (id: string, at: number) =>
      world.publish('playlist.assigned', { playlist_id, title: '', by: 'b', assigned: [id], assigned_date: iso(at) })
    const publishUnassigned = (id: string, at: number) =>
      world.publish('playlist.unassigned', { playlist_id, by: 'b', unassigned: [id] }, { at })
    const orders: [(id: string) => Promise<void>[], boolean][] = [
      [id => [publishAssigned(id, now), publishUnassigned(id, now + 1)], false],
      [id => [publishUnassigned(id, now + 1), publishAssigned(id, now)], false],
      [id => [publishUnassigned(id, now), publishAssigned(id, now + 1)], true],
      [id => [publishAssigned(id, now + 1), publishUnassigned(id, now)], true],
    ]
    for (const [publishAll, expected] of orders) {
      const { id } = world.addPerson()
      for (const publication of publishAll(id)) await publication
      const row = await collectionOf(world, 'assignments').findOne({ _id: `${id}:${playlist_id}` })
      expect(row!.assigned).toBe(expected)
    }
  })

  test('a person who lost the assignment may not watch, but may still send late reports', async () => {
    const { person, me, playlistId, track, watched } = await createTrainee(world, url, [10])
    await watched()
    world.owners.assignments.delete(`${person.id}:${playlistId}`)
    await world.publish('playlist.unassigned', { playlist_id: playlistId, by: 'b', unassigned: [person.id] })
    await eventually(async () => expect((await me.get(`/engagement/watched/${playlistId}`)).status).toBe(404))
    world.clock.advance(limits.lateReportsMs)
    expect((await track({ watch_time: 0 })).status).toBe(200)
    world.clock.advance(1)
    expect((await track({ watch_time: 0 })).status).toBe(404)
  })

  test('an event that does not match its schema becomes a dead letter', async () => {
    await world.publish('monitoring.stopped', { person_id: 7 } as never).catch(() => {})
    await eventually(async () => expect(await world.ports.bus.deadLetters('engagement')).toHaveLength(1))
  })
})
