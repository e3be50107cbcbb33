import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { as, aTrainee, createEngagementWorld, type EngagementWorld, iso, rows } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const watcher = (personId: string) => rows(world, 'watchers').findOne({ _id: personId })
const stopped = (personId: string, fence: number, from: number | undefined, to: number) => ({
  person_id: personId,
  sid: `sid-${personId}`,
  playlist_id: 'p',
  fence,
  ...(from !== undefined && { started_at: iso(from) }),
  stopped_at: iso(to),
  reason: 'released' as const,
})

describe('monitoring.stopped', () => {
  test('fills the bank with the lock interval, also late, repeated and out of order', async () => {
    const now = world.clock.now()
    const balances = []
    for (const order of [
      [1, 2, 3],
      [3, 1, 2],
      [2, 2, 3, 1, 1],
      [3, 2, 1],
    ]) {
      const { id } = world.person()
      for (const fence of order)
        await world.publish(
          'monitoring.stopped',
          stopped(id, fence, now + fence * 20_000, now + fence * 20_000 + 10_000),
        )
      balances.push((await watcher(id))!.balance)
    }
    expect(balances).toEqual([30, 30, 30, 30])
  })

  test('a repeated event applies once', async () => {
    const { id } = world.person()
    const now = world.clock.now()
    const event = newId()
    for (let time = 0; time < 3; time += 1)
      await world.publish('monitoring.stopped', stopped(id, 1, now, now + 10_000), { id: event })
    expect(await watcher(id)).toMatchObject({ balance: 10, version: 1 })
  })

  test('without a start, as older versions published it, begins at the known start or fills nothing', async () => {
    const [one, other] = [world.person(), world.person()]
    const now = world.clock.now()
    const started = { person_id: one.id, sid: `sid-${one.id}`, playlist_id: 'p', fence: 1, started_at: iso(now) }
    await world.publish('monitoring.started', started)
    expect(await watcher(one.id)).toMatchObject({ balance: 0, holds: [{ fence: 1, from: now, to: now }] })
    await world.publish('monitoring.stopped', stopped(one.id, 1, undefined, now + 10_000))
    await world.publish('monitoring.stopped', stopped(other.id, 1, undefined, now + 10_000))
    expect((await watcher(one.id))!.balance).toBe(10)
    expect((await watcher(other.id))!.balance).toBe(0)
  })

  test('adds only the time that reports under the same lock have not brought', async () => {
    const { person, lock, track, watched } = await aTrainee(world, url, [100])
    await lock.take()
    await track({ event_type: 'play', watch_time: 0, client_time: iso(world.clock.now()) })
    world.clock.advance(10_000)
    await track({ watch_time: 10, client_time: iso(world.clock.now()) })
    expect((await watcher(person.id))!.balance).toBe(0)
    world.clock.advance(4_000)
    const tell = await lock.release()
    await tell()
    expect((await watcher(person.id))!.balance).toBe(4)
    expect((await watched()).watch_time).toBe(10)
  })

  test('loses nothing when concurrent with reports of the same person', async () => {
    const { person, lock, track } = await aTrainee(world, url, [1_000])
    await lock.take()
    const now = world.clock.now()
    const holds = Array.from({ length: 10 }, (_, index) =>
      stopped(person.id, index + 1, now - (index + 1) * 10_000, now - index * 10_000),
    )
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => track({ event_type: 'play', watch_time: index })),
      ...holds.map(each => world.publish('monitoring.stopped', each)),
    ])
    expect(answers.slice(0, 10)).toEqual(Array(10).fill(expect.objectContaining({ status: 200 })))
    await eventually(async () => expect((await watcher(person.id))!.balance).toBe(100))
    expect(await world.ports.bus.deadLetters('engagement')).toEqual([])
  })
})

describe('playlists and assignments', () => {
  const playlistRow = (id: string) => rows(world, 'playlists').findOne({ _id: id })

  test('come from a snapshot at the first start, page by page', async () => {
    const fresh = await createEngagementWorld()
    try {
      const person = fresh.person()
      const playlists = Array.from({ length: 3 }, () => fresh.playlist([10]))
      for (const each of playlists) fresh.assign(each, person)
      const { url: at } = await fresh.start()
      expect(await rows(fresh, 'playlists').countDocuments()).toBe(3)
      expect(await rows(fresh, 'assignments').countDocuments({ person_id: person.id, assigned: true })).toBe(3)
      fresh.owners.requestedPaths.length = 0
      await fresh.start()
      expect(fresh.owners.requestedPaths).toEqual([])
      const watched = await as(fresh, at, person).get(`/engagement/watched/${playlists[0]!.playlist_id}`)
      expect(watched.status).toBe(200)
    } finally {
      await fresh.close()
    }
  })

  test('playlist.created adds a playlist and changes no stored one', async () => {
    const playlist = { ...world.playlist([10]), shared_with: ['one'] }
    await world.publish('playlist.created', playlist)
    expect(await playlistRow(playlist.playlist_id)).toMatchObject({ title: 'Safety', shared_with: ['one'] })
    await world.publish('playlist.created', { ...playlist, title: 'Older' })
    expect((await playlistRow(playlist.playlist_id))!.title).toBe('Safety')
  })

  test('the later of an assignment and an unassignment wins, in either order of events', async () => {
    const playlist = world.playlist([10])
    const playlist_id = playlist.playlist_id
    const now = world.clock.now()
    const assigned = (id: string, at: number) =>
      world.publish('playlist.assigned', { playlist_id, title: '', by: 'b', assigned: [id], assigned_date: iso(at) })
    const unassigned = (id: string, at: number) =>
      world.publish('playlist.unassigned', { playlist_id, by: 'b', unassigned: [id] }, { at })
    const orders: [(id: string) => Promise<void>[], boolean][] = [
      [id => [assigned(id, now), unassigned(id, now + 1)], false],
      [id => [unassigned(id, now + 1), assigned(id, now)], false],
      [id => [unassigned(id, now), assigned(id, now + 1)], true],
      [id => [assigned(id, now + 1), unassigned(id, now)], true],
    ]
    for (const [tellAll, expected] of orders) {
      const { id } = world.person()
      for (const each of tellAll(id)) await each
      const row = await rows(world, 'assignments').findOne({ _id: `${id}:${playlist_id}` })
      expect(row!.assigned).toBe(expected)
    }
  })

  test('a person without the assignment may not watch, but may still send late reports', async () => {
    const { person, me, playlistId, track, watched } = await aTrainee(world, url, [10])
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
