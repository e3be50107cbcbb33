import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { assignmentSnapshot, lockIntervalSnapshot, playlistSnapshot } from '@watchline/contracts/snapshots'
import { createManualClock } from '@watchline/testing/manual-clock'
import { as, aTeamWatching, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
})
afterAll(() => world.close())

async function ask(path: string, secret = world.config.internalSecret) {
  const response = await fetch(`${url}/internal${path}`, { headers: { 'x-internal-secret': secret } })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  return { status: response.status, json: (await response.json()) as any }
}

/** Walks a list two at a time. */
async function all(list: string, idOf: (each: Record<string, string>) => string) {
  const found: Record<string, string>[] = []
  let after = ''
  for (;;) {
    const { json } = await ask(`/${list}?limit=2&after=${encodeURIComponent(after)}`)
    found.push(...json)
    if (json.length < 2) return found
    after = idOf(json.at(-1))
  }
}

describe('internal routes', () => {
  test('tell all playlists and assignments, page by page, each once', async () => {
    const { playlist, team } = await aTeamWatching(world, url, 3)
    await aTeamWatching(world, url, 2)
    const playlists = await all('playlists', each => each.playlist_id!)
    const own = playlists.filter(each => each.playlist_id === playlist.id)
    expect(own).toHaveLength(1)
    expect(playlistSnapshot.parse(own[0])).toMatchObject({
      title: 'Safety',
      videos: [{ id: 'v0', duration: 20, unavailable: false }, { id: 'v1' }, { id: 'v2' }],
    })
    const assignments = await all('assignments', each => `${each.person_id}:${each.playlist_id}`)
    const keys = assignments.map(each => `${each.person_id}:${each.playlist_id}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toEqual(expect.arrayContaining(team.map(each => `${each.id}:${playlist.id}`)))
    for (const each of assignments) assignmentSnapshot.parse(each)
  })

  test('tell one, and what there is not', async () => {
    const { playlist, trainee } = await aTeamWatching(world, url)
    expect((await ask(`/playlists/${playlist.id}`)).json.playlist_id).toBe(playlist.id)
    expect((await ask('/playlists/nobody')).status).toBe(404)
    const assignment = await ask(`/assignments/${trainee.id}/${playlist.id}`)
    expect(assignment.json).toEqual({
      person_id: trainee.id,
      playlist_id: playlist.id,
      assigned_date: new Date(clock.now()).toISOString(),
    })
    expect((await ask(`/assignments/nobody/${playlist.id}`)).status).toBe(404)
  })

  test('tell who held the lock lately, latest first, with no end while it lasts', async () => {
    const { playlist, trainee } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    const start = clock.now()
    const iso = (ms: number) => new Date(start + ms).toISOString()
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    clock.advance(10_000)
    await me.post('/session/monitoring', { is_monitoring: false })
    clock.advance(1_000)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    const { json } = await ask(`/holds/${trainee.id}`)
    expect(json.map((each: unknown) => lockIntervalSnapshot.parse(each))).toEqual([
      { fence: 2, sid: `sid-${trainee.id}`, from: iso(11_000), to: null },
      { fence: 1, sid: `sid-${trainee.id}`, from: iso(0), to: iso(10_000) },
    ])
    for (let time = 0; time < 20; time += 1) {
      clock.advance(1_000)
      await me.post('/session/monitoring', { is_monitoring: time % 2 === 1, playlist_id: playlist.id })
    }
    expect((await ask(`/holds/${trainee.id}`)).json.length).toBeLessThanOrEqual(16)
    expect((await ask('/holds/nobody')).json).toEqual([])
  })

  test('are nobody’s without the secret, and refuse absurd pages', async () => {
    for (const path of ['/playlists', '/assignments', '/holds/x']) expect((await ask(path, 'guess')).status).toBe(404)
    for (const query of ['limit=0', 'limit=100000', 'limit=x'])
      expect((await ask(`/playlists?${query}`)).status).toBe(422)
  })
})
