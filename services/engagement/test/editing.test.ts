import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import {
  type Caller,
  callAs,
  collectionOf,
  createEngagementWorld,
  createLock,
  type EngagementWorld,
  iso,
  play,
} from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

/** Creates a supervisor with a trainee who has a playlist. */
async function createTeam(durations: number[]) {
  const supervisor = world.addPerson('supervisor')
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const playlist = world.playlist(durations, { created_by: supervisor.id })
  const id = playlist.playlist_id
  await world.publish('playlist.created', playlist)
  await assignPlaylist(playlist, trainee.id)
  const [boss, me] = [callAs(world, url, supervisor), callAs(world, url, trainee)]
  const lock = createLock(world, trainee.id, id)
  const send = (body: Record<string, unknown>) => me.post('/engagement/track', body)
  return {
    supervisor,
    trainee,
    playlist,
    id,
    boss,
    me,
    lock,
    send,
    /** Acquires the lock, watches from the beginning, and releases the lock. */
    watch: async (videoId: string, to: number) => {
      await lock.acquire()
      const answers = await play(world, send, id, { to, videoId }, lock.renew)
      await lock.release()
      return answers.map(answer => answer.status)
    },
    fetchMember: async () => (await boss.get(`/engagement/members/${trainee.id}`)).json,
    listCompletions: () =>
      world.published
        .filter(event => event.subject === trainee.id)
        .map(event => `${event.type} ${(event.data as { video_id?: string }).video_id ?? ''}`.trim()),
  }
}

async function assignPlaylist(playlist: PlaylistSnapshot, ...personIds: string[]) {
  world.clock.advance(1)
  const { playlist_id } = playlist
  const assigned_date = iso(world.clock.now())
  for (const id of personIds)
    world.owners.assignments.set(`${id}:${playlist_id}`, { person_id: id, playlist_id, assigned_date })
  const data = { playlist_id, title: '', by: 'b', assigned: personIds, assigned_date }
  await world.publish('playlist.assigned', data)
}

async function unassignPlaylist(playlist: PlaylistSnapshot, ...personIds: string[]) {
  world.clock.advance(1)
  for (const id of personIds) world.owners.assignments.delete(`${id}:${playlist.playlist_id}`)
  const unassigned_date = iso(world.clock.now())
  await world.publish('playlist.unassigned', {
    playlist_id: playlist.playlist_id,
    by: 'b',
    unassigned: personIds,
    unassigned_date,
  })
}

/** Gives the owner the next revision of a playlist. */
function storeNextRevision(playlist: PlaylistSnapshot, fields: Partial<PlaylistSnapshot>): PlaylistSnapshot {
  const next = { ...world.owners.playlists.get(playlist.playlist_id)!, ...fields }
  next.revision += 1
  world.owners.playlists.set(next.playlist_id, next)
  return next
}

const changePlaylist = async (playlist: PlaylistSnapshot, fields: Partial<PlaylistSnapshot>) => {
  const next = storeNextRevision(playlist, fields)
  await world.publish('playlist.changed', next)
  return next
}

async function deletePlaylist(playlist: PlaylistSnapshot) {
  world.clock.advance(1)
  world.owners.playlists.delete(playlist.playlist_id)
  for (const key of world.owners.assignments.keys())
    if (key.endsWith(`:${playlist.playlist_id}`)) world.owners.assignments.delete(key)
  const data = { playlist_id: playlist.playlist_id, revision: 9, by: 'b', deleted_at: iso(world.clock.now()) }
  await world.publish('playlist.deleted', data)
}

const findPlaylist = (id: string) => collectionOf(world, 'playlists').findOne({ _id: id })
const fetchWatched = async (caller: Caller, id: string) => (await caller.get(`/engagement/watched/${id}`)).json
const fetchStatus = async (caller: Caller, id: string) => (await caller.get(`/engagement/watched/${id}`)).status

describe('playlist.changed', () => {
  test('the newest snapshot wins in any order and with any repetition', async () => {
    for (const order of [
      [1, 2, 3],
      [3, 2, 1],
      [2, 3, 1, 2, 3],
      [1, 3, 2, 2],
    ]) {
      const playlist = world.playlist([10])
      for (const revision of order) {
        const snapshot = { ...playlist, revision, title: `T${revision}`, shared_with: [`s${revision}`] }
        await world.publish(revision === 1 ? 'playlist.created' : 'playlist.changed', snapshot)
      }
      const expected = { title: 'T3', revision: 3, shared_with: ['s3'] }
      expect(await findPlaylist(playlist.playlist_id)).toMatchObject(expected)
    }
  })

  test('a repeated event applies once, and of ten concurrent events the newest wins', async () => {
    const playlist = world.playlist([10])
    const id = newId()
    for (let count = 0; count < 2; count += 1)
      await world.publish('playlist.changed', { ...playlist, revision: 2 }, { id })
    expect(await collectionOf(world, 'consumed_events').countDocuments({ _id: id })).toBe(1)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        world.publish('playlist.changed', { ...playlist, revision: index + 3, title: `T${index + 3}` }),
      ),
    )
    expect(await findPlaylist(playlist.playlist_id)).toMatchObject({ revision: 12, title: 'T12' })
    expect(await world.ports.bus.deadLetters('engagement')).toEqual([])
  })

  test('a snapshot requested before the event does not undo the change', async () => {
    const playlist = world.playlist([10])
    await world.publish('playlist.changed', { ...playlist, revision: 5, title: 'Newer' })
    await world.publish('playlist.created', { ...playlist, revision: 1 })
    const boss = callAs(world, url, world.addPerson('director'))
    expect(await fetchWatched(boss, playlist.playlist_id)).toMatchObject({ title: 'Newer' })
  })
})

describe('watched seconds', () => {
  test('survive an edit that reorders videos, removes one and adds it again', async () => {
    const { me, playlist, id, watch, fetchMember } = await createTeam([20, 20, 20])
    await watch('v0', 20)
    await watch('v1', 15)
    const [v0, v1, v2] = playlist.videos as [
      (typeof playlist.videos)[0],
      (typeof playlist.videos)[0],
      (typeof playlist.videos)[0],
    ]
    await changePlaylist(playlist, { videos: [v2, v0] })
    await eventually(async () =>
      expect(await fetchWatched(me, id)).toMatchObject({
        completion_rate: 50,
        completed_videos: 1,
        total_videos: 2,
        watch_time: 35,
        videos: [{ video_id: 'v2' }, { video_id: 'v0', completed: true, watched: [[0, 20]] }],
      }),
    )
    const details = await fetchMember()
    expect(details.member).toMatchObject({ completion_rate: 50, watch_time: 35, completed_videos: 1, total_videos: 2 })
    expect(details.playlists[0]).toMatchObject({ watch_time: 35, total_videos: 2 })
    expect(details.playlists[0].videos.map((video: { removed?: boolean }) => video.removed)).toEqual([
      undefined,
      undefined,
      true,
    ])
    expect(details.playlists[0].videos[2]).toMatchObject({
      video_id: 'v1',
      title: 'Video 1',
      completion_rate: 75,
      watched: [[0, 15]],
      missing: [],
    })
    await changePlaylist(playlist, { videos: [v0, v1, v2] })
    await eventually(async () =>
      expect((await fetchWatched(me, id)).videos[1]).toMatchObject({ watched: [[0, 15]], missing: [[15, 20]] }),
    )
    expect((await fetchMember()).playlists[0].videos).toHaveLength(3)
  })

  test('are compared with the new duration of a video; completed videos stay completed', async () => {
    const { me, playlist, id, watch } = await createTeam([20, 20])
    await watch('v0', 20)
    await watch('v1', 10)
    await changePlaylist(playlist, { videos: playlist.videos.map(video => ({ ...video, duration: 40 })) })
    await eventually(async () =>
      expect(await fetchWatched(me, id)).toMatchObject({
        completed_videos: 1,
        videos: [
          { completed: true, completion_rate: 90, watched: [[0, 20]], missing: [[20, 40]] },
          { completed: false, completion_rate: 25 },
        ],
      }),
    )
    expect(await watch('v1', 40)).not.toContain(422)
    expect((await fetchWatched(me, id)).videos[1]).toMatchObject({ completed: true, completion_rate: 100 })
  })

  test('complete a shortened video and its playlist once, without another report', async () => {
    const { me, playlist, id, watch, listCompletions } = await createTeam([20, 20])
    await watch('v0', 20)
    await watch('v1', 10)
    await changePlaylist(playlist, { videos: playlist.videos.map(video => ({ ...video, duration: 11 })) })
    await eventually(() =>
      expect(listCompletions()).toEqual(['video.completed v0', 'video.completed v1', 'playlist.completed']),
    )
    expect(await fetchWatched(me, id)).toMatchObject({ completed: true, completed_videos: 2 })
    await changePlaylist(playlist, { videos: playlist.videos.map(video => ({ ...video, duration: 10 })) })
    await watch('v1', 10)
    expect(listCompletions()).toHaveLength(3)
  })

  test.each([
    ['was removed', (video: PlaylistSnapshot['videos'][0]) => [] as (typeof video)[]],
    ['cannot play any more', (video: PlaylistSnapshot['videos'][0]) => [{ ...video, unavailable: true }]],
  ])('completes the playlist when the last unwatched video %s', async (_reason, edit) => {
    const { playlist, watch, listCompletions } = await createTeam([20, 20])
    await watch('v0', 20)
    const event = newId()
    const next = storeNextRevision(playlist, { videos: [playlist.videos[0]!, ...edit(playlist.videos[1]!)] })
    for (let count = 0; count < 2; count += 1) await world.publish('playlist.changed', next, { id: event })
    await world.publish('playlist.changed', next)
    await eventually(() => expect(listCompletions()).toEqual(['video.completed v0', 'playlist.completed']))
    expect((await findPlaylist(playlist.playlist_id))!.unsettled).toBeUndefined()
  })

  test('are recalculated after a crash between change and recalculation', async () => {
    const { playlist, id, watch, listCompletions } = await createTeam([20, 20])
    await watch('v0', 20)
    const next = storeNextRevision(playlist, { videos: [playlist.videos[0]!] })
    await world.publish('playlist.changed', { ...next, revision: next.revision + 1, videos: playlist.videos })
    await collectionOf(world, 'playlists').updateOne({ _id: id }, { $set: { videos: next.videos, unsettled: true } })
    await world.publish('playlist.changed', next)
    await eventually(() => expect(listCompletions()).toEqual(['video.completed v0', 'playlist.completed']))
  })

  test('complete a playlist that shrank while unassigned, once it is assigned again', async () => {
    const { trainee, playlist, watch, listCompletions } = await createTeam([20, 20])
    await watch('v0', 20)
    await unassignPlaylist(playlist, trainee.id)
    const next = await changePlaylist(playlist, { videos: [playlist.videos[0]!] })
    expect(listCompletions()).toEqual(['video.completed v0'])
    await eventually(async () => {
      await assignPlaylist(next, trainee.id)
      expect(listCompletions()).toContain('playlist.completed')
    })
  })

  test('of a deleted playlist stay visible to superiors and do not count in averages', async () => {
    const { me, boss, playlist, id, trainee, watch, fetchMember } = await createTeam([20, 20])
    const secondPlaylist = world.playlist([10])
    await world.publish('playlist.created', secondPlaylist)
    await assignPlaylist(secondPlaylist, trainee.id)
    await watch('v0', 20)
    await eventually(async () =>
      expect((await fetchMember()).member).toMatchObject({ completion_rate: 40, total_videos: 3 }),
    )
    await deletePlaylist(playlist)
    await eventually(async () => expect(await fetchStatus(me, id)).toBe(404))
    const details = await fetchMember()
    expect(details.member).toMatchObject({ completion_rate: 0, total_videos: 1, completed_videos: 0, watch_time: 20 })
    expect(details.playlists).toEqual([
      expect.objectContaining({ playlist_id: secondPlaylist.playlist_id }),
      expect.objectContaining({ playlist_id: id, title: 'Safety', deleted: true, completed_videos: 1, watch_time: 20 }),
    ])
    expect(details.playlists[0].deleted).toBeUndefined()
    const team = (await boss.get('/engagement/team')).json
    expect(team).toMatchObject({ average_completion: 0, members: [{ total_videos: 1, watch_time: 20 }] })
    const [record] = (await boss.get('/engagement/dashboard')).json
    expect(record).toMatchObject({ playlist_id: id, video_id: 'v0', completion_rate: 100 })
    expect((await boss.get('/engagement/export')).text).toContain('Safety (deleted)')
    const history = (await boss.get('/engagement/history?days=1')).json
    expect(history[0]).toMatchObject({ completed_videos: 0, completion_rate: 0 })
    for (const caller of [me, boss]) {
      expect(await fetchStatus(caller, id)).toBe(404)
      expect((await caller.get(`/comments/${id}/v0`)).status).toBe(404)
      const comment = { playlist_id: id, video_id: 'v0', timestamp: 1, comment: 'Why?' }
      expect((await caller.post('/comments', comment)).status).toBe(404)
    }
  })
})

describe('playlist.deleted', () => {
  const makeDeleted = (id: string) => ({ playlist_id: id, revision: 2, by: 'b', deleted_at: iso(world.clock.now()) })

  test('is final: late events do not restore the playlist or its assignments', async () => {
    const director = callAs(world, url, world.addPerson('director'))
    for (const type of ['playlist.created', 'playlist.changed'] as const) {
      const { id: personId } = world.addPerson('user')
      const playlist = world.playlist([10])
      const id = playlist.playlist_id
      world.owners.playlists.delete(id)
      await world.publish('playlist.deleted', makeDeleted(id))
      await world.publish(type, { ...playlist, title: 'Late', revision: 7 })
      const assigned_date = iso(world.clock.now() - 1)
      const data = { playlist_id: id, title: '', by: 'b', assigned: [personId], assigned_date }
      await world.publish('playlist.assigned', data)
      expect(await collectionOf(world, 'assignments').findOne({ playlist_id: id })).toMatchObject({ assigned: false })
      expect(await fetchStatus(director, id)).toBe(404)
      // The title stays, because people may have watched the playlist.
      expect(await findPlaylist(id)).toMatchObject({ title: 'Late', deleted_at: expect.any(Date) })
    }
  })

  test('concurrent with an assignment leaves no assignment, in either order', async () => {
    const playlists = Array.from({ length: 30 }, () => world.playlist([10]))
    await Promise.all(
      playlists.map(async (playlist, index) => {
        const { playlist_id: id } = playlist
        // Half of the playlists are unknown, as after an outage of the consumers.
        if (index % 2 === 0) await world.publish('playlist.created', playlist)
        const { id: personId } = world.addPerson('user')
        const assigned_date = iso(world.clock.now() - 1)
        const data = { playlist_id: id, title: '', by: 'b', assigned: [personId], assigned_date }
        await Promise.all([
          world.publish('playlist.assigned', data),
          world.publish('playlist.deleted', makeDeleted(id)),
        ])
      }),
    )
    const ids = playlists.map(playlist => playlist.playlist_id)
    expect(await collectionOf(world, 'assignments').countDocuments({ playlist_id: { $in: ids } })).toBe(30)
    expect(await collectionOf(world, 'assignments').countDocuments({ playlist_id: { $in: ids }, assigned: true })).toBe(
      0,
    )
  })

  test('applies once and ends every assignment', async () => {
    const { trainee, playlist, id } = await createTeam([10])
    const second = world.addPerson('user')
    await assignPlaylist(playlist, second.id)
    const event = newId()
    const data = makeDeleted(id)
    for (let count = 0; count < 2; count += 1) await world.publish('playlist.deleted', data, { id: event })
    await world.publish('playlist.deleted', { ...data, deleted_at: iso(world.clock.now() + 60_000) })
    expect((await findPlaylist(id))!.deleted_at).toEqual(new Date(data.deleted_at))
    const assignments = await collectionOf(world, 'assignments').find({ playlist_id: id }).toArray()
    expect(assignments.map(assignment => [assignment.person_id, assignment.assigned]).sort()).toEqual(
      [trainee.id, second.id].sort().map(personId => [personId, false]),
    )
  })

  test('ends the assignments of many people in batches', async () => {
    const { id } = await createTeam([10])
    const rows = Array.from({ length: 2_600 }, (_, index) => `many-${index}`).map(person_id => ({
      ...{ _id: `${person_id}:${id}`, person_id, playlist_id: id, assigned: true, at: new Date(0) },
    }))
    await collectionOf(world, 'assignments').insertMany(rows as never[])
    const data = makeDeleted(id)
    await world.publish('playlist.deleted', data)
    const left = () => collectionOf(world, 'assignments').countDocuments({ playlist_id: id, assigned: true })
    await eventually(async () => expect(await left()).toBe(0))
    await eventually(async () => expect(await findPlaylist(id)).not.toHaveProperty('has_remaining_assignments'))
    const ended = await collectionOf(world, 'assignments').distinct('at', { playlist_id: id })
    expect(ended).toEqual([new Date(data.deleted_at)])
  })

  test('an event that does not match its schema becomes a dead letter', async () => {
    const before = (await world.ports.bus.deadLetters('engagement')).length
    await world.publish('playlist.deleted', { playlist_id: 7 } as never).catch(() => {})
    await world.publish('playlist.changed', { playlist_id: 'x', videos: 'none' } as never).catch(() => {})
    await eventually(async () => expect(await world.ports.bus.deadLetters('engagement')).toHaveLength(before + 2))
  })
})

describe('late reports', () => {
  /** Plays 20 s under the lock without sending. Returns the unsent reports. */
  async function playUnsent(lock: ReturnType<typeof createLock>, id: string, videoId = 'v0') {
    await lock.acquire()
    const isoAfter = (seconds: number) => iso(world.clock.now() + seconds * 1000)
    const report = (event_type: string, watch_time: number) => ({
      playlist_id: id,
      video_id: videoId,
      event_type,
      watch_time,
      client_time: isoAfter(watch_time),
      event_id: crypto.randomUUID(),
    })
    const reports = [report('play', 0), report('playing', 10), report('ended', 20)]
    world.clock.advance(20_000)
    await lock.release()
    return reports
  }

  test.each(['unassigned', 'deleted', 'removed', 'unavailable'] as const)(
    'about a playlist or video that was %s meanwhile are credited for ten minutes',
    async cause => {
      const { trainee, me, lock, playlist, id, send, fetchMember } = await createTeam([20, 20, 20])
      const reports = await playUnsent(lock, id)
      const lateReports = await playUnsent(lock, id, 'v0')
      const [v0, ...otherVideos] = playlist.videos
      if (cause === 'unassigned') await unassignPlaylist(playlist, trainee.id)
      else if (cause === 'deleted') await deletePlaylist(playlist)
      else
        await changePlaylist(playlist, {
          videos: cause === 'removed' ? otherVideos : [{ ...v0!, unavailable: true }, ...otherVideos],
        })
      await eventually(async () => {
        const answer = await me.get(`/engagement/watched/${id}`)
        expect(answer.status === 404 || answer.json.total_videos === 2).toBe(true)
      })
      world.clock.advance(limits.lateReportsMs - 1_000)
      for (const report of reports) expect((await send(report)).status).toBe(200)
      const details = (await fetchMember()).playlists[0]
      const video = details.videos.find((entry: { video_id: string }) => entry.video_id === 'v0')
      expect(video).toMatchObject({ completion_rate: 100, watch_time: 20 })
      world.clock.advance(2_000)
      const refused = cause === 'unassigned' || cause === 'deleted' ? 404 : 422
      for (const report of lateReports) expect((await send(report)).status).toBe(refused)
      expect((await fetchMember()).member.watch_time).toBe(20)
    },
  )

  test('earn at most the time under the lock', async () => {
    const { lock, playlist, id, send, fetchMember } = await createTeam([600])
    await lock.acquire()
    world.clock.advance(5_000)
    await lock.release()
    await deletePlaylist(playlist)
    const startedAt = world.clock.now()
    for (let position = 0; position <= 120; position += 10)
      await send({
        playlist_id: id,
        video_id: 'v0',
        event_type: position === 0 ? 'play' : 'playing',
        watch_time: position,
        client_time: iso(startedAt + position * 1000),
      })
    expect((await fetchMember()).member.watch_time).toBeLessThanOrEqual(5 + limits.overdraftS)
  })
})

test('a report about a new video is accepted before the event of the edit', async () => {
  const { lock, playlist, id, send, me } = await createTeam([20])
  storeNextRevision(playlist, {
    videos: [
      { ...playlist.videos[0]!, duration: 40 },
      { ...playlist.videos[0]!, id: 'new' },
    ],
  })
  await lock.acquire()
  expect((await send({ playlist_id: id, video_id: 'new', event_type: 'play', watch_time: 1 })).status).toBe(200)
  expect((await fetchWatched(me, id)).total_videos).toBe(2)
  expect((await send({ playlist_id: id, video_id: 'v0', event_type: 'play', watch_time: 39 })).status).toBe(200)
  expect((await send({ playlist_id: id, video_id: 'v0', event_type: 'play', watch_time: 43 })).status).toBe(422)
  expect((await send({ playlist_id: id, video_id: 'none', event_type: 'play', watch_time: 1 })).status).toBe(422)
})

test('an unassignment and a new assignment keep all progress, in either order of events', async () => {
  const { trainee, me, playlist, id, watch, fetchMember } = await createTeam([20, 20])
  await watch('v0', 15)
  for (let time = 0; time < 3; time += 1) {
    await unassignPlaylist(playlist, trainee.id)
    await eventually(async () => expect(await fetchStatus(me, id)).toBe(404))
    expect((await fetchMember()).member).toMatchObject({ total_videos: 0, watch_time: 15 })
    await assignPlaylist(playlist, trainee.id)
    await eventually(async () => expect(await fetchWatched(me, id)).toMatchObject({ watch_time: 15, total_videos: 2 }))
    expect((await fetchMember()).member).toMatchObject({ total_videos: 2, watch_time: 15 })
  }
  const start = world.clock.now()
  const assignedAfter = (ms: number) => ({
    playlist_id: id,
    title: '',
    by: 'b',
    assigned: [trainee.id],
    assigned_date: iso(start + ms),
  })
  await world.publish('playlist.assigned', assignedAfter(2))
  await world.publish('playlist.unassigned', {
    playlist_id: id,
    by: 'b',
    unassigned: [trainee.id],
    unassigned_date: iso(start + 1),
  })
  await world.publish('playlist.assigned', assignedAfter(-5))
  expect((await fetchMember()).member.total_videos).toBe(2)
  world.clock.advance(10)
  expect(await watch('v0', 20)).not.toContain(404)
})
