import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type RecordedCommand, recordCommands, recordLiveStoreCalls } from '@watchline/testing/mongo-commands'
import type { PlaybackSessionService } from '../src/service.ts'
import { assignPlaylist, callAs, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
let service: PlaybackSessionService
/** Commands of requests, without those of the outbox relay. */
const commands: string[] = []
/** Live store calls of requests; each is one round trip. */
const liveStoreCalls: string[] = []
let staff: Record<'supervisor' | 'second' | 'manager' | 'director' | 'admin', PersonSnapshot>
let trainee: PersonSnapshot
let otherTrainee: PersonSnapshot

beforeAll(async () => {
  world = await createPlaybackWorld({ clock, live: 'redis' })
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const second = world.addPerson('supervisor')
  staff = { supervisor, second, manager, director: world.addPerson('director'), admin: world.addPerson('admin') }
  trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  otherTrainee = world.addPerson('user', { supervisor_id: second.id })
  const recordCommand = ({ name, collection }: RecordedCommand) => collection !== 'outbox' && commands.push(name)
  // The presence watcher runs independently of requests.
  const live = recordLiveStoreCalls(
    world.ports.live,
    call => /^(presence|locks|versions)\.(?!claimChanges|bump)/.test(call) && liveStoreCalls.push(call),
  )
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live } })
  const started = await recordCommands(world.config.mongoUrl, recordCommand, start)
  url = started.url
  service = started.service
})
afterAll(() => world.close())

const poll = (person: PersonSnapshot, etag?: string) =>
  callAs(world, url, person).get('/users/online', etag === undefined ? {} : { 'if-none-match': etag })
const reportPresence = (person: PersonSnapshot) =>
  world.ports.live.presence.report([{ personId: person.id, sid: `sid-${person.id}`, loginTime: 1, at: clock.now() }])

/** Waits for a stable ETag: earlier version bumps are complete. */
async function fetchEtag(person: PersonSnapshot): Promise<string> {
  return eventually(async () => {
    const first = await poll(person)
    const etag = first.headers.get('etag')
    expect(first.status).toBe(200)
    expect(etag).toMatch(/^"[\w-]+"$/)
    await service.watchPresenceOnce()
    expect((await poll(person, etag!)).status).toBe(304)
    return etag!
  })
}

describe('polling people online', () => {
  test('without a change answers 304 with one live store round trip and no MongoDB command', async () => {
    for (const person of Object.values(staff)) {
      const etag = await fetchEtag(person)
      commands.length = 0
      liveStoreCalls.length = 0
      for (let time = 0; time < 3; time += 1) {
        const answer = await poll(person, etag)
        expect([answer.status, answer.text]).toEqual([304, ''])
        expect(answer.headers.get('etag')).toBe(etag)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
      expect(commands).toEqual([])
      expect(liveStoreCalls).toEqual(['versions.get', 'versions.get', 'versions.get'])
    }
  })

  test.each(['supervisor', 'manager', 'director', 'admin'] as const)(
    'a person of the first team who comes online changes the answer for a %s',
    async name => {
      clock.advance(600_000)
      const etag = await fetchEtag(staff[name])
      await reportPresence(trainee)
      const answer = await eventually(async () => {
        const response = await poll(staff[name], etag)
        expect(response.status).toBe(200)
        return response
      })
      expect(answer.json.users.map((person: { user_id: string }) => person.user_id)).toEqual([trainee.id])
    },
  )

  test('a change in another team keeps the ETag', async () => {
    clock.advance(600_000)
    await reportPresence(trainee)
    const etag = await fetchEtag(staff.supervisor)
    const [before] = await world.ports.live.versions.get([`online:${staff.second.id}`])
    await reportPresence(otherTrainee)
    await eventually(async () =>
      expect((await world.ports.live.versions.get([`online:${staff.second.id}`]))[0]).not.toBe(before),
    )
    expect((await poll(staff.supervisor, etag)).status).toBe(304)
  })

  test('a change of staff, monitoring, silence, sign-out, team or age gives a new answer', async () => {
    clock.advance(600_000)
    const boss = callAs(world, url, staff.supervisor)
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, trainee)
    const me = callAs(world, url, trainee)
    const statusOfTrainee = (summary: { users: { user_id: string; status: string }[] }) =>
      summary.users.find(person => person.user_id === trainee.id)?.status
    const steps: [string, () => Promise<unknown>, (json: never) => unknown, unknown][] = [
      ['comes', () => reportPresence(trainee), statusOfTrainee, 'active'],
      [
        'watches',
        () => me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id }),
        statusOfTrainee,
        'monitoring',
      ],
      ['stops', () => me.post('/session/monitoring', { is_monitoring: false }), statusOfTrainee, 'active'],
      [
        'signs out',
        () =>
          world.publish('session.revoked', { sid: `sid-${trainee.id}`, person_id: trainee.id, reason: 'signed_out' }),
        statusOfTrainee,
        undefined,
      ],
      ['comes back', () => reportPresence(trainee), statusOfTrainee, 'active'],
      ['is silent', async () => clock.advance(limits.presenceActiveMs + 1), statusOfTrainee, undefined],
      ['staff', () => reportPresence(staff.director), ({ total_online }: { total_online: number }) => total_online, 1],
      [
        'a person joins the team',
        async () => {
          const person = world.changePerson(otherTrainee, { supervisor_id: staff.supervisor.id })
          await world.publish('user.supervisor_changed', { person, by: null, previous_supervisor_id: staff.second.id })
        },
        ({ total_users }: { total_users: number }) => total_users,
        Object.keys(staff).length + 2,
      ],
      [
        'a person has a new name',
        async () => {
          const person = world.changePerson(staff.director, { name: 'Another Name' })
          await world.publish('user.profile_changed', { person, by: null })
        },
        ({ users }: { users: { name: string }[] }) => users[0]?.name,
        'Another Name',
      ],
    ]
    for (const [name, change, read, expected] of steps) {
      const etag = await fetchEtag(staff.supervisor)
      await change()
      await eventually(async () => {
        const { status, json } = await poll(staff.supervisor, etag)
        expect([name, status, json && read(json as never)]).toEqual([name, 200, expected])
      })
    }
    const etag = await fetchEtag(staff.supervisor)
    clock.advance(limits.onlineMaxAgeMs)
    expect((await poll(staff.supervisor, etag)).status).toBe(200)
  })

  test('an ETag is valid for one caller and one page only', async () => {
    const etag = await fetchEtag(staff.supervisor)
    expect((await poll(staff.manager, etag)).status).toBe(200)
    const otherPage = await callAs(world, url, staff.supervisor).get('/users/online?limit=5', { 'if-none-match': etag })
    expect(otherPage.status).toBe(200)
    expect((await poll(trainee, etag)).status).toBe(403)
  })
})
