import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  getAssignmentSnapshot,
  getPlaylistSnapshot,
  internalOperations,
  type KeyPage,
  listAssignmentSnapshots,
  listLockIntervals,
  listPlaybackRecords,
  listPlaylistSnapshots,
} from '@watchline/contracts/internal-operations'
import { type ServiceName, serviceNames } from '@watchline/contracts/operation'
import { createInternalClient, type InternalClient } from '@watchline/kit/http/internal-client'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { internalRoutes } from '../src/routes/index.ts'
import { callAs, collectionOf, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
let client: InternalClient
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
  client = createInternalClient({ url, credentials: world.credentialsOf('engagement') })
})
afterAll(() => world.close())

const statusOf = async (path: string, caller?: ServiceName) => {
  const headers = caller === undefined ? {} : world.credentialsOf(caller).headersFor('playback-session')
  return (await fetch(`${url}/internal${path}`, { headers })).status
}

/** Reads a whole collection, two entries a page. */
async function readAll<T>(fetchPage: (query: KeyPage) => Promise<T[]>, keyOf: (entry: T) => string) {
  const entries: T[] = []
  for (;;) {
    const last = entries.at(-1)
    const page = await fetchPage({ after: last ? keyOf(last) : '', limit: 2 })
    entries.push(...page)
    if (page.length < 2) return entries
  }
}

test('every internal operation of this service is mounted', () => {
  const declared = internalOperations.filter(operation => operation.service === 'playback-session')
  expect(internalRoutes.map(route => route.operation)).toEqual(declared)
})

test('only the service that needs an answer gets it', async () => {
  const { boss, playlist, trainee } = await createTeamWithPlaylist(world, url)
  const due = { local: new Date(clock.now() + 86_400_000).toISOString().slice(0, 16), time_zone: 'UTC' }
  const change = await boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due })
  expect(change.status).toBe(200)
  const callers: Record<string, ServiceName[]> = {
    '/playlists': ['engagement'],
    [`/playlists/${playlist.id}`]: ['engagement'],
    '/assignments': ['engagement'],
    [`/assignments/${trainee.id}/${playlist.id}`]: ['engagement', 'notification'],
    [`/due-calendars/${trainee.id}/${playlist.id}`]: ['notification'],
    [`/holds/${trainee.id}`]: ['engagement'],
    [`/playback-records/${trainee.id}`]: ['auth'],
  }
  expect(Object.keys(callers)).toHaveLength(internalRoutes.length)
  for (const [path, allowed] of Object.entries(callers)) {
    expect([path, await statusOf(path)]).toEqual([path, 404])
    for (const caller of serviceNames)
      expect([path, caller, await statusOf(path, caller)]).toEqual([path, caller, allowed.includes(caller) ? 200 : 403])
  }
})

test.each(['/playlists', '/assignments'])('%s refuses bad pages', async path => {
  for (const query of ['limit=0', 'limit=1001', 'limit=x', `after=${'x'.repeat(151)}`])
    expect([query, await statusOf(`${path}?${query}`, 'engagement')]).toEqual([query, 422])
})

test.each([
  '/playlists/nobody',
  '/playlists/no%20id',
  '/assignments/nobody/nothing',
  '/assignments/nobody/no%20id',
  '/holds/no%20id',
  '/unknown',
])('%s is not found', async path => {
  expect(await statusOf(path, 'engagement')).toBe(404)
})

describe('playlists and assignments', () => {
  test('the lists have every entry once, in the order of keys', async () => {
    const { playlist, team } = await createTeamWithPlaylist(world, url, 3)
    await createTeamWithPlaylist(world, url, 2)
    const playlists = await readAll(
      query => client.call(listPlaylistSnapshots, { query }),
      entry => entry.playlist_id,
    )
    const ids = playlists.map(entry => entry.playlist_id)
    expect(ids).toEqual([...new Set(ids)].sort())
    expect(playlists.find(entry => entry.playlist_id === playlist.id)).toMatchObject({
      title: 'Safety',
      videos: [{ id: 'v0', duration: 20, unavailable: false }, { id: 'v1' }, { id: 'v2' }],
    })
    const keyOf = (entry: { person_id: string; playlist_id: string }) => `${entry.person_id}:${entry.playlist_id}`
    const assignments = await readAll(query => client.call(listAssignmentSnapshots, { query }), keyOf)
    const keys = assignments.map(keyOf)
    expect(keys).toEqual([...new Set(keys)].sort())
    expect(keys).toEqual(expect.arrayContaining(team.map(person => `${person.id}:${playlist.id}`)))
  })

  test('the list has no assignment of a deleted playlist that the job has not removed yet', async () => {
    const { boss, playlist, trainee } = await createTeamWithPlaylist(world, url)
    const assignments = collectionOf(world, 'assignments')
    const own = (await assignments.findOne({ playlist_id: playlist.id }))!
    expect((await boss.delete(`/playlists/${playlist.id}`)).status).toBe(200)
    const deleted = collectionOf(world, 'deleted_playlists')
    const id = { _id: playlist.id as never }
    await eventually(async () => expect(await deleted.findOne(id)).not.toHaveProperty('has_remaining_assignments'))
    await assignments.insertOne(own)
    await deleted.updateOne(id, { $set: { has_remaining_assignments: true } })
    const keyOf = (entry: { person_id: string; playlist_id: string }) => `${entry.person_id}:${entry.playlist_id}`
    const entries = await readAll(query => client.call(listAssignmentSnapshots, { query }), keyOf)
    expect(entries.map(keyOf)).not.toContain(`${trainee.id}:${playlist.id}`)
    await eventually(async () => expect(await assignments.findOne({ _id: own._id })).toBeNull())
  })

  test('one entry can be read, and an unknown one is undefined', async () => {
    const { playlist, trainee } = await createTeamWithPlaylist(world, url)
    expect(await client.find(getPlaylistSnapshot, { params: { id: playlist.id } })).toMatchObject({
      playlist_id: playlist.id,
    })
    expect(await client.find(getPlaylistSnapshot, { params: { id: 'nobody' } })).toBeUndefined()
    const ids = { personId: trainee.id, playlistId: playlist.id }
    expect(await client.find(getAssignmentSnapshot, { params: ids })).toEqual({
      person_id: trainee.id,
      playlist_id: playlist.id,
      assigned_date: new Date(clock.now()).toISOString(),
      due: { at: null, changed_at: new Date(clock.now()).toISOString() },
      override: { value: null, changed_at: new Date(clock.now()).toISOString() },
      reset_at: null,
    })
    expect(await client.find(getAssignmentSnapshot, { params: { ...ids, personId: 'nobody' } })).toBeUndefined()
  })
})

describe('lock intervals', () => {
  const intervalsOf = (personId: string) => client.call(listLockIntervals, { params: { personId } })

  test('are the latest ones, newest first, without an end while the lock is owned', async () => {
    const { playlist, trainee } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    const start = clock.now()
    const iso = (ms: number) => new Date(start + ms).toISOString()
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    clock.advance(10_000)
    await me.post('/session/monitoring', { is_monitoring: false })
    clock.advance(1_000)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    expect(await intervalsOf(trainee.id)).toEqual([
      { fence: 2, sid: `sid-${trainee.id}`, from: iso(11_000), to: null },
      { fence: 1, sid: `sid-${trainee.id}`, from: iso(0), to: iso(10_000) },
    ])
    for (let time = 0; time < 20; time += 1) {
      clock.advance(1_000)
      await me.post('/session/monitoring', { is_monitoring: time % 2 === 1, playlist_id: playlist.id })
    }
    expect((await intervalsOf(trainee.id)).length).toBeLessThanOrEqual(16)
  })

  test('are refused for a person who has not agreed to be monitored', async () => {
    const asking = await world.start({ config: { monitoringNotice: 'consent' } })
    const engagement = createInternalClient({ url: asking.url, credentials: world.credentialsOf('engagement') })
    const ask = () => engagement.find(listLockIntervals, { params: { personId: person.id } })
    const person = world.addPerson('director')
    const caller = callAs(world, asking.url, person)
    const { version } = (await caller.get('/session/notice')).json
    expect(await ask()).toBeUndefined()
    await caller.post('/session/notice', { version, accepted: false })
    expect(await ask()).toBeUndefined()
    await caller.post('/session/notice', { version, accepted: true })
    expect(await ask()).toEqual([])
  })

  test('of an unknown person are none', async () => {
    expect(await intervalsOf('nobody')).toEqual([])
  })
})

test('the records of a person are named by kind', async () => {
  const { playlist, trainee, supervisor } = await createTeamWithPlaylist(world, url)
  const auth = createInternalClient({ url, credentials: world.credentialsOf('auth') })
  const recordsOf = async (personId: string) => (await auth.call(listPlaybackRecords, { params: { personId } })).records
  expect(await recordsOf(supervisor.id)).toEqual(['playlists'])
  expect(await recordsOf(trainee.id)).toEqual(['assignments'])
  await callAs(world, url, trainee).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
  expect(await recordsOf(trainee.id)).toEqual(['assignments', 'watching'])
  expect(await recordsOf('nobody')).toEqual([])
})
