import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cloudEvent, events } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { createPresenceRecorder } from '@watchline/kit/live/presence-recorder'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually, type TestWorldOptions } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { callAs, collectionOf, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

const second = 1_000
let clock: ReturnType<typeof createManualClock>
let world: PlaybackWorld
let url: string
let services: PlaybackSessionService[]
/** All published presence changes, as a replica with open pages receives them. */
let changes: { person_id: string; online: boolean }[]

async function startReplicas(options: TestWorldOptions = {}) {
  clock = createManualClock()
  world = await createPlaybackWorld({ clock, ...options })
  const started = [await world.start(), await world.start()]
  url = started[0]!.url
  services = started.map(replica => replica.service)
  changes = []
  await world.ports.bus.subscribeLive({ types: ['presence.changed'] }, raw => {
    changes.push(...events['presence.changed'].data.parse(cloudEvent.parse(raw).data).people)
  })
}

const publishChanges = async () => {
  for (const service of services) await service.watchPresenceOnce()
}
/** Advances the clock in steps and publishes presence changes after each. */
async function advance(seconds: number, step = 10) {
  for (let elapsed = 0; elapsed < seconds; elapsed += step) {
    clock.advance(Math.min(step, seconds - elapsed) * second)
    await publishChanges()
  }
}
const reportPresence = (person: PersonSnapshot, sid = `sid-${person.id}`) =>
  world.ports.live.presence.report([{ personId: person.id, sid, loginTime: 1, at: clock.now() }])
const signOut = (person: PersonSnapshot, sid: string) =>
  world.publish('session.revoked', { sid, person_id: person.id, reason: 'signed_out' })
const changesOf = (person: PersonSnapshot) =>
  changes.filter(event => event.person_id === person.id).map(event => (event.online ? 'online' : 'offline'))
const versionsOf = (...keys: string[]) => world.ports.live.versions.get(keys)

describe.each([
  ['in memory', {}],
  ['on RabbitMQ and Redis', { bus: 'rabbitmq', live: 'redis' }],
] as [string, TestWorldOptions][])('presence %s', (_, options) => {
  beforeEach(() => startReplicas(options))
  afterEach(() => world.close())

  test('a person with three tabs stays online after closing two, without an event', async () => {
    const person = world.addPerson()
    for (let tab = 0; tab < 3; tab += 1) await reportPresence(person)
    await eventually(() => expect(changesOf(person)).toEqual(['online']))
    for (let time = 0; time < 10; time += 1) {
      await reportPresence(person)
      await advance(30)
    }
    expect(changesOf(person)).toEqual(['online'])
  })

  test('a person with three sessions stays online after two sign-outs and goes offline with the last', async () => {
    const person = world.addPerson()
    for (const sid of ['a', 'b', 'c']) await reportPresence(person, sid)
    await eventually(() => expect(changesOf(person)).toEqual(['online']))
    await signOut(person, 'a')
    await signOut(person, 'b')
    await publishChanges()
    expect((await world.ports.live.presence.of([person.id], clock.now())).size).toBe(1)
    expect(changesOf(person)).toEqual(['online'])
    await signOut(person, 'c')
    await eventually(() => expect(changesOf(person)).toEqual(['online', 'offline']))
  })

  test('a hidden tab with one call a minute stays online without an event', async () => {
    const person = world.addPerson()
    for (let minute = 0; minute < 10; minute += 1) {
      await reportPresence(person)
      await advance(60, 5)
    }
    expect(changesOf(person)).toEqual(['online'])
  })

  test('going offline by silence is published once by many replicas and empties all lists', async () => {
    const supervisor = world.addPerson('supervisor')
    const people = Array.from({ length: 20 }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
    const boss = callAs(world, url, supervisor)
    for (const person of people) await world.publish('user.created', { person, by: null })
    for (const person of people) await reportPresence(person)
    await eventually(() => expect(changes.filter(event => event.online)).toHaveLength(20))
    await eventually(async () => expect((await boss.get('/users/online')).json.total_online).toBe(20))
    clock.advance(limits.presenceActiveMs)
    await publishChanges()
    expect(changes).toHaveLength(20)
    clock.advance(1)
    await Promise.all(services.map(service => service.watchPresenceOnce()))
    await eventually(() => expect(changes.filter(event => !event.online)).toHaveLength(20))
    await publishChanges()
    expect(changes).toHaveLength(40)
    expect((await callAs(world, url, supervisor).get('/users/online')).json.total_online).toBe(0)
  })

  test('a killed gateway leaves nobody online', async () => {
    const person = world.addPerson()
    const gateway = createPresenceRecorder({ live: world.ports.live, clock, log: createLogger('gateway', 'silent') })
    gateway.start()
    gateway.report(person.id, 'sid', 1)
    await eventually(() => expect(changesOf(person)).toEqual(['online']))
    // Unwritten reports and all timers die with it.
    clock.advance(30 * second)
    gateway.report(person.id, 'sid', 1)
    gateway.removeSession(person.id, 'sid')
    clock.advance(limits.presenceActiveMs - 30 * second + 1)
    await eventually(() => expect(changesOf(person)).toEqual(['online', 'offline']))
    await gateway.stop()
  })

  test('a presence change bumps the versions of the people who see it, and no others', async () => {
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    for (const person of [manager, supervisor, trainee]) await world.publish('user.created', { person, by: null })
    // The keys follow from the projection of people, which the events fill.
    await eventually(async () => expect(await collectionOf(world, 'people').countDocuments()).toBe(3))
    const keys = [`online:${supervisor.id}`, `online:${manager.id}`, 'online:all', 'online:staff', 'online:somebody']
    const expectBumped = async (action: () => Promise<unknown>, expected: string[]) => {
      const before = await versionsOf(...keys)
      await action()
      await eventually(async () => {
        const after = await versionsOf(...keys)
        expect(keys.filter((_key, index) => after[index] !== before[index])).toEqual(expected)
      })
    }
    await expectBumped(() => reportPresence(trainee), keys.slice(0, 3))
    await expectBumped(() => advance(100), keys.slice(0, 3))
    await expectBumped(() => reportPresence(supervisor), [`online:${manager.id}`, 'online:all', 'online:staff'])
    await expectBumped(() => reportPresence(manager), ['online:all', 'online:staff'])
    await expectBumped(() => reportPresence(world.addPerson()), ['online:all'])
  })
})

describe('a live store that becomes unavailable', () => {
  beforeEach(() => startReplicas())
  afterEach(() => world.close())

  test('loses no change: publishing is retried until the store is back', async () => {
    let isUnavailable = true
    const { live } = world.ports
    const failing: LiveStore = {
      ...live,
      versions: {
        ...live.versions,
        bump: async keys => {
          if (isUnavailable) throw new LiveStoreUnavailable('away')
          await live.versions.bump(keys)
        },
      },
    }
    for (const service of services) await service.stop()
    const { service } = await world.start({ ports: { live: failing } })
    const person = world.addPerson()
    await reportPresence(person)
    await expect(service.watchPresenceOnce()).rejects.toThrow(LiveStoreUnavailable)
    expect(changes).toEqual([])
    const before = await versionsOf('online:all')
    isUnavailable = false
    await eventually(() => expect(changesOf(person)).toEqual(['online']))
    expect(await versionsOf('online:all')).not.toEqual(before)
  })

  test('bumps the versions of a change once, also while two runs overlap', async () => {
    const { live } = world.ports
    const release = Promise.withResolvers<void>()
    const bumped: string[][] = []
    const slow: LiveStore = {
      ...live,
      versions: {
        ...live.versions,
        bump: async keys => {
          bumped.push([...keys])
          await release.promise
          await live.versions.bump(keys)
        },
      },
    }
    for (const service of services) await service.stop()
    const { service } = await world.start({ ports: { live: slow } })
    const person = world.addPerson()
    await reportPresence(person)
    const first = service.watchPresenceOnce()
    await eventually(() => expect(bumped).toHaveLength(1))
    await service.watchPresenceOnce()
    release.resolve()
    await first
    expect(bumped).toHaveLength(1)
    await eventually(() => expect(changesOf(person)).toEqual(['online']))
  })

  test('bumps the same versions for monitoring: acquired, released, taken over, other playlist, expired, signed out', async () => {
    const { supervisor, trainee, playlist, boss } = await createTeamWithPlaylist(world, url)
    const secondPlaylist = (await boss.post('/playlists', { title: 'Other', videos: [{ ...video, id: 'x' }] })).json
    await boss.put(`/playlists/${secondPlaylist.id}/assign`, { assigned_users: [trainee.id] })
    const key = `online:${supervisor.id}`
    // Everybody is online already, so that only monitoring bumps versions.
    const monitor = (sid: string, fields: Record<string, unknown>) =>
      callAs(world, url, trainee, sid).post('/session/monitoring', {
        is_monitoring: true,
        playlist_id: playlist.id,
        ...fields,
      })
    await reportPresence(trainee, 'one')
    await eventually(() => expect(changesOf(trainee)).toEqual(['online']))
    const steps: [string, () => Promise<unknown>][] = [
      ['acquired', () => monitor('one', {})],
      ['another playlist', () => monitor('one', { playlist_id: secondPlaylist.id })],
      ['taken over', () => monitor('two', { take_over: true })],
      ['released', () => monitor('two', { is_monitoring: false })],
      ['acquired again', () => monitor('two', {})],
      ['signed out', () => signOut(trainee, 'two')],
    ]
    for (const [name, action] of steps) {
      const [before] = await versionsOf(key)
      await action()
      await eventually(async () => expect([name, (await versionsOf(key))[0]]).not.toEqual([name, before]))
    }
    await monitor('three', {})
    clock.advance(limits.monitoringLockMs + 1)
    await publishChanges()
    const [before] = await versionsOf(key)
    expect(await services[0]!.sweepOnce()).toBe(1)
    expect((await versionsOf(key))[0]).not.toBe(before)
  })
})

const video = { provider: 'file', url: 'https://media.example.org/x.webm', title: 'X', duration: 20 }
