import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import { apiClient, eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  aPlaylist,
  as,
  assigned,
  aTeamWatching,
  type Caller,
  createPlaybackWorld,
  type PlaybackWorld,
  rows,
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

const nothing = {
  can_resume: false,
  current_playlist_id: null,
  current_video_id: null,
  current_video_index: 0,
  is_monitoring: false,
  video_progress: 0,
}
const start = (who: Caller, playlistId: string) =>
  who.post('/session/monitoring', { is_monitoring: true, playlist_id: playlistId })
const save = (who: Caller, playlistId: string, index: number, progress: number) => {
  clock.advance(10)
  const body = { playlist_id: playlistId, video_id: `v${index}`, video_index: index, progress }
  return who.post('/session/save-progress', body)
}
const statusOf = async (who: Caller, query = '') => (await who.get(`/session/status${query}`)).json
const stored = (personId: string, playlistId: string) =>
  rows(world, 'progress').findOne({ _id: `${personId}:${playlistId}` })

describe('saveProgress and getSessionStatus', () => {
  test('the position is there to come back to, per video and playlist', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    expect(await statusOf(me)).toEqual(nothing)
    await start(me, playlist.id)
    expect(await statusOf(me)).toEqual({ ...nothing, is_monitoring: true })
    expect((await save(me, playlist.id, 0, 20)).json).toEqual({ success: true })
    await save(me, playlist.id, 1, 7.5)
    expect(await statusOf(me)).toEqual({
      can_resume: true,
      current_playlist_id: playlist.id,
      current_video_id: 'v1',
      current_video_index: 1,
      is_monitoring: true,
      video_progress: 7.5,
    })
    expect(await stored(trainee.id, playlist.id)).toMatchObject({
      person_id: trainee.id,
      playlist_id: playlist.id,
      video_id: 'v1',
      position: 7.5,
      positions: { v0: 20, v1: 7.5 },
      finished: false,
    })
  })

  test('going back is a position like any other', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 1, 9)
    await save(me, playlist.id, 1, 2)
    expect(await statusOf(me)).toMatchObject({ video_progress: 2 })
    await save(me, playlist.id, 0, 0)
    expect(await statusOf(me)).toMatchObject({ can_resume: false, is_monitoring: true })
    expect(await stored(trainee.id, playlist.id)).toMatchObject({ positions: { v0: 0, v1: 2 } })
  })

  test('a position just beyond the end is the end', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    expect((await save(me, playlist.id, 0, 22)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ video_progress: 20 })
  })

  test('there is nothing to resume at the end of the last video, and again after going back from it', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 2, 18)
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
    expect(await statusOf(me, `?playlist_id=${playlist.id}`)).toMatchObject({ can_resume: false })
    await save(me, playlist.id, 1, 5)
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_video_index: 1 })
  })

  test('a completed playlist is not resumed, whatever is watched again', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 1, 5)
    await world.tell('playlist.completed', {
      person_id: trainee.id,
      playlist_id: playlist.id,
      completed_at: new Date(clock.now()).toISOString(),
    })
    await eventually(async () => expect(await statusOf(me)).toMatchObject({ can_resume: false }))
    expect((await save(me, playlist.id, 1, 6)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
    expect((await me.get('/playlists/today')).json.assignment_status).toBe('completed')
  })

  test('answers the latest unfinished playlist, or the one asked for', async () => {
    const { boss, trainee, playlist: first } = await aTeamWatching(world, url)
    const second = await aPlaylist(boss)
    const third = await aPlaylist(boss)
    for (const each of [second, third]) await assigned(boss, each.id, trainee)
    const me = as(world, url, trainee)
    for (const [id, index, at] of [
      [first.id, 0, 4],
      [second.id, 1, 5],
      [third.id, 2, 20],
    ] as const) {
      await start(me, id)
      expect((await save(me, id, index, at)).status).toBe(200)
    }
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_playlist_id: second.id, video_progress: 5 })
    expect(await statusOf(me, `?playlist_id=${first.id}`)).toMatchObject({ can_resume: true, video_progress: 4 })
    await boss.delete(`/playlists/${second.id}/assign`, { assigned_users: [trainee.id] })
    expect(await statusOf(me)).toMatchObject({ current_playlist_id: first.id })
    expect(await statusOf(me, `?playlist_id=${second.id}`)).toEqual({ ...nothing, is_monitoring: true })
    await assigned(boss, second.id, trainee)
    expect(await statusOf(me)).toMatchObject({ current_playlist_id: second.id, video_progress: 5 })
  })

  test('a status of what is unknown or foreign is nothing', async () => {
    const { playlist } = await aTeamWatching(world, url)
    const me = as(world, url, world.person('user'))
    for (const id of [playlist.id, 'unknown']) expect(await statusOf(me, `?playlist_id=${id}`)).toEqual(nothing)
    expect((await me.get('/session/status?playlist_id=%7B%7D')).status).toBe(422)
    expect((await apiClient(url).get('/session/status')).status).toBe(401)
  })

  test.each(roles)('a %s watches what is theirs, and nobody else’s', async role => {
    const { playlist: foreign } = await aTeamWatching(world, url)
    const watcher = world.person(role)
    const me = as(world, url, watcher)
    const sees = role === 'director' || role === 'admin'
    expect((await start(me, foreign.id)).status).toBe(sees ? 200 : 404)
    expect((await save(me, foreign.id, 0, 1)).status).toBe(sees ? 200 : 404)
    if (role === 'user') return
    const own = await aPlaylist(me)
    expect((await start(me, own.id)).status).toBe(200)
    expect((await save(me, own.id, 1, 1)).status).toBe(200)
    expect(await statusOf(me)).toMatchObject({ can_resume: true, current_playlist_id: own.id })
  })

  test('an assignment that was taken away ends the watching, and its last call still gives the lock back', async () => {
    const { boss, trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
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

  test('a playlist other than the one monitored is 422', async () => {
    const { boss, trainee, playlist } = await aTeamWatching(world, url)
    const other = await aPlaylist(boss)
    await assigned(boss, other.id, trainee)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    expect((await save(me, other.id, 0, 1)).status).toBe(422)
    expect(await stored(trainee.id, other.id)).toBeNull()
  })

  test('a video that cannot play does not stand in the way of the end', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    await rows(world, 'playlists').updateOne({ _id: playlist.id }, { $set: { 'videos.2.unavailable': true } })
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    await eventually(async () => {
      await save(me, playlist.id, 1, 19)
      expect(await stored(trainee.id, playlist.id)).toMatchObject({ finished: true })
    })
    expect(await statusOf(me)).toMatchObject({ can_resume: false })
  })
})

describe('bad input', () => {
  let me: Caller
  let playlistId: string
  let personId: string
  beforeAll(async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    me = as(world, url, trainee)
    personId = trainee.id
    playlistId = playlist.id
    await start(me, playlistId)
    await save(me, playlistId, 1, 7)
  })

  const good = () => ({ playlist_id: playlistId, video_id: 'v0', video_index: 0, progress: 1 })
  test.each<[string, number, (good: Record<string, unknown>) => unknown]>([
    ['no body', 422, () => undefined],
    ['an empty body', 422, () => ({})],
    ['an array', 422, () => []],
    ['broken JSON', 400, () => '{"playlist_id":'],
    ['no playlist', 422, ({ playlist_id: _, ...rest }) => rest],
    ['an object for a playlist', 422, body => ({ ...body, playlist_id: { $gt: '' } })],
    ['an unknown playlist', 404, body => ({ ...body, playlist_id: 'nobody-knows' })],
    ['an unknown video', 422, body => ({ ...body, video_id: 'zzz' })],
    ['an object for a video', 422, body => ({ ...body, video_id: { $ne: null } })],
    ['a video elsewhere in the list', 422, body => ({ ...body, video_index: 1 })],
    ['an index beyond the list', 422, body => ({ ...body, video_index: 99 })],
    ['an absurd index', 422, body => ({ ...body, video_index: 1e9 })],
    ['a negative index', 422, body => ({ ...body, video_index: -1 })],
    ['half an index', 422, body => ({ ...body, video_index: 0.5 })],
    ['an index in words', 422, body => ({ ...body, video_index: '0' })],
    ['a negative position', 422, body => ({ ...body, progress: -0.1 })],
    ['a position beyond the end', 422, body => ({ ...body, progress: 22.1 })],
    ['an absurd position', 422, body => ({ ...body, progress: 1e308 })],
    ['a position in words', 422, body => ({ ...body, progress: 'x' })],
    ['no number', 422, body => JSON.stringify(body).replace('"progress":1', '"progress":null')],
    ['what JSON calls NaN', 400, body => JSON.stringify(body).replace('"progress":1', '"progress":NaN')],
    ['what overflows', 422, body => JSON.stringify(body).replace('"progress":1', '"progress":1e999')],
    ['an object for a position', 422, body => ({ ...body, progress: { $inc: 1 } })],
    ['a body too large', 413, body => ({ ...body, padding: 'x'.repeat(1_100_000) })],
  ])('saveProgress refuses %s with %d and changes nothing', async (_what, status, spoil) => {
    const answer = await me.post('/session/save-progress', spoil(good()))
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual(expect.objectContaining({ detail: expect.any(String), code: expect.any(String) }))
    expect(answer.text).not.toMatch(/\bat .*\.ts/)
    expect(await stored(personId, playlistId)).toMatchObject({ video_index: 1, position: 7 })
  })

  test.each<[string, number, (good: Record<string, unknown>) => unknown]>([
    ['no body', 422, () => undefined],
    ['no word on what to do', 422, () => ({ playlist_id: playlistId })],
    ['words for yes', 422, () => ({ is_monitoring: 'true', playlist_id: playlistId })],
    ['no playlist', 422, () => ({ is_monitoring: true })],
    ['an object for a playlist', 422, () => ({ is_monitoring: true, playlist_id: { $gt: '' } })],
    ['an unknown playlist', 404, () => ({ is_monitoring: true, playlist_id: 'nobody-knows' })],
    ['an unknown video', 422, body => ({ ...body, current_video_id: 'zzz' })],
    ['an index that does not match', 422, body => ({ ...body, current_video_index: 2 })],
    ['a position beyond the end', 422, body => ({ ...body, video_progress: 23 })],
    ['a negative position', 422, body => ({ ...body, video_progress: -1 })],
    ['an object for a position', 422, body => ({ ...body, video_progress: {} })],
    ['words for a takeover', 422, body => ({ ...body, take_over: 'yes' })],
  ])('setMonitoring refuses %s with %d and changes nothing', async (_what, status, spoil) => {
    const given = {
      is_monitoring: true,
      playlist_id: playlistId,
      current_video_id: 'v0',
      current_video_index: 0,
      video_progress: 1,
    }
    expect((await me.post('/session/monitoring', spoil(given))).status).toBe(status)
    expect(await stored(personId, playlistId)).toMatchObject({ video_index: 1, position: 7 })
    expect((await statusOf(me)).is_monitoring).toBe(true)
  })

  test('nobody without a session', async () => {
    for (const path of ['/session/save-progress', '/session/heartbeat', '/session/monitoring'])
      expect((await apiClient(url).post(path, good())).status).toBe(401)
  })

  test('a heartbeat may come with an empty body, or none', async () => {
    expect((await me.post('/session/heartbeat')).status).toBe(200)
    expect((await me.post('/session/heartbeat', {})).status).toBe(200)
  })
})

describe('group commit', () => {
  test('an acknowledged save is in MongoDB before the answer, with other people’s in the same batch', async () => {
    const { team, playlist } = await aTeamWatching(world, url, 10)
    const callers = team.map(each => as(world, url, each))
    await Promise.all(callers.map(each => start(each, playlist.id)))
    await Promise.all(
      callers.map(async (each, index) => {
        expect((await save(each, playlist.id, 1, index)).status).toBe(200)
        expect(await stored(team[index]!.id, playlist.id)).toMatchObject({ position: index })
      }),
    )
  })

  test('of many saves in one batch the last is the position, and each video keeps its own', async () => {
    const { url: slow } = await world.start({ saving: { windowMs: 150, quietMs: 150 } })
    const { trainee, playlist } = await aTeamWatching(world, slow, 1, { videos: videos(5, 100) })
    const me = as(world, slow, trainee)
    await start(me, playlist.id)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => save(me, playlist.id, index % 5, index + 1)),
    )
    expect(answers.map(each => each.status)).toEqual(Array(20).fill(200))
    const row = await stored(trainee.id, playlist.id)
    expect(Object.keys(row!.positions)).toHaveLength(5)
    expect(row!.position).toBe(row!.positions[row!.video_id])
  })

  test('beyond the bound of the queue the caller gets 503 with Retry-After, and nothing is half done', async () => {
    const { url: small } = await world.start({ saving: { windowMs: 300, quietMs: 300, maxQueue: 2 } })
    const { team, playlist } = await aTeamWatching(world, small, 6)
    const callers = team.map(each => as(world, small, each))
    await Promise.all(callers.map(each => start(each, playlist.id)))
    const answers = await Promise.all(callers.map(each => save(each, playlist.id, 1, 5)))
    const taken = answers.flatMap((answer, index) => (answer.status === 200 ? [team[index]!.id] : []))
    const refused = answers.filter(answer => answer.status !== 200)
    expect(taken.length).toBeGreaterThanOrEqual(2)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    for (const answer of refused) {
      expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    for (const person of team) {
      const row = await stored(person.id, playlist.id)
      expect(row?.position).toBe(taken.includes(person.id) ? 5 : undefined)
    }
  })

  test('the last write by the server’s clock wins, whichever replica is late with it', async () => {
    const { url: late } = await world.start({ saving: { windowMs: 400, quietMs: 400 } })
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await start(me, playlist.id)
    // Warm, so that only the window of the group commit is between the call and the write.
    const slow = as(world, late, trainee)
    await save(slow, playlist.id, 0, 1)
    const earlier = save(slow, playlist.id, 0, 3)
    await eventually(async () => {
      const lock = await world.ports.live.locks.get(trainee.id, clock.now())
      expect(lock!.heardAt).toBe(clock.now())
    })
    await save(me, playlist.id, 2, 9)
    expect((await earlier).status).toBe(200)
    expect(await stored(trainee.id, playlist.id)).toMatchObject({ video_index: 2, position: 9 })
  })
})
