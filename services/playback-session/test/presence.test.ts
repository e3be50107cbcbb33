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
import { as, aTeamWatching, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

const second = 1_000
let clock: ReturnType<typeof createManualClock>
let world: PlaybackWorld
let url: string
let services: PlaybackSessionService[]
/** Everything that was told of, as an open page's replica hears it. */
let told: { person_id: string; online: boolean }[]

async function open(options: TestWorldOptions = {}) {
  clock = createManualClock()
  world = await createPlaybackWorld({ clock, ...options })
  const started = [await world.start(), await world.start()]
  url = started[0]!.url
  services = started.map(each => each.service)
  told = []
  await world.ports.bus.subscribeLive({ types: ['presence.changed'] }, raw => {
    told.push(...events['presence.changed'].data.parse(cloudEvent.parse(raw).data).people)
  })
}

const look = async () => {
  for (const each of services) await each.watchPresenceOnce()
}
/** Time goes by, and it is looked again and again meanwhile. */
async function pass(seconds: number, step = 10) {
  for (let at = 0; at < seconds; at += step) {
    clock.advance(Math.min(step, seconds - at) * second)
    await look()
  }
}
const see = (person: PersonSnapshot, sid = `sid-${person.id}`) =>
  world.ports.live.presence.note([{ personId: person.id, sid, loginTime: 1, at: clock.now() }])
const signOut = (person: PersonSnapshot, sid: string) =>
  world.tell('session.revoked', { sid, person_id: person.id, reason: 'signed_out' })
const toldOf = (person: PersonSnapshot) =>
  told.filter(each => each.person_id === person.id).map(each => (each.online ? 'online' : 'offline'))
const versionsOf = (...keys: string[]) => world.ports.live.versions.get(keys)

describe.each([
  ['in memory', {}],
  ['on RabbitMQ and Redis', { bus: 'rabbitmq', live: 'redis' }],
] as [string, TestWorldOptions][])('presence %s', (_, options) => {
  beforeEach(() => open(options))
  afterEach(() => world.close())

  test('of three tabs two are closed: still online, and nothing flickers', async () => {
    const person = world.person()
    for (let tab = 0; tab < 3; tab += 1) await see(person)
    await eventually(() => expect(toldOf(person)).toEqual(['online']))
    for (let time = 0; time < 10; time += 1) {
      await see(person)
      await pass(30)
    }
    expect(toldOf(person)).toEqual(['online'])
  })

  test('of three sessions two sign out: still online; with the last one it ends at once', async () => {
    const person = world.person()
    for (const sid of ['a', 'b', 'c']) await see(person, sid)
    await eventually(() => expect(toldOf(person)).toEqual(['online']))
    await signOut(person, 'a')
    await signOut(person, 'b')
    await look()
    expect((await world.ports.live.presence.of([person.id], clock.now())).size).toBe(1)
    expect(toldOf(person)).toEqual(['online'])
    await signOut(person, 'c')
    await eventually(() => expect(toldOf(person)).toEqual(['online', 'offline']))
  })

  test('a hidden tab with one timer a minute does not flicker', async () => {
    const person = world.person()
    for (let minute = 0; minute < 10; minute += 1) {
      await see(person)
      await pass(60, 5)
    }
    expect(toldOf(person)).toEqual(['online'])
  })

  test('the end of silence is an event, told once by however many replicas, and leaves nobody in any list', async () => {
    const supervisor = world.person('supervisor')
    const people = Array.from({ length: 20 }, () => world.person('user', { supervisor_id: supervisor.id }))
    const boss = as(world, url, supervisor)
    for (const person of people) await world.tell('user.created', { person, by: null })
    for (const person of people) await see(person)
    await eventually(() => expect(told.filter(each => each.online)).toHaveLength(20))
    await eventually(async () => expect((await boss.get('/users/online')).json.total_online).toBe(20))
    clock.advance(limits.presenceActiveMs)
    await look()
    expect(told).toHaveLength(20)
    clock.advance(1)
    await Promise.all(services.map(each => each.watchPresenceOnce()))
    await eventually(() => expect(told.filter(each => !each.online)).toHaveLength(20))
    await look()
    expect(told).toHaveLength(40)
    expect((await as(world, url, supervisor).get('/users/online')).json.total_online).toBe(0)
  })

  test('a killed gateway leaves no ghost', async () => {
    const person = world.person()
    const gateway = createPresenceRecorder({ live: world.ports.live, clock, log: createLogger('gateway', 'silent') })
    gateway.start()
    gateway.note(person.id, 'sid', 1)
    await eventually(() => expect(toldOf(person)).toEqual(['online']))
    // What it had not written yet dies with it, and so does every timer.
    clock.advance(30 * second)
    gateway.note(person.id, 'sid', 1)
    gateway.forget(person.id, 'sid')
    clock.advance(limits.presenceActiveMs - 30 * second + 1)
    await eventually(() => expect(toldOf(person)).toEqual(['online', 'offline']))
    await gateway.stop()
  })

  test('who comes and goes raises the versions of those who see them, and of nobody else', async () => {
    const manager = world.person('manager')
    const supervisor = world.person('supervisor', { manager_id: manager.id })
    const trainee = world.person('user', { supervisor_id: supervisor.id })
    for (const person of [manager, supervisor, trainee]) await world.tell('user.created', { person, by: null })
    const keys = [`online:${supervisor.id}`, `online:${manager.id}`, 'online:all', 'online:staff', 'online:somebody']
    const raisedBy = async (step: () => Promise<unknown>, expected: string[]) => {
      const before = await versionsOf(...keys)
      await step()
      await eventually(async () => {
        const after = await versionsOf(...keys)
        expect(keys.filter((_key, at) => after[at] !== before[at])).toEqual(expected)
      })
    }
    await raisedBy(() => see(trainee), keys.slice(0, 3))
    await raisedBy(() => pass(100), keys.slice(0, 3))
    await raisedBy(() => see(supervisor), [`online:${manager.id}`, 'online:all', 'online:staff'])
    await raisedBy(() => see(manager), ['online:all', 'online:staff'])
    await raisedBy(() => see(world.person()), ['online:all'])
  })
})

describe('a live store that goes away', () => {
  beforeEach(() => open())
  afterEach(() => world.close())

  test('costs nobody their news: it is tried again until it is there', async () => {
    let away = true
    const { live } = world.ports
    const failing: LiveStore = {
      ...live,
      versions: {
        ...live.versions,
        bump: async keys => {
          if (away) throw new LiveStoreUnavailable('away')
          await live.versions.bump(keys)
        },
      },
    }
    for (const each of services) await each.stop()
    const { service } = await world.start({ ports: { live: failing } })
    const person = world.person()
    await see(person)
    await expect(service.watchPresenceOnce()).rejects.toThrow(LiveStoreUnavailable)
    expect(told).toEqual([])
    const before = await versionsOf('online:all')
    away = false
    await eventually(() => expect(toldOf(person)).toEqual(['online']))
    expect(await versionsOf('online:all')).not.toEqual(before)
  })

  test('monitoring raises the same versions: taken, given back, taken over, another playlist, expired, signed out', async () => {
    const { supervisor, trainee, playlist, boss } = await aTeamWatching(world, url)
    const other = (await boss.post('/playlists', { title: 'Other', videos: [{ ...video, id: 'x' }] })).json
    await boss.put(`/playlists/${other.id}/assign`, { assigned_users: [trainee.id] })
    const key = `online:${supervisor.id}`
    // Everybody has been seen: nothing but monitoring raises anything.
    const monitor = (sid: string, fields: Record<string, unknown>) =>
      as(world, url, trainee, sid).post('/session/monitoring', {
        is_monitoring: true,
        playlist_id: playlist.id,
        ...fields,
      })
    await see(trainee, 'one')
    await eventually(() => expect(toldOf(trainee)).toEqual(['online']))
    const steps: [string, () => Promise<unknown>][] = [
      ['taken', () => monitor('one', {})],
      ['another playlist', () => monitor('one', { playlist_id: other.id })],
      ['taken over', () => monitor('two', { take_over: true })],
      ['given back', () => monitor('two', { is_monitoring: false })],
      ['taken again', () => monitor('two', {})],
      ['signed out', () => signOut(trainee, 'two')],
    ]
    for (const [step, act] of steps) {
      const [before] = await versionsOf(key)
      await act()
      await eventually(async () => expect([step, (await versionsOf(key))[0]]).not.toEqual([step, before]))
    }
    await monitor('three', {})
    clock.advance(limits.monitoringLockMs + 1)
    await look()
    const [before] = await versionsOf(key)
    expect(await services[0]!.sweepOnce()).toBe(1)
    expect((await versionsOf(key))[0]).not.toBe(before)
  })
})

const video = { provider: 'file', url: 'https://media.example.org/x.webm', title: 'X', duration: 20 }
