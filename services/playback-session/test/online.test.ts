import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { publicSessionId } from '@watchline/identity/public-session-id'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createOnlinePeople } from '../src/store/online-people.ts'
import { assignPlaylist, callAs, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string

const reportPresence = (person: PersonSnapshot, sid = `sid-${person.id}`) =>
  world.ports.live.presence.report([{ personId: person.id, sid, loginTime: clock.now() - 60_000, at: clock.now() }])
const fetchOnline = async (person: PersonSnapshot, query = '') =>
  (await callAs(world, url, person).get(`/users/online${query}`)).json
const idsIn = (summary: { users: { user_id: string }[] }) => summary.users.map(person => person.user_id).sort()
const ids = (...people: PersonSnapshot[]) => people.map(person => person.id).sort()

let staff: Record<'supervisor' | 'second' | 'manager' | 'director' | 'admin', PersonSnapshot>
let firstTeam: PersonSnapshot[]
let secondTeam: PersonSnapshot[]
let everyone: PersonSnapshot[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const second = world.addPerson('supervisor')
  staff = { supervisor, second, manager, director: world.addPerson('director'), admin: world.addPerson('admin') }
  firstTeam = [1, 2].map(() => world.addPerson('user', { supervisor_id: supervisor.id, email_verified: false }))
  secondTeam = [1, 2].map(() => world.addPerson('user', { supervisor_id: second.id }))
  everyone = [...Object.values(staff), ...firstTeam, ...secondTeam]
  // The projection is filled from auth's snapshot at the start, before any call.
  url = (await world.start()).url
})
afterAll(() => world.close())

describe('listOnline', () => {
  test('each role sees its scope, and counts people online and offline', async () => {
    for (const person of everyone.filter(({ id }) => id !== firstTeam[1]!.id)) await reportPresence(person)
    const staffMembers = Object.values(staff)
    expect(idsIn(await fetchOnline(staff.supervisor))).toEqual(ids(firstTeam[0]!, ...staffMembers))
    expect(idsIn(await fetchOnline(staff.second))).toEqual(ids(...secondTeam, ...staffMembers))
    expect(idsIn(await fetchOnline(staff.manager))).toEqual(ids(firstTeam[0]!, ...staffMembers))
    for (const role of ['director', 'admin'] as const)
      expect(idsIn(await fetchOnline(staff[role]))).toEqual(ids(...everyone.filter(person => person !== firstTeam[1])))
    expect(await fetchOnline(staff.supervisor)).toMatchObject({
      total_online: 6,
      active_count: 6,
      monitoring_count: 0,
      total_users: 7,
    })
    expect((await fetchOnline(staff.admin)).total_users).toBe(9)
  })

  test('refuses users and anonymous callers', async () => {
    expect((await callAs(world, url, firstTeam[0]!).get('/users/online')).status).toBe(403)
    expect((await apiClient(url).get('/users/online')).status).toBe(401)
  })

  test('a watching person is monitoring, with the playlist’s title, until 90 seconds of silence', async () => {
    clock.advance(600_000)
    const boss = callAs(world, url, staff.supervisor)
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, firstTeam[0]!)
    await callAs(world, url, firstTeam[0]!).post('/session/monitoring', {
      is_monitoring: true,
      playlist_id: playlist.id,
    })
    // The call itself counts as activity.
    const entry = await eventually(async () => {
      const { users, monitoring_count: monitoring } = await fetchOnline(staff.supervisor)
      const trainee = users.find((person: { user_id: string }) => person.user_id === firstTeam[0]!.id)
      expect([trainee?.status, monitoring]).toEqual(['monitoring', 1])
      return trainee
    })
    expect(entry).toEqual({
      session_id: publicSessionId(`sid-${firstTeam[0]!.id}`),
      user_id: firstTeam[0]!.id,
      name: firstTeam[0]!.name,
      email: firstTeam[0]!.email,
      email_verified: false,
      picture: null,
      role: 'user',
      user_role: 'user',
      supervisor_id: staff.supervisor.id,
      status: 'monitoring',
      login_time: new Date(clock.now()).toISOString(),
      last_activity: new Date(clock.now()).toISOString(),
      current_playlist: { id: playlist.id, title: 'Safety' },
    })
    clock.advance(91_000)
    await reportPresence(firstTeam[0]!, 'another tab')
    const laterEntry = (await fetchOnline(staff.supervisor)).users.find(
      (user: { user_id: string }) => user.user_id === firstTeam[0]!.id,
    )
    expect(laterEntry).toMatchObject({
      status: 'active',
      current_playlist: null,
      session_id: publicSessionId('another tab'),
    })
    await callAs(world, url, firstTeam[0]!).post('/session/heartbeat')
    expect((await fetchOnline(staff.supervisor)).monitoring_count).toBe(1)
    await callAs(world, url, firstTeam[0]!).post('/session/monitoring', { is_monitoring: false })
    expect(await fetchOnline(staff.supervisor)).toMatchObject({ monitoring_count: 0 })
  })

  test('a person is offline after 90 seconds of silence or after signing out', async () => {
    clock.advance(600_000)
    await reportPresence(firstTeam[1]!)
    expect(idsIn(await fetchOnline(staff.supervisor))).toEqual(ids(firstTeam[1]!))
    clock.advance(89_000)
    expect((await fetchOnline(staff.supervisor)).total_online).toBe(1)
    clock.advance(2_000)
    expect(await fetchOnline(staff.supervisor)).toMatchObject({ total_online: 0, users: [] })
    await reportPresence(firstTeam[1]!)
    await world.publish('session.revoked', {
      sid: `sid-${firstTeam[1]!.id}`,
      person_id: firstTeam[1]!.id,
      reason: 'signed_out',
    })
    await eventually(async () => expect((await fetchOnline(staff.supervisor)).total_online).toBe(0))
  })

  test('narrows the list to a status, and its total with it', async () => {
    clock.advance(600_000)
    for (const person of everyone) await reportPresence(person)
    const boss = callAs(world, url, staff.supervisor)
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, firstTeam[0]!)
    await callAs(world, url, firstTeam[0]!).post('/session/monitoring', {
      is_monitoring: true,
      playlist_id: playlist.id,
    })
    const watching = await boss.get('/users/online?status=monitoring')
    expect(idsIn(watching.json)).toEqual(ids(firstTeam[0]!))
    expect(watching.headers.get('x-total-count')).toBe('1')
    expect(watching.json).toMatchObject({ total_online: 7, active_count: 6, monitoring_count: 1 })
    const active = await boss.get('/users/online?status=active')
    expect(idsIn(active.json)).toEqual(ids(firstTeam[1]!, ...Object.values(staff)))
    expect((await boss.get('/users/online?status=monitoring&role=supervisor')).json.users).toEqual([])
    expect((await boss.get('/users/online?status=offline')).status).toBe(422)
  })

  test('narrows the list to a role, a team and a search, within the caller’s scope and with the same figures', async () => {
    clock.advance(600_000)
    for (const person of everyone) await reportPresence(person)
    const list = (query: string, caller = staff.director) => fetchOnline(caller, `?${query}`)
    expect(idsIn(await list('role=user'))).toEqual(ids(...firstTeam, ...secondTeam))
    expect(idsIn(await list(`supervisor_id=${staff.second.id}`))).toEqual(ids(...secondTeam))
    expect(idsIn(await list(`role=supervisor&supervisor_id=${staff.second.id}`))).toEqual([])
    expect(idsIn(await list(`search=${encodeURIComponent(firstTeam[0]!.email)}`))).toEqual(ids(firstTeam[0]!))
    expect(idsIn(await list('search=nobody'))).toEqual([])
    expect(await list('search=nobody')).toMatchObject({ total_online: 9, active_count: 9, total_users: 9 })
    // Filters show nobody whom the caller may not see.
    expect(idsIn(await list(`supervisor_id=${staff.second.id}`, staff.supervisor))).toEqual([])
    expect((await list('role=king')).code).toBe('invalid')

    const page = await callAs(world, url, staff.director).get('/users/online?role=user&limit=3')
    expect(page.headers.get('x-total-count')).toBe('4')
    const cursor = page.headers.get('x-next-cursor')
    const rest = await list(`role=user&limit=3&cursor=${cursor}`)
    expect([...idsIn(page.json), ...idsIn(rest)].sort()).toEqual(ids(...firstTeam, ...secondTeam))
  })

  test('lists the latest activity first, in pages that miss nobody', async () => {
    clock.advance(600_000)
    for (const person of everyone) {
      clock.advance(100)
      await reportPresence(person)
    }
    const latestFirst = [...everyone].reverse().map(person => person.id)
    for (const query of ['', '?limit=500'])
      expect(
        (await fetchOnline(staff.admin, query)).users.map((person: { user_id: string }) => person.user_id),
      ).toEqual(latestFirst)
    const listed: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await callAs(world, url, staff.admin).get(`/users/online?limit=4${cursor && `&cursor=${cursor}`}`)
      expect(page.json.total_online).toBe(9)
      expect(page.headers.get('x-total-count')).toBe('9')
      listed.push(...page.json.users.map((person: { user_id: string }) => person.user_id))
      cursor = page.headers.get('x-next-cursor')
    }
    expect(listed).toEqual(latestFirst)
  })

  test.each(['cursor=x', 'cursor=-1', 'cursor=1e3', 'cursor=', 'limit=0', 'limit=1000'])('refuses ?%s', async query => {
    expect((await callAs(world, url, staff.admin).get(`/users/online?${query}`)).status).toBe(422)
  })

  test('a change of team shows in the first following answer', async () => {
    clock.advance(600_000)
    await reportPresence(secondTeam[0]!)
    expect(idsIn(await fetchOnline(staff.supervisor))).toEqual([])
    const movedPerson = world.changePerson(secondTeam[0]!, { supervisor_id: staff.supervisor.id })
    await world.publish('user.supervisor_changed', {
      person: movedPerson,
      by: null,
      previous_supervisor_id: staff.second.id,
    })
    await eventually(async () => expect(idsIn(await fetchOnline(staff.supervisor))).toEqual(ids(movedPerson)))
    expect(idsIn(await fetchOnline(staff.second))).toEqual([])
  })
})

describe('reading people online', () => {
  test('with thousands online many callers share one reading, which lists every person once', async () => {
    const { live } = world.ports
    const count = 2_500
    const start = clock.now() + 600_000
    const reports = Array.from({ length: count }, (_, index) => ({
      personId: `crowd-${index}`,
      sid: `s-${index}`,
      loginTime: start,
      at: start + (index % 50),
    }))
    await live.presence.report(reports)
    let readings = 0
    let now = start + 100
    const countingLive = {
      ...live,
      presence: {
        ...live.presence,
        online: (...args: Parameters<LiveStore['presence']['online']>) => {
          readings += args[1].offset === 1_000 ? 1 : 0
          return live.presence.online(...args)
        },
      },
    }
    const onlinePeople = createOnlinePeople({ live: countingLive, clock: { now: () => now } })
    const keys = [`online:${count}`, 'people:test']
    const readEveryone = () => onlinePeople.everyone(keys)
    const first = await readEveryone()
    expect(new Set(first.people.map(person => person.personId)).size).toBe(count)
    expect(first.people).toHaveLength(count)
    const activity = first.people.map(person => person.lastActivity)
    expect(activity).toEqual([...activity].sort((a, b) => b - a))
    const readAgain = async (expectedReadings: number) => {
      const before = readings
      const results = await Promise.all(Array.from({ length: 20 }, readEveryone))
      expect(readings - before).toBe(expectedReadings)
      return new Set(results.map(reading => reading.current))
    }
    expect(await readAgain(0)).toEqual(new Set([true]))
    now += 9_999
    expect(await readAgain(0)).toEqual(new Set([true]))
    // An aged reading is refreshed in the background.
    now += 1
    expect(await readAgain(1)).toEqual(new Set([true]))
    await eventually(() => expect(readings).toBe(2))
    // After a change the reading is still shared for a moment, but is not current.
    await live.versions.bump([keys[0]!])
    now += 1_999
    expect(await readAgain(0)).toEqual(new Set([false]))
    now += 1
    expect(await readAgain(1)).toEqual(new Set([true]))
  })
})
