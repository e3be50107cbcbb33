import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  assignPlaylist,
  callAs,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
const hour = 3600_000
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start({ config: { timeZone: 'Asia/Kolkata' } })).url
})
afterAll(() => world.close())

const complete = (personId: string, playlistId: string) => completeTask(world, personId, playlistId, clock.now())

describe('getToday', () => {
  test('is null without an assignment, and refuses a call without a session', async () => {
    for (const role of ['user', 'supervisor', 'admin'] as const) {
      const answer = await callAs(world, url, world.addPerson(role)).get('/playlists/today')
      expect([answer.status, answer.json]).toEqual([200, null])
    }
    expect((await apiClient(url).get('/playlists/today')).status).toBe(401)
  })

  test('goes from assigned to in progress to completed, and is null on the next day of the organisation', async () => {
    const { supervisor, trainee, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const me = () => callAs(world, url, trainee)
    const today = async () => (await me().get('/playlists/today')).json
    expect(await today()).toMatchObject({
      id: playlist.id,
      assignment_status: 'assigned',
      assigned_users: [trainee.id],
      assigned_date: new Date(clock.now()).toISOString(),
      assigned_by: { id: supervisor.id, name: supervisor.name, role: 'supervisor' },
      completed_at: null,
    })
    await me().post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    expect((await today()).assignment_status).toBe('assigned')
    await me().post('/session/save-progress', { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress: 3 })
    expect((await today()).assignment_status).toBe('in_progress')
    await complete(trainee.id, playlist.id)
    expect((await today()).assignment_status).toBe('completed')
    expect((await callAs(world, url, team[1]!).get('/playlists/today')).json.assignment_status).toBe('assigned')
    // 14:30 in Kolkata: nine hours later the day is over there, but not in UTC.
    clock.advance(9 * hour)
    expect(await today()).toMatchObject({ id: playlist.id })
    clock.advance(hour)
    expect(await today()).toBeNull()
    expect((await me().get('/playlists/assigned')).json).toMatchObject([
      { id: playlist.id, assignment_status: 'completed' },
    ])
  })

  test('is the latest assignment, then the older open one when that is completed', async () => {
    const { supervisor, trainee, playlist: older } = await createTeamWithPlaylist(world, url, 1)
    clock.advance(48 * hour)
    const boss = callAs(world, url, supervisor)
    const newer = await createPlaylist(boss)
    await assignPlaylist(boss, newer.id, trainee)
    const today = async () => (await callAs(world, url, trainee).get('/playlists/today')).json
    expect((await today()).id).toBe(newer.id)
    await complete(trainee.id, newer.id)
    expect((await today()).id).toBe(older.id)
    await complete(trainee.id, older.id)
    expect(await today()).toMatchObject({ assignment_status: 'completed' })
  })
})

describe('listAssignments', () => {
  test('lists the caller’s assignments with their status, latest first', async () => {
    const supervisor = world.addPerson('supervisor')
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const boss = callAs(world, url, supervisor)
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) {
      const { id } = await createPlaylist(boss)
      await assignPlaylist(boss, id, trainee)
      ids.unshift(id)
      clock.advance(1_000)
    }
    await complete(trainee.id, ids[1]!)
    const answer = await callAs(world, url, trainee).get('/playlists/assigned')
    expect(answer.json.map((task: { id: string }) => task.id)).toEqual(ids)
    expect(answer.json.map((task: { assignment_status: string }) => task.assignment_status)).toEqual([
      'assigned',
      'completed',
      'assigned',
    ])
    expect((await boss.get('/playlists/assigned')).json).toEqual([])
  })

  test('lists open and completed ones apart, completed ones by their completion, page by page', async () => {
    const supervisor = world.addPerson('supervisor')
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const boss = callAs(world, url, supervisor)
    const ids: string[] = []
    for (let index = 0; index < 4; index += 1) {
      const { id } = await createPlaylist(boss)
      await assignPlaylist(boss, id, trainee)
      ids.push(id)
      clock.advance(1_000)
    }
    const completions: string[] = []
    for (const id of [ids[2]!, ids[0]!]) {
      await complete(trainee.id, id)
      completions.unshift(new Date(clock.now()).toISOString())
      clock.advance(1_000)
    }
    const me = callAs(world, url, trainee)
    const idsOf = (tasks: { id: string }[]) => tasks.map(({ id }) => id)
    expect(idsOf((await me.get('/playlists/assigned?status=open')).json)).toEqual([ids[3], ids[1]])
    const first = await me.get('/playlists/assigned?status=completed&limit=1')
    expect(first.headers.get('x-total-count')).toBe('2')
    const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '')
    const second = await me.get(`/playlists/assigned?status=completed&limit=1&cursor=${cursor}`)
    expect([...first.json, ...second.json]).toMatchObject([
      { id: ids[0], completed_at: completions[0] },
      { id: ids[2], completed_at: completions[1] },
    ])
    expect((await me.get('/playlists/assigned?status=late')).status).toBe(422)
  })
})
