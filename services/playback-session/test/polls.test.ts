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
/** Commands of the service's connection, without those of change streams and the outbox relay. */
const commands: string[] = []
/** Live store calls of requests; each is one round trip. */
const trips: string[] = []
let staff: Record<'supervisor' | 'second' | 'manager' | 'director' | 'admin', PersonSnapshot>
let mine: PersonSnapshot
let theirs: PersonSnapshot

beforeAll(async () => {
  world = await createPlaybackWorld({ clock, live: 'redis' })
  const manager = world.person('manager')
  const supervisor = world.person('supervisor', { manager_id: manager.id })
  const second = world.person('supervisor')
  staff = { supervisor, second, manager, director: world.person('director'), admin: world.person('admin') }
  mine = world.person('user', { supervisor_id: supervisor.id })
  theirs = world.person('user', { supervisor_id: second.id })
  const note = ({ name, collection }: RecordedCommand) => collection !== 'outbox' && commands.push(name)
  // The presence watcher runs independently of requests.
  const live = recordLiveStoreCalls(
    world.ports.live,
    call => /^(presence|locks|versions)\.(?!takeChanges|raise)/.test(call) && trips.push(call),
  )
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live } })
  const started = await recordCommands(world.config.mongoUrl, note, start)
  url = started.url
  service = started.service
})
afterAll(() => world.close())

const poll = (person: PersonSnapshot, tag?: string) =>
  callAs(world, url, person).get('/users/online', tag === undefined ? {} : { 'if-none-match': tag })
const see = (person: PersonSnapshot) =>
  world.ports.live.presence.report([{ personId: person.id, sid: `sid-${person.id}`, loginTime: 1, at: clock.now() }])

/** Waits for a stable ETag: earlier version bumps are complete. */
async function tagOf(person: PersonSnapshot): Promise<string> {
  return eventually(async () => {
    const first = await poll(person)
    const tag = first.headers.get('etag')
    expect(first.status).toBe(200)
    expect(tag).toMatch(/^"[\w-]+"$/)
    await service.watchPresenceOnce()
    expect((await poll(person, tag!)).status).toBe(304)
    return tag!
  })
}

describe('polling people online', () => {
  test('without a change answers 304 with one live store round trip and no MongoDB command', async () => {
    for (const person of Object.values(staff)) {
      const tag = await tagOf(person)
      commands.length = 0
      trips.length = 0
      for (let time = 0; time < 3; time += 1) {
        const answer = await poll(person, tag)
        expect([answer.status, answer.text]).toEqual([304, ''])
        expect(answer.headers.get('etag')).toBe(tag)
        expect(answer.headers.get('cache-control')).toBe('private, no-cache')
      }
      expect(commands).toEqual([])
      expect(trips).toEqual(['versions.get', 'versions.get', 'versions.get'])
    }
  })

  test.each(['supervisor', 'manager', 'director', 'admin'] as const)(
    'somebody of the first team comes online: the %s learns of it',
    async name => {
      clock.advance(600_000)
      const tag = await tagOf(staff[name])
      await see(mine)
      const answer = await eventually(async () => {
        const changed = await poll(staff[name], tag)
        expect(changed.status).toBe(200)
        return changed
      })
      expect(answer.json.users.map((person: { user_id: string }) => person.user_id)).toEqual([mine.id])
    },
  )

  test('a change in another team keeps the ETag', async () => {
    clock.advance(600_000)
    await see(mine)
    const tag = await tagOf(staff.supervisor)
    const [before] = await world.ports.live.versions.get([`online:${staff.second.id}`])
    await see(theirs)
    await eventually(async () =>
      expect((await world.ports.live.versions.get([`online:${staff.second.id}`]))[0]).not.toBe(before),
    )
    expect((await poll(staff.supervisor, tag)).status).toBe(304)
  })

  test('a change of staff, monitoring, silence, sign-out, team or age gives a new answer', async () => {
    clock.advance(600_000)
    const boss = callAs(world, url, staff.supervisor)
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, mine)
    const me = callAs(world, url, mine)
    const first = (summary: { users: { user_id: string; status: string }[] }) =>
      summary.users.find(person => person.user_id === mine.id)?.status
    const steps: [string, () => Promise<unknown>, (json: never) => unknown, unknown][] = [
      ['comes', () => see(mine), first, 'active'],
      [
        'watches',
        () => me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id }),
        first,
        'monitoring',
      ],
      ['stops', () => me.post('/session/monitoring', { is_monitoring: false }), first, 'active'],
      [
        'signs out',
        () => world.publish('session.revoked', { sid: `sid-${mine.id}`, person_id: mine.id, reason: 'signed_out' }),
        first,
        undefined,
      ],
      ['comes back', () => see(mine), first, 'active'],
      ['is silent', async () => clock.advance(limits.presenceActiveMs + 1), first, undefined],
      ['staff', () => see(staff.director), ({ total_online }: { total_online: number }) => total_online, 1],
      [
        'another joins the team',
        async () => {
          const person = world.change(theirs, { supervisor_id: staff.supervisor.id })
          await world.publish('user.supervisor_changed', { person, by: null, previous_supervisor_id: staff.second.id })
        },
        ({ total_users }: { total_users: number }) => total_users,
        Object.keys(staff).length + 2,
      ],
      [
        'somebody has another name',
        async () => {
          const person = world.change(staff.director, { name: 'Another Name' })
          await world.publish('user.profile_changed', { person, by: null })
        },
        ({ users }: { users: { name: string }[] }) => users[0]?.name,
        'Another Name',
      ],
    ]
    for (const [step, act, read, expected] of steps) {
      const tag = await tagOf(staff.supervisor)
      await act()
      await eventually(async () => {
        const { status, json } = await poll(staff.supervisor, tag)
        expect([step, status, json && read(json as never)]).toEqual([step, 200, expected])
      })
    }
    const tag = await tagOf(staff.supervisor)
    clock.advance(limits.onlineMaxAgeMs)
    expect((await poll(staff.supervisor, tag)).status).toBe(200)
  })

  test('an ETag is valid for one caller and one page only', async () => {
    const tag = await tagOf(staff.supervisor)
    expect((await poll(staff.manager, tag)).status).toBe(200)
    const otherPage = await callAs(world, url, staff.supervisor).get('/users/online?limit=5', { 'if-none-match': tag })
    expect(otherPage.status).toBe(200)
    expect((await poll(mine, tag)).status).toBe(403)
  })
})
