import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso, play } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const findWatcher = (personId: string) => collectionOf(world, 'watchers').findOne({ _id: personId })

describe('impossible watching', () => {
  test('1,000 reports in an instant earn at most 4 s', async () => {
    const { lock, track, watched } = await createTrainee(world, url, [3_600])
    await lock.acquire()
    world.clock.advance(1_000)
    const start = world.clock.now()
    for (let batch = 0; batch < 10; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => {
          const second = batch * 100 + index
          return track({
            event_type: second === 0 ? 'play' : 'playing',
            watch_time: second,
            client_time: iso(start + second * 1000),
            event_id: randomUUID(),
          })
        }),
      )
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
    }
    const video = await watched()
    expect(video.watch_time).toBeGreaterThan(0)
    expect(video.watch_time).toBeLessThanOrEqual(4)
  })

  test('two tabs for 60 s earn at most 63 s', async () => {
    const { lock, track, watched } = await createTrainee(world, url, [600, 600])
    await lock.acquire()
    for (let second = 0; second <= 60; second += 10) {
      const body = {
        event_type: second === 0 ? 'play' : 'playing',
        watch_time: second,
        client_time: iso(world.clock.now()),
      }
      await Promise.all([
        track({ ...body, video_id: 'v0', event_id: randomUUID() }),
        track({ ...body, video_id: 'v1', event_id: randomUUID() }),
      ])
      if (second < 60) world.clock.advance(10_000)
    }
    await lock.release()
    const total = (await watched(0)).watch_time + (await watched(1)).watch_time
    expect(total).toBeGreaterThanOrEqual(60)
    expect(total).toBeLessThanOrEqual(63)
  })

  test('a report without a lock earns nothing and is noted', async () => {
    const { playlistId, send, watched } = await createTrainee(world, url, [60])
    const answers = await play(world, send, playlistId, { to: 60 })
    expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 200))
    const video = await watched()
    expect(video).toMatchObject({ watch_time: 0, completion_rate: 0, watched: [] })
    expect(video.notes).toMatchObject([{ code: 'elsewhere', seconds: 60 }])
  })

  test('a report earns nothing while another session of the person holds the lock, and playback-session gets no request', async () => {
    const { person, playlistId, lock, track, watched } = await createTrainee(world, url, [60])
    const otherSession = callAs(world, url, person, 'another-session')
    await lock.acquire()
    world.owners.requestedPaths.length = 0
    await play(world, body => track(body, otherSession), playlistId, { to: 60 }, lock.renew)
    expect(world.owners.requestedPaths.filter(path => path.includes('/holds/'))).toEqual([])
    expect(await watched()).toMatchObject({ watch_time: 0, notes: [{ code: 'elsewhere' }] })
  })

  test('skipped seconds are noted and missing', async () => {
    const { playlistId, lock, send, watched } = await createTrainee(world, url, [100])
    await lock.acquire()
    await play(world, send, playlistId, { to: 10, end: 'playing' }, lock.renew)
    await send({ event_type: 'playing', watch_time: 80, client_time: iso(world.clock.now()) })
    world.clock.advance(10_000)
    await send({ event_type: 'pause', watch_time: 90, client_time: iso(world.clock.now()) })
    expect(await watched()).toMatchObject({
      watched: [
        [0, 10],
        [80, 90],
      ],
      missing: [
        [10, 80],
        [90, 100],
      ],
      notes: [{ code: 'skipped', times: 1, seconds: 70 }],
      completed: false,
    })
  })

  test('hidden playback is noted and earns nothing', async () => {
    const { lock, track, watched } = await createTrainee(world, url, [60])
    await lock.acquire()
    await track({ event_type: 'play', watch_time: 0, client_time: iso(world.clock.now()) })
    world.clock.advance(10_000)
    await track({ watch_time: 10, hidden: true, client_time: iso(world.clock.now()) })
    expect(await watched()).toMatchObject({ watch_time: 0, notes: [{ code: 'hidden', seconds: 10 }] })
  })

  test('playlist_completed earns nothing', async () => {
    const { lock, person, track, watched } = await createTrainee(world, url, [60])
    await lock.acquire()
    expect((await track({ event_type: 'playlist_completed', watch_time: 60 })).status).toBe(200)
    world.clock.advance(60_000)
    expect((await track({ event_type: 'playlist_completed', watch_time: 60 })).status).toBe(200)
    expect(await watched()).toMatchObject({ watch_time: 0, completed: false })
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.subject': person.id })).toBe(0)
  })
})

describe('the metrics', () => {
  test('count batches, credited seconds, and reports by outcome', async () => {
    const replicaUrl = (await world.start()).url
    const { lock, track, me } = await createTrainee(world, replicaUrl, [60])
    await lock.acquire()
    const report = { event_type: 'play', watch_time: 0, client_time: iso(world.clock.now()), event_id: randomUUID() }
    await track(report)
    await track(report)
    world.clock.advance(10_000)
    await track({ watch_time: 10, client_time: iso(world.clock.now()) })
    await me.post('/engagement/track', { video_id: 'v0', event_type: 'play', watch_time: 99 })
    const text = await (await fetch(`${replicaUrl}/metrics`)).text()
    expect(text).toMatch(/watchline_group_commit_size_count\{[^}]*name="track"[^}]*\} 3/)
    expect(text).toMatch(/watchline_credited_seconds_total\{[^}]*\} 10\n/)
    expect(text).toMatch(/watchline_reports_total\{[^}]*outcome="taken"[^}]*\} 2/)
    expect(text).toMatch(/watchline_reports_total\{[^}]*outcome="repeated"[^}]*\} 1/)
    expect(text).toMatch(/watchline_reports_total\{[^}]*outcome="refused"[^}]*\} 1/)
  })
})

describe('repeated event ids', () => {
  test('change nothing, in one batch and later', async () => {
    const { person, lock, track, watched } = await createTrainee(world, url, [60])
    await lock.acquire()
    const start = world.clock.now()
    await track({ event_type: 'play', watch_time: 0, client_time: iso(start), event_id: randomUUID() })
    world.clock.advance(10_000)
    const report = { watch_time: 10, client_time: iso(start + 10_000), event_id: randomUUID() }
    const answers = await Promise.all(Array.from({ length: 20 }, () => track(report)))
    expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(200))
    const once = await watched()
    expect(once.watch_time).toBe(10)
    const before = await findWatcher(person.id)
    world.clock.advance(60_000)
    expect((await track(report)).status).toBe(200)
    expect(await findWatcher(person.id)).toEqual(before)
  })
})

describe('bad input', () => {
  test.each<[string, Record<string, unknown>, number[]]>([
    ['a position that is NaN', { watch_time: Number.NaN }, [422]],
    ['a string for a position', { watch_time: 'ten' }, [422]],
    ['a negative position', { watch_time: -1 }, [422]],
    ['no position', { watch_time: undefined }, [422]],
    ['an absurd position', { watch_time: 1e12 }, [422]],
    ['a position past the end', { watch_time: 102.1 }, [422]],
    ['an object for a position', { watch_time: { $gt: 0 } }, [422]],
    ['an unknown video', { video_id: 'nobody' }, [422]],
    ['a video id with an invalid character', { video_id: 'a$b' }, [422]],
    ['a list for a video id', { video_id: ['v0'] }, [422]],
    ['an unknown playlist', { playlist_id: 'nobody' }, [404]],
    ['a query operator for a playlist', { playlist_id: { $ne: null } }, [422]],
    ['an unknown event', { event_type: 'finished' }, [422]],
    ['an invalid event id', { event_id: 'invalid' }, [422]],
    ['a rate of zero', { playback_rate: 0 }, [422]],
    ['an absurd rate', { playback_rate: 1e6 }, [422]],
    ['an invalid time', { client_time: 'now' }, [422]],
  ])('%s is refused and has no effect', async (_, invalidFields, statuses) => {
    const { person, lock, track } = await createTrainee(world, url, [100])
    await lock.acquire()
    await track({ event_type: 'play', watch_time: 0 })
    const before = await findWatcher(person.id)
    world.clock.advance(5_000)
    const answer = await track({ watch_time: 5, ...invalidFields })
    expect(statuses).toContain(answer.status)
    expect(answer.json).toEqual(expect.objectContaining({ detail: expect.any(String), code: expect.any(String) }))
    expect(await findWatcher(person.id)).toEqual(before)
  })

  test('a body that is not JSON is refused', async () => {
    const { me } = await createTrainee(world, url, [100])
    expect((await me.post('/engagement/track', '{"watch_time": NaN}')).status).toBe(400)
  })

  test('another person’s playlist is 404, and a video of no own playlist is 422', async () => {
    const own = await createTrainee(world, url, [100])
    const foreign = await createTrainee(world, url, [100, 100, 100])
    expect((await own.track({ playlist_id: foreign.playlistId, watch_time: 5 })).status).toBe(404)
    expect((await own.track({ playlist_id: undefined, video_id: 'v2', watch_time: 5 })).status).toBe(422)
    expect(await findWatcher(own.person.id)).toBeNull()
  })

  test('a video that cannot play is refused', async () => {
    const person = world.addPerson()
    const playlist = world.playlist([10, 10])
    playlist.videos[1]!.unavailable = true
    world.assign(playlist, person)
    const answer = await callAs(world, url, person).post('/engagement/track', {
      playlist_id: playlist.playlist_id,
      video_id: 'v1',
      event_type: 'play',
      watch_time: 0,
    })
    expect(answer.status).toBe(422)
  })

  test('a caller without a session gets 401', async () => {
    const answer = await fetch(`${url}/api/engagement/track`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
  })
})

describe('rights to track', () => {
  test.each([
    ['supervisor', 'created_by'],
    ['supervisor', 'shared_with'],
    ['manager', 'created_by'],
    ['director', 'role'],
    ['admin', 'role'],
  ] as const)('allow a %s to report about a playlist by %s', async (role, by) => {
    const manager = world.addPerson('manager')
    const person = world.addPerson(role, by === 'shared_with' ? { manager_id: manager.id } : {})
    const playlist = world.playlist([20], {
      ...(by === 'created_by' && { created_by: person.id }),
      ...(by === 'shared_with' && { created_by: manager.id, shared_with: [person.id] }),
    })
    const report = { playlist_id: playlist.playlist_id, video_id: 'v0', event_type: 'play', watch_time: 0 }
    expect((await callAs(world, url, person).post('/engagement/track', report)).status).toBe(200)
    if (by === 'role') return
    // Sharing ends when the supervisor moves to another manager.
    const stranger = world.addPerson(role, { manager_id: world.addPerson('manager').id })
    expect((await callAs(world, url, stranger).post('/engagement/track', report)).status).toBe(404)
  })

  test('a report without a playlist is about the playlist of the lock, if the person may watch it', async () => {
    const { person, lock, me, playlistId } = await createTrainee(world, url, [20])
    const otherPlaylist = world.playlist([20])
    world.clock.advance(1_000)
    world.assign(otherPlaylist, person)
    const body = { video_id: 'v0', event_type: 'play', watch_time: 0 }
    await lock.acquire()
    expect((await me.post('/engagement/track', body)).status).toBe(200)
    expect(Object.keys((await findWatcher(person.id))!.videos)).toEqual([`${playlistId}:v0`])
  })

  test('while playback-session is unavailable, an unknown playlist answers 503 and stores nothing', async () => {
    const { person, me } = await createTrainee(world, url, [20])
    const unknownPlaylist = world.playlist([20])
    world.assign(unknownPlaylist, person)
    await me.get('/engagement/watched/none')
    world.owners.unavailable = true
    try {
      const answer = await me.post('/engagement/track', {
        playlist_id: unknownPlaylist.playlist_id,
        video_id: 'v0',
        event_type: 'play',
        watch_time: 0,
      })
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true])
    } finally {
      world.owners.unavailable = false
    }
    expect(await findWatcher(person.id)).toBeNull()
  })

  test('a report of a person who has not agreed to be monitored is refused, and nothing is stored', async () => {
    const { person, lock, playlistId, send, track } = await createTrainee(world, url, [60])
    world.owners.unmonitored.add(person.id)
    const types = ['play', 'playing', 'ended', 'playlist_completed']
    for (const event_type of types)
      expect(await track({ event_type, watch_time: 0 })).toMatchObject({
        status: 403,
        json: { code: 'notice_unanswered' },
      })
    expect(await findWatcher(person.id)).toBeNull()

    // A late report of a session to which the person agreed counts after they took it back.
    world.owners.unmonitored.delete(person.id)
    await lock.acquire()
    await play(world, send, playlistId, { to: 20, end: 'playing' }, lock.renew)
    await lock.release()
    world.owners.unmonitored.add(person.id)
    const answer = await send({ event_type: 'playing', watch_time: 20, client_time: iso(world.clock.now()) })
    expect(answer.status).toBe(200)
  })

  test('while playback-session is unavailable, unresolved lock intervals answer 503 and store nothing', async () => {
    const { person, track, watched } = await createTrainee(world, url, [20])
    await watched()
    world.owners.unavailable = true
    try {
      expect((await track({ event_type: 'play', watch_time: 0 })).status).toBe(503)
    } finally {
      world.owners.unavailable = false
    }
    expect(await findWatcher(person.id)).toBeNull()
    expect((await track({ event_type: 'play', watch_time: 0 })).status).toBe(200)
  })
})
