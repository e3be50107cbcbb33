import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { roles } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
})
afterAll(() => world.close())

const emptyStatus = {
  can_resume: false,
  current_playlist_id: null,
  current_video_id: null,
  current_video_index: 0,
  is_monitoring: false,
  video_progress: 0,
  owned_lock_last: false,
}
const start = (caller: Caller, playlistId: string) =>
  caller.post('/session/monitoring', { is_monitoring: true, playlist_id: playlistId })
const save = (caller: Caller, playlistId: string, index: number, progress: number) => {
  clock.advance(10)
  const body = { playlist_id: playlistId, video_id: `v${index}`, video_index: index, progress }
  return caller.post('/session/save-progress', body)
}
const statusOf = async (caller: Caller, query = '') => (await caller.get(`/session/status${query}`)).json
const findProgress = (personId: string, playlistId: string) =>
  collectionOf(world, 'progress').findOne({ _id: `${personId}:${playlistId}` })

describe('saveProgress and getSessionStatus', () => {
  test('a saved position can be resumed, for each video and playlist', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    expect(await statusOf(me)).toEqual(emptyStatus)
    await start(me, playlist.id)
    expect(await statusOf(me)).toEqual({ ...emptyStatus, is_monitoring: true, owned_lock_last: true })
    expect((await save(me, playlist.id, 0, 20)).json).toEqual({ success: true })
    await save(me, playlist.id, 1, 7.5)
    expect(await statusOf(me)).toEqual({
      can_resume: true,
      current_playlist_id: playlist.id,
      current_video_id: 'v1',
      current_video_index: 1,
      is_monitoring: true,
      video_progress: 7.5,
      saved_at: new Date(clock.now()).toISOString(),
      owned_lock_last: true,
    })
    expect(await findProgress(trainee.id, playlist.id)).toMatchObject({
      person_id: trainee.id,
      playlist_id: playlist.id,
      video_id: 'v1',
      position: 7.5,
      positions: { v0: 20, v1: 7.5 },
      finished: false,
    })
  })

  test('going back saves the earlier position', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 1, 9)
    await save(me, playlist.id, 1, 2)
    expect(await statusOf(me)).toMatchObject({ video_progress: 2 })
    await save(me, playlist.id, 0, 0)
    expect(await statusOf(me)).toMatchObject({ can_resume: false, is_monitoring: true })
    expect(await findProgress(trainee.id, playlist.id)).toMatchObject({ positions: { v0: 0, v1: 2 } })
  })

  test('a position just past the end counts as the end', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    expect((await save(me, playlist.id, 0, 22)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ video_progress: 20 })
  })

  test('the end of the last video is not resumable, and going back makes it resumable', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 2, 18)
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
    expect(await statusOf(me, `?playlist_id=${playlist.id}`)).toMatchObject({ can_resume: false })
    await save(me, playlist.id, 1, 5)
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_video_index: 1 })
  })

  test('a completed playlist is not resumable, even if it is watched again', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 1, 5)
    await world.publish('playlist.completed', {
      person_id: trainee.id,
      playlist_id: playlist.id,
      completed_at: new Date(clock.now()).toISOString(),
    })
    await eventually(async () => expect(await statusOf(me)).toMatchObject({ can_resume: false }))
    expect((await save(me, playlist.id, 1, 6)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
    expect((await me.get('/playlists/today')).json.assignment_status).toBe('completed')
  })

  test('returns the latest unfinished playlist, or the requested one', async () => {
    const { boss, trainee, playlist: first } = await createTeamWithPlaylist(world, url)
    const second = await createPlaylist(boss)
    const third = await createPlaylist(boss)
    for (const playlist of [second, third]) await assignPlaylist(boss, playlist.id, trainee)
    const me = callAs(world, url, trainee)
    for (const [id, index, seconds] of [
      [first.id, 0, 4],
      [second.id, 1, 5],
      [third.id, 2, 20],
    ] as const) {
      await start(me, id)
      expect((await save(me, id, index, seconds)).status).toBe(200)
    }
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_playlist_id: second.id, video_progress: 5 })
    expect(await statusOf(me, `?playlist_id=${first.id}`)).toMatchObject({ can_resume: true, video_progress: 4 })
    await boss.delete(`/playlists/${second.id}/assign`, { assigned_users: [trainee.id] })
    expect(await statusOf(me)).toMatchObject({ current_playlist_id: first.id })
    expect(await statusOf(me, `?playlist_id=${second.id}`)).toEqual({
      ...emptyStatus,
      is_monitoring: true,
      owned_lock_last: true,
    })
    await assignPlaylist(boss, second.id, trainee)
    expect(await statusOf(me)).toMatchObject({ current_playlist_id: second.id, video_progress: 5 })
  })

  test('an unknown or foreign playlist has an empty status', async () => {
    const { playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, world.addPerson('user'))
    for (const id of [playlist.id, 'unknown']) expect(await statusOf(me, `?playlist_id=${id}`)).toEqual(emptyStatus)
    expect((await me.get('/session/status?playlist_id=%7B%7D')).status).toBe(422)
    expect((await apiClient(url).get('/session/status')).status).toBe(401)
  })

  test.each(roles)('a %s can watch their own playlists only', async role => {
    const { playlist: foreign } = await createTeamWithPlaylist(world, url)
    const watcher = world.addPerson(role)
    const me = callAs(world, url, watcher)
    const seesAll = role === 'director' || role === 'admin'
    expect((await start(me, foreign.id)).status).toBe(seesAll ? 200 : 404)
    expect((await save(me, foreign.id, 0, 1)).status).toBe(seesAll ? 200 : 404)
    if (role === 'user') return
    const own = await createPlaylist(me)
    expect((await start(me, own.id)).status).toBe(200)
    expect((await save(me, own.id, 1, 1)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_playlist_id: own.id })
  })

  test('unassigning ends monitoring, and the player’s last call still releases the lock', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 1, 1)
    await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    expect((await save(me, playlist.id, 1, 2)).status).toBe(404)
    const answer = await me.post('/session/monitoring', {
      is_monitoring: false,
      playlist_id: playlist.id,
      current_video_index: 1,
      video_progress: 2,
    })
    expect(answer.json).toEqual({ success: true, is_monitoring: false, expires_in: 0 })
    expect((await statusOf(me)).is_monitoring).toBe(false)
  })

  test('a save for a playlist that is not monitored answers 422', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const secondPlaylist = await createPlaylist(boss)
    await assignPlaylist(boss, secondPlaylist.id, trainee)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    expect((await save(me, secondPlaylist.id, 0, 1)).status).toBe(422)
    expect(await findProgress(trainee.id, secondPlaylist.id)).toBeNull()
  })

  test('an unavailable last video does not prevent the end', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    await collectionOf(world, 'playlists').updateOne({ _id: playlist.id }, { $set: { 'videos.2.unavailable': true } })
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await eventually(async () => {
      await save(me, playlist.id, 1, 19)
      expect(await findProgress(trainee.id, playlist.id)).toMatchObject({ finished: true })
    })
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
  })
})

describe('invalid input', () => {
  let me: Caller
  let playlistId: string
  let personId: string
  beforeAll(async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    me = callAs(world, url, trainee)
    personId = trainee.id
    playlistId = playlist.id
    await start(me, playlistId)
    await save(me, playlistId, 1, 7)
  })

  const validBody = () => ({ playlist_id: playlistId, video_id: 'v0', video_index: 0, progress: 1 })
  test.each<[string, number, (body: Record<string, unknown>) => unknown]>([
    ['no body', 422, () => undefined],
    ['an empty body', 422, () => ({})],
    ['an array', 422, () => []],
    ['broken JSON', 400, () => '{"playlist_id":'],
    ['no playlist', 422, ({ playlist_id: _, ...body }) => body],
    ['an object for a playlist', 422, body => ({ ...body, playlist_id: { $gt: '' } })],
    ['an unknown playlist', 404, body => ({ ...body, playlist_id: 'nobody-knows' })],
    ['an unknown video', 422, body => ({ ...body, video_id: 'zzz' })],
    ['an object for a video', 422, body => ({ ...body, video_id: { $ne: null } })],
    ['a video elsewhere in the list', 422, body => ({ ...body, video_index: 1 })],
    ['an index beyond the list', 422, body => ({ ...body, video_index: 99 })],
    ['an absurd index', 422, body => ({ ...body, video_index: 1e9 })],
    ['a negative index', 422, body => ({ ...body, video_index: -1 })],
    ['a fractional index', 422, body => ({ ...body, video_index: 0.5 })],
    ['a string for an index', 422, body => ({ ...body, video_index: '0' })],
    ['a negative position', 422, body => ({ ...body, progress: -0.1 })],
    ['a position beyond the end', 422, body => ({ ...body, progress: 22.1 })],
    ['an absurd position', 422, body => ({ ...body, progress: 1e308 })],
    ['a string for a position', 422, body => ({ ...body, progress: 'x' })],
    ['null for a position', 422, body => JSON.stringify(body).replace('"progress":1', '"progress":null')],
    ['NaN, which is no JSON', 400, body => JSON.stringify(body).replace('"progress":1', '"progress":NaN')],
    ['a number that overflows', 422, body => JSON.stringify(body).replace('"progress":1', '"progress":1e999')],
    ['an object for a position', 422, body => ({ ...body, progress: { $inc: 1 } })],
    ['a body too large', 413, body => ({ ...body, padding: 'x'.repeat(1_100_000) })],
  ])('saveProgress refuses %s with %d and changes nothing', async (_name, status, change) => {
    const answer = await me.post('/session/save-progress', change(validBody()))
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual(expect.objectContaining({ detail: expect.any(String), code: expect.any(String) }))
    expect(answer.text).not.toMatch(/\bat .*\.ts/)
    expect(await findProgress(personId, playlistId)).toMatchObject({ video_index: 1, position: 7 })
  })

  test.each<[string, number, (body: Record<string, unknown>) => unknown]>([
    ['no body', 422, () => undefined],
    ['no is_monitoring', 422, () => ({ playlist_id: playlistId })],
    ['a string for is_monitoring', 422, () => ({ is_monitoring: 'true', playlist_id: playlistId })],
    ['no playlist', 422, () => ({ is_monitoring: true })],
    ['an object for a playlist', 422, () => ({ is_monitoring: true, playlist_id: { $gt: '' } })],
    ['an unknown playlist', 404, () => ({ is_monitoring: true, playlist_id: 'nobody-knows' })],
    ['an unknown video', 422, body => ({ ...body, current_video_id: 'zzz' })],
    ['an index that does not match', 422, body => ({ ...body, current_video_index: 2 })],
    ['a position beyond the end', 422, body => ({ ...body, video_progress: 23 })],
    ['a negative position', 422, body => ({ ...body, video_progress: -1 })],
    ['an object for a position', 422, body => ({ ...body, video_progress: {} })],
    ['a string for take_over', 422, body => ({ ...body, take_over: 'yes' })],
  ])('setMonitoring refuses %s with %d and changes nothing', async (_name, status, change) => {
    const stopRequest = {
      is_monitoring: true,
      playlist_id: playlistId,
      current_video_id: 'v0',
      current_video_index: 0,
      video_progress: 1,
    }
    expect((await me.post('/session/monitoring', change(stopRequest))).status).toBe(status)
    expect(await findProgress(personId, playlistId)).toMatchObject({ video_index: 1, position: 7 })
    expect((await statusOf(me)).is_monitoring).toBe(true)
  })

  test('refuses a call without a session', async () => {
    for (const path of ['/session/save-progress', '/session/heartbeat', '/session/monitoring'])
      expect((await apiClient(url).post(path, validBody())).status).toBe(401)
  })

  test('a heartbeat accepts an empty body and no body', async () => {
    expect((await me.post('/session/heartbeat')).status).toBe(200)
    expect((await me.post('/session/heartbeat', {})).status).toBe(200)
  })
})

/**
 * A batch is written when it is full, so that batching does not depend on the speed of the machine.
 */
const onlyFullBatches = { windowMs: 600_000, quietMs: 600_000 }

describe('group commit', () => {
  test('a save is in MongoDB before its answer, batched with saves of other people', async () => {
    const { team, playlist } = await createTeamWithPlaylist(world, url, 10)
    const callers = team.map(person => callAs(world, url, person))
    await Promise.all(callers.map(caller => start(caller, playlist.id)))
    await Promise.all(
      callers.map(async (caller, index) => {
        expect((await save(caller, playlist.id, 1, index)).status).toBe(200)
        expect(await findProgress(team[index]!.id, playlist.id)).toMatchObject({ position: index })
      }),
    )
  })

  test('the last save of a batch is the position, and each video keeps its own', async () => {
    const { url: slowUrl } = await world.start({ saving: { ...onlyFullBatches, maxBatch: 20 } })
    const { trainee, playlist } = await createTeamWithPlaylist(world, slowUrl, 1, { videos: videos(5, 100) })
    const me = callAs(world, slowUrl, trainee)
    await start(me, playlist.id)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => save(me, playlist.id, index % 5, index + 1)),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(200))
    const progress = await findProgress(trainee.id, playlist.id)
    expect(Object.keys(progress!.positions)).toHaveLength(5)
    expect(progress!.position).toBe(progress!.positions[progress!.video_id])
  })

  test('a full queue answers 503 with Retry-After, and no save is half done', async () => {
    const { url: smallUrl } = await world.start({ saving: { windowMs: 3_000, quietMs: 3_000, maxQueue: 2 } })
    const { team, playlist } = await createTeamWithPlaylist(world, smallUrl, 6)
    const callers = team.map(person => callAs(world, smallUrl, person))
    await Promise.all(callers.map(caller => start(caller, playlist.id)))
    const answers = await Promise.all(callers.map(caller => save(caller, playlist.id, 1, 5)))
    const savedIds = answers.flatMap((answer, index) => (answer.status === 200 ? [team[index]!.id] : []))
    const refused = answers.filter(answer => answer.status !== 200)
    expect(savedIds.length).toBeGreaterThanOrEqual(2)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    for (const answer of refused) {
      expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    for (const person of team) {
      const progress = await findProgress(person.id, playlist.id)
      expect(progress?.position).toBe(savedIds.includes(person.id) ? 5 : undefined)
    }
  })

  test('the latest save by the server’s clock wins, even if a replica writes it late', async () => {
    const { url: slowUrl } = await world.start({ saving: { ...onlyFullBatches, maxBatch: 2 } })
    const { team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [trainee, colleague] = team as [PersonSnapshot, PersonSnapshot]
    const me = callAs(world, url, trainee)
    const slowColleague = callAs(world, slowUrl, colleague)
    await start(me, playlist.id)
    await start(slowColleague, playlist.id)
    const earlier = save(callAs(world, slowUrl, trainee), playlist.id, 0, 3)
    await eventually(async () => {
      const lock = await world.ports.live.locks.get(trainee.id, clock.now())
      expect(lock!.heardAt).toBe(clock.now())
    })
    await save(me, playlist.id, 2, 9)
    expect((await save(slowColleague, playlist.id, 0, 1)).status).toBe(200)
    expect((await earlier).status).toBe(200)
    expect(await findProgress(trainee.id, playlist.id)).toMatchObject({ video_index: 2, position: 9 })
  })
})
