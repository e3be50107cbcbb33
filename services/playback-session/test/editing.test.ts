import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
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
/** The base URL of a second replica with caches of its own. */
let secondUrl: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
  secondUrl = (await world.start()).url
})
afterAll(() => world.close())

const unknown = '0123456789abcdef01234567'
const video = (name: string, duration = 20) => ({ ...videos(1, duration)[0]!, id: name, title: name })
const start = (caller: Caller, playlistId: string) =>
  caller.post('/session/monitoring', { is_monitoring: true, playlist_id: playlistId })
const save = (caller: Caller, playlistId: string, name: string, index: number, progress: number) => {
  clock.advance(10)
  const body = { playlist_id: playlistId, video_id: name, video_index: index, progress }
  return caller.post('/session/save-progress', body)
}
const statusOf = async (caller: Caller, playlistId: string) =>
  (await caller.get(`/session/status?playlist_id=${playlistId}`)).json
const ids = (list: { id: string }[]) => list.map(playlist => playlist.id)
const changes = (playlistId: string) => world.of('playlist.changed').filter(event => event.playlist_id === playlistId)
const internal = (path: string) =>
  fetch(`${url}/internal${path}`, { headers: world.credentialsOf('engagement').headersFor('playback-session') })
const edit = (fields: Record<string, unknown> = {}) => ({ title: 'Edited', ...fields })

describe('updatePlaylist', () => {
  test('changes title, description and videos, raises the revision and publishes the change', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const newVideos = [video('v2', 5), video('new', 7)]
    const answer = await boss.put(
      `/playlists/${playlist.id}`,
      edit({ description: 'Why', videos: newVideos, revision: 1 }),
    )
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      id: playlist.id,
      title: 'Edited',
      description: 'Why',
      total_duration: 12,
      revision: 2,
      videos: [{ id: 'v2' }, { id: 'new' }],
      assigned_users: [trainee.id],
    })
    expect((await boss.get('/playlists')).json[0]).toEqual(answer.json)
    await eventually(async () =>
      expect((await callAs(world, secondUrl, trainee).get('/playlists/today')).json).toMatchObject({ title: 'Edited' }),
    )
    await eventually(() =>
      expect(changes(playlist.id)).toEqual([
        expect.objectContaining({
          title: 'Edited',
          revision: 2,
          videos: newVideos.map(video => expect.objectContaining({ id: video.id })),
        }),
      ]),
    )
  })

  test('without videos keeps them, and without a change publishes nothing', async () => {
    const boss = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(boss)
    const renamed = await boss.put(`/playlists/${playlist.id}`, edit())
    expect(renamed.json).toMatchObject({ revision: 2, total_duration: 60, videos: videos(3) })
    expect((await boss.put(`/playlists/${playlist.id}`, edit())).json.revision).toBe(2)
    const after = await boss.put(`/playlists/${playlist.id}`, edit({ description: 'more' }))
    expect(after.json.revision).toBe(3)
    await eventually(() => expect(changes(playlist.id).map(event => event.revision)).toEqual([2, 3]))
  })

  test('an edit of an older revision answers 409 and changes nothing', async () => {
    const boss = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(boss)
    await boss.put(`/playlists/${playlist.id}`, edit({ revision: 1 }))
    const refused = await boss.put(`/playlists/${playlist.id}`, { title: 'Late', revision: 1 })
    expect([refused.status, refused.json.code]).toEqual([409, 'edited_elsewhere'])
    expect(refused.json.detail).toBe('Somebody changed this meanwhile. Load it again and repeat your change.')
    expect((await boss.get('/playlists')).json[0]).toMatchObject({ title: 'Edited', revision: 2 })
  })

  test('one of ten concurrent edits of one revision succeeds; without a revision all succeed', async () => {
    const supervisor = world.addPerson('supervisor')
    const boss = callAs(world, url, supervisor)
    const playlist = await createPlaylist(boss)
    const replicaCaller = (index: number) => callAs(world, index % 2 ? url : secondUrl, supervisor)
    const editConcurrently = (fields: (index: number) => Record<string, unknown>) =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) => replicaCaller(index).put(`/playlists/${playlist.id}`, fields(index))),
      )
    const guarded = await editConcurrently(index => ({ title: `T${index}`, revision: 1 }))
    expect(guarded.map(answer => answer.status).sort()).toEqual([200, ...Array(9).fill(409)])
    const unguarded = await editConcurrently(index => ({ title: `U${index}` }))
    expect(unguarded.map(answer => answer.json.revision).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 3),
    )
  })

  test('an imported playlist refuses new videos and accepts a new title', async () => {
    const boss = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(boss)
    const source = { youtube_playlist_id: 'PL1', title: 'There', read_at: new Date() }
    await collectionOf(world, 'playlists').updateOne({ _id: playlist.id }, { $set: { source } })
    const answer = await boss.put(`/playlists/${playlist.id}`, edit({ videos: videos(1) }))
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([
      409,
      'conflict',
      'The videos of an imported playlist come from YouTube. Refresh it instead.',
    ])
    expect((await boss.put(`/playlists/${playlist.id}`, edit())).json).toMatchObject({
      title: 'Edited',
      source: { provider: 'youtube', playlist_id: 'PL1' },
    })
  })

  test.each(roles)('a %s can edit their own playlist, and another owner’s by role', async role => {
    const foreign = await createPlaylist(callAs(world, url, world.addPerson('supervisor')))
    const caller = callAs(world, url, world.addPerson(role))
    const editsAll = role === 'director' || role === 'admin'
    const expected = role === 'user' ? 403 : editsAll ? 200 : 404
    expect((await caller.put(`/playlists/${foreign.id}`, edit())).status).toBe(expected)
    expect((await caller.put(`/playlists/${unknown}`, edit())).status).toBe(role === 'user' ? 403 : 404)
    if (role === 'user') return
    const own = await createPlaylist(caller)
    expect((await caller.put(`/playlists/${own.id}`, edit())).status).toBe(200)
    expect((await caller.delete(`/playlists/${own.id}`)).status).toBe(200)
  })

  test.each([
    ['no title', { title: ' ' }],
    ['no videos', edit({ videos: [] })],
    ['the same video twice', edit({ videos: [video('a'), video('a')] })],
    ['a script for a URL', edit({ videos: [{ ...video('a'), url: 'javascript:alert(1)' }] })],
    ['a string for a revision', edit({ revision: '1' })],
    ['the revision zero', edit({ revision: 0 })],
    ['an object for a title', { title: { $set: 1 } }],
  ])('refuses %s', async (_name, body) => {
    const boss = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(boss)
    expect((await boss.put(`/playlists/${playlist.id}`, body)).status).toBe(422)
    expect((await boss.get('/playlists')).json[0]).toMatchObject({ title: 'Safety', revision: 1 })
  })
})

describe('positions in an edited playlist', () => {
  test('follow their video, and a player that knows the old order can still save', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 'v1', 1, 7)
    const order = [video('first'), video('second'), ...videos(3)]
    await boss.put(`/playlists/${playlist.id}`, edit({ videos: order }))
    expect(await statusOf(me, playlist.id)).toMatchObject({
      can_resume: true,
      current_video_id: 'v1',
      current_video_index: 3,
      video_progress: 7,
    })
    expect((await save(me, playlist.id, 'v1', 1, 9)).status).toBe(200)
    expect(await statusOf(me, playlist.id)).toMatchObject({ current_video_index: 3, video_progress: 9 })
  })

  test('of a removed video move to the saved position in its replacement, and stay stored', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await start(me, playlist.id)
    await save(me, playlist.id, 'v2', 2, 4)
    await save(me, playlist.id, 'v1', 1, 7)
    await boss.put(`/playlists/${playlist.id}`, edit({ videos: [videos(3)[0], videos(3)[2]] }))
    expect(await statusOf(me, playlist.id)).toMatchObject({
      can_resume: true,
      current_video_id: 'v2',
      current_video_index: 1,
      video_progress: 4,
    })
    const refused = await save(me, playlist.id, 'v1', 1, 9)
    expect([refused.status, refused.json.errors?.[0]?.path]).toEqual([422, 'video_id'])
    const lastPosition = { playlist_id: playlist.id, current_video_id: 'v1', current_video_index: 1, video_progress: 9 }
    expect((await me.post('/session/monitoring', { is_monitoring: false, ...lastPosition })).status).toBe(200)
    expect((await me.get('/session/status')).json).toMatchObject({ is_monitoring: false })
    const stored = await collectionOf(world, 'progress').findOne({ _id: `${trainee.id}:${playlist.id}` })
    expect(stored!.positions).toEqual({ v1: 7, v2: 4 })
    await boss.put(`/playlists/${playlist.id}`, edit({ videos: videos(3) }))
    expect(await statusOf(me, playlist.id)).toMatchObject({ current_video_id: 'v1', video_progress: 7 })
  })

  test('at the end are resumable after a video is appended, and at the end again after it is removed', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    const resumable = async () => (await me.get('/session/status')).json.can_resume
    await start(me, playlist.id)
    await save(me, playlist.id, 'v2', 2, 20)
    expect(await resumable()).toBe(false)
    await boss.put(`/playlists/${playlist.id}`, edit({ videos: [...videos(3), video('more')] }))
    expect(await resumable()).toBe(true)
    await boss.put(`/playlists/${playlist.id}`, edit({ videos: videos(3) }))
    expect(await resumable()).toBe(false)
  })
})

describe('deletePlaylist', () => {
  test('removes the playlist and its assignments from every list, count, task and internal answer at every replica', async () => {
    const { supervisor, boss, team, trainee, playlist } = await createTeamWithPlaylist(world, url, 2)
    clock.advance(1_000)
    const newer = await createPlaylist(boss)
    await assignPlaylist(boss, newer.id, trainee)
    for (const replicaUrl of [url, secondUrl])
      for (const path of ['/playlists/today', '/playlists', '/playlists/assigned'])
        expect((await callAs(world, replicaUrl, trainee).get(path)).text).toContain(newer.id)
    const director = callAs(world, secondUrl, world.addPerson('director'))
    const before = Number((await director.get('/playlists')).headers.get('x-total-count'))

    expect((await boss.delete(`/playlists/${newer.id}`)).json).toEqual({ success: true })
    for (const replicaUrl of [url, secondUrl]) {
      const me = callAs(world, replicaUrl, trainee)
      await eventually(async () => {
        expect((await me.get('/playlists/today')).json.id).toBe(playlist.id)
        expect(ids((await me.get('/playlists')).json)).toEqual([playlist.id])
        expect(ids((await me.get('/playlists/assigned')).json)).toEqual([playlist.id])
        expect((await start(me, newer.id)).status).toBe(404)
      })
      const tasks = await callAs(world, replicaUrl, supervisor).get('/supervisor/tasks')
      expect([ids(tasks.json), tasks.headers.get('x-total-count')]).toEqual([[playlist.id], '1'])
    }
    expect(Number((await director.get('/playlists')).headers.get('x-total-count'))).toBe(before - 1)
    expect((await director.get('/playlists')).text).not.toContain(newer.id)
    expect((await internal(`/playlists/${newer.id}`)).status).toBe(404)
    expect(await (await internal(`/playlists?after=${playlist.id}&limit=1000`)).text()).not.toContain(newer.id)
    expect((await internal(`/assignments/${trainee.id}/${newer.id}`)).status).toBe(404)
    for (const answer of [
      await boss.put(`/playlists/${newer.id}`, edit()),
      await boss.put(`/playlists/${newer.id}/assign`, { assigned_users: [team[1]!.id] }),
      await boss.delete(`/playlists/${newer.id}/assign`, { assigned_users: [trainee.id] }),
    ])
      expect(answer.status).toBe(404)
    await eventually(() =>
      expect(world.of('playlist.deleted').filter(event => event.playlist_id === newer.id)).toEqual([
        expect.objectContaining({ revision: 2, by: supervisor.id }),
      ]),
    )
    const deleted = await collectionOf(world, 'deleted_playlists').findOne({ _id: newer.id })
    expect(deleted).toMatchObject({ title: 'Safety', deleted_by: supervisor.id })
  })

  test('of a playlist that many people have is complete for everybody at once, also after a stop in between', async () => {
    const { boss, trainee, playlist: next } = await createTeamWithPlaylist(world, url)
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, trainee)
    const assignments = collectionOf(world, 'assignments')
    const ofPlaylist = { playlist_id: playlist.id }
    const own = (await assignments.findOne({ ...ofPlaylist, person_id: trainee.id }))!
    const addMany = async () => {
      const ids = Array.from({ length: 2_600 }, (_, index) => `person-${index}`)
      const rows = ids.map(id => ({ ...own, _id: `${id}:${playlist.id}`, person_id: id }))
      await assignments.insertMany([...rows, { ...own, _id: `${trainee.id}:${playlist.id}` }] as never[])
    }
    await assignments.deleteOne({ _id: own._id })
    await addMany()
    const me = () => callAs(world, url, trainee)
    expect((await me().get('/playlists/today')).json).toMatchObject({ id: playlist.id })
    expect((await boss.delete(`/playlists/${playlist.id}`)).status).toBe(200)
    const deleted = collectionOf(world, 'deleted_playlists')
    const hasLeft = async () => 'has_remaining_assignments' in (await deleted.findOne({ _id: playlist.id as never }))!
    const expectGone = async () => {
      expect((await me().get('/playlists/today')).json).toMatchObject({ id: next.id })
      expect((await me().get('/playlists/assigned')).json).toMatchObject([{ id: next.id }])
      const reminded = await boss.post('/playlists/today/remind', { user_ids: [trainee.id] })
      expect(reminded.json.reminders).toMatchObject([{ playlist_id: next.id }])
      expect((await boss.get(`/playlists/${playlist.id}/assign`)).status).toBe(404)
      expect((await boss.delete(`/playlists/${playlist.id}`)).status).toBe(200)
    }
    await expectGone()
    await eventually(async () => expect(await assignments.countDocuments(ofPlaylist)).toBe(0))
    await eventually(async () => expect(await hasLeft()).toBe(false))

    // A process that is killed within the job leaves assignments and the mark.
    await addMany()
    await deleted.updateOne({ _id: playlist.id as never }, { $set: { has_remaining_assignments: true } })
    await expectGone()
    await eventually(async () => expect(await assignments.countDocuments(ofPlaylist)).toBe(0))
    await eventually(async () => expect(await hasLeft()).toBe(false))
  })

  test('repeated, succeeds for those who may delete, answers 404 to others and publishes one event', async () => {
    const { boss, playlist } = await createTeamWithPlaylist(world, url)
    const stranger = callAs(world, url, world.addPerson('supervisor'))
    expect((await stranger.delete(`/playlists/${playlist.id}`)).status).toBe(404)
    const answers = await Promise.all(Array.from({ length: 5 }, () => boss.delete(`/playlists/${playlist.id}`)))
    expect(answers.map(answer => answer.status)).toEqual(Array(5).fill(200))
    expect((await callAs(world, secondUrl, world.addPerson('admin')).delete(`/playlists/${playlist.id}`)).status).toBe(
      200,
    )
    expect((await stranger.delete(`/playlists/${playlist.id}`)).status).toBe(404)
    expect((await stranger.delete(`/playlists/${unknown}`)).status).toBe(404)
    await eventually(() =>
      expect(world.of('playlist.deleted').filter(event => event.playlist_id === playlist.id)).toHaveLength(1),
    )
  })

  test.each(roles)('a %s deletes another owner’s playlist by role', async role => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const expected = { user: 403, supervisor: 404, manager: 404, director: 200, admin: 200 }[role]
    expect((await callAs(world, url, world.addPerson(role)).delete(`/playlists/${playlist.id}`)).status).toBe(expected)
    const today = (await callAs(world, url, trainee).get('/playlists/today')).json
    expect(today?.id).toBe(expected === 200 ? undefined : playlist.id)
  })

  test('leaves no assignment behind when people are assigned concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const supervisor = world.addPerson('supervisor')
      const team = Array.from({ length: 6 }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
      const boss = callAs(world, url, supervisor)
      const playlist = await createPlaylist(boss)
      const [removed, ...assigns] = await Promise.all([
        boss.delete(`/playlists/${playlist.id}`),
        ...team.map(person => boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [person.id] })),
      ])
      expect(removed.status).toBe(200)
      for (const answer of assigns) expect([200, 404]).toContain(answer.status)
      expect(await collectionOf(world, 'assignments').countDocuments({ playlist_id: playlist.id })).toBe(0)
    }
  })

  test('ends the monitored sessions on the playlist, releases their locks and touches no others', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 3)
    const another = await createPlaylist(boss)
    await assignPlaylist(boss, another.id, team[2]!)
    const players = team.map(person => callAs(world, secondUrl, person))
    for (const caller of players.slice(0, 2)) await start(caller, playlist.id)
    await start(players[2]!, another.id)
    await save(players[0]!, playlist.id, 'v0', 0, 3)
    clock.advance(2_000)
    await boss.delete(`/playlists/${playlist.id}`)

    for (const caller of players.slice(0, 2)) {
      await eventually(async () => expect((await save(caller, playlist.id, 'v0', 0, 5)).status).toBe(404))
      expect((await caller.get('/session/status')).json).toMatchObject({ is_monitoring: false, can_resume: false })
      expect((await caller.post('/session/heartbeat')).status).toBe(409)
      expect(
        (await caller.post('/session/monitoring', { is_monitoring: false, playlist_id: playlist.id })).status,
      ).toBe(200)
    }
    expect((await players[2]!.post('/session/heartbeat')).status).toBe(200)
    const stopped = () => world.of('monitoring.stopped').filter(event => event.playlist_id === playlist.id)
    await eventually(() => expect(stopped().map(event => event.reason)).toEqual(['released', 'released']))
    const progress = await collectionOf(world, 'progress').findOne({ _id: `${team[0]!.id}:${playlist.id}` })
    expect(progress).toMatchObject({ position: 3 })
  })

  test('a session that the deletion missed ends with the next heartbeat or save', async () => {
    for (const evidencePath of ['/session/heartbeat', '/session/save-progress']) {
      const { trainee, playlist } = await createTeamWithPlaylist(world, url)
      const me = callAs(world, url, trainee)
      await start(me, playlist.id)
      // Simulates a replica that died after the deletion and before ending the sessions.
      await collectionOf(world, 'playlists').deleteOne({ _id: playlist.id })
      await collectionOf(world, 'assignments').deleteMany({ playlist_id: playlist.id })
      const body = { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress: 1 }
      await eventually(async () => expect([404, 409]).toContain((await me.post(evidencePath, body)).status))
      expect((await me.get('/session/status')).json.is_monitoring).toBe(false)
      await eventually(() =>
        expect(world.of('monitoring.stopped').filter(event => event.playlist_id === playlist.id)).toHaveLength(1),
      )
    }
  })

  test('the owner can create the same playlist again', async () => {
    const boss = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(boss)
    await boss.delete(`/playlists/${playlist.id}`)
    const second = await createPlaylist(boss)
    expect(ids((await boss.get('/playlists')).json)).toEqual([second.id])
  })
})

describe('unassigning and assigning again', () => {
  test('gets a later date each time and restores the progress', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    const body = { assigned_users: [trainee.id] }
    await start(me, playlist.id)
    await save(me, playlist.id, 'v1', 1, 7)
    for (let time = 0; time < 3; time += 1) {
      expect((await boss.delete(`/playlists/${playlist.id}/assign`, body)).json.unassigned).toBe(1)
      expect((await me.get('/playlists/today')).json).toBeNull()
      expect((await me.get('/session/status')).json).toMatchObject({ is_monitoring: false, can_resume: false })
      expect((await boss.put(`/playlists/${playlist.id}/assign`, body)).json.assigned).toBe(1)
      expect((await me.get('/playlists/today')).json).toMatchObject({ assignment_status: 'in_progress' })
      expect(await statusOf(me, playlist.id)).toMatchObject({ can_resume: true, video_progress: 7 })
    }
    // The dates grow although the clock stands still.
    await eventually(() => {
      const assignedEvents = world.of('playlist.assigned').filter(event => event.playlist_id === playlist.id)
      const unassignedEvents = world.of('playlist.unassigned').filter(event => event.playlist_id === playlist.id)
      expect([assignedEvents.length, unassignedEvents.length]).toEqual([4, 3])
      const dates = assignedEvents.flatMap((event, index) => [
        event.assigned_date,
        unassignedEvents[index]?.unassigned_date ?? 'z',
      ])
      expect([...new Set(dates)].sort()).toEqual(dates)
    })
  })

  test('a completed assignment that was removed stays removed until it is completed again', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const body = { assigned_users: [trainee.id] }
    const completion = {
      person_id: trainee.id,
      playlist_id: playlist.id,
      completed_at: new Date(clock.now()).toISOString(),
    }
    await world.publish('playlist.completed', completion)
    await boss.delete(`/playlists/${playlist.id}/assign`, body)
    await boss.put(`/playlists/${playlist.id}/assign`, body)
    const today = async () => (await callAs(world, url, trainee).get('/playlists/today')).json.assignment_status
    expect(await today()).toBe('assigned')
    await world.publish('playlist.completed', completion)
    expect(await today()).toBe('completed')
  })

  test('after unsharing, the supervisor can still unassign the playlist from their team', async () => {
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const [boss, chief] = [callAs(world, url, supervisor), callAs(world, url, manager)]
    const playlist = await createPlaylist(chief)
    await chief.put(`/playlists/${playlist.id}/share`, { supervisor_ids: [supervisor.id] })
    await assignPlaylist(boss, playlist.id, trainee)
    await chief.delete(`/playlists/${playlist.id}/share`, { supervisor_ids: [supervisor.id] })
    expect((await callAs(world, url, trainee).get('/playlists/today')).json).toMatchObject({ id: playlist.id })
    const body = { assigned_users: [trainee.id] }
    expect((await boss.put(`/playlists/${playlist.id}/assign`, body)).status).toBe(404)
    const stranger = callAs(world, url, world.addPerson('supervisor'))
    expect((await stranger.delete(`/playlists/${playlist.id}/assign`, body)).status).toBe(404)
    expect((await boss.delete(`/playlists/${playlist.id}/assign`, body)).json.unassigned).toBe(1)
    expect((await boss.delete(`/playlists/${playlist.id}/assign`, body)).status).toBe(404)
  })
})

describe('with MEDIA_HOSTS', () => {
  const file = (name: string, address: string) => ({ ...video(name), url: address })
  const hosts = { mediaHosts: ['https://media.example.org'], publicUrl: 'https://watchline.example' }
  const allowed = [
    file('named', 'https://media.example.org/a.mp4'),
    // Pages on https load it by https.
    file('upgraded', 'http://media.example.org/b.mp4'),
    file('path', '/media/c.mp4'),
    file('own', 'https://watchline.example/media/d.mp4'),
  ]
  const blocked = file('blocked', 'https://elsewhere.example/e.mp4')
  const blockedStream = file('stream', 'https://media.example.org.evil.example/f.m3u8')

  test('new files on other hosts are refused by their fields', async () => {
    const { url: limitedUrl } = await world.start({ config: hosts })
    const boss = callAs(world, limitedUrl, world.addPerson('supervisor'))
    const create = (list: object[]) => boss.post('/playlists', { title: 'Films', description: '', videos: list })
    expect((await create(allowed)).status).toBe(201)
    const answer = await create([allowed[0]!, blocked, blockedStream])
    expect(answer).toMatchObject({ status: 422, json: { code: 'invalid' } })
    expect(answer.json.detail).toContain('MEDIA_HOSTS')
    expect(answer.json.errors.map(({ path }: { path: string }) => path)).toEqual(['videos.1.url', 'videos.2.url'])
  })

  test('files that a playlist had before may stay, further ones are refused', async () => {
    const person = world.addPerson('supervisor')
    const before = (await callAs(world, url, person).post('/playlists', { title: 'Films', videos: [blocked] })).json
    const { url: limitedUrl } = await world.start({ config: hosts })
    const change = (list: object[]) =>
      callAs(world, limitedUrl, person).put(`/playlists/${before.id}`, edit({ videos: list }))
    expect((await change([allowed[0]!, blocked])).status).toBe(200)
    const answer = await change([blocked, { ...blocked, id: 'moved', url: blockedStream.url }])
    expect(answer.json.errors).toEqual([expect.objectContaining({ path: 'videos.1.url' })])
  })
})
