import { afterEach, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { callAs, collectionOf, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
afterEach(() => world.close())

async function open(config: { monitoringNotice: 'off' | 'inform' | 'consent'; monitoringNoticeText?: string }) {
  const { url } = await world.start({ config })
  const begin = async (person: PersonSnapshot, playlistId: string) =>
    (await callAs(world, url, person).post('/session/monitoring', { is_monitoring: true, playlist_id: playlistId }))
      .json.code ?? 'started'
  return { url, begin }
}

test.each(['inform', 'consent'] as const)(
  'with %s no session starts before the person has accepted the text',
  async mode => {
    world = await createPlaybackWorld()
    const { url, begin } = await open({ monitoringNotice: mode, monitoringNoticeText: 'First text' })
    const person = world.addPerson('director')
    const caller = callAs(world, url, person)
    const playlist = await createPlaylist(caller)
    expect(await begin(person, playlist.id)).toBe('notice_unanswered')
    const { json: notice } = await caller.get('/session/notice')
    expect(notice).toMatchObject({ mode, text: 'First text', answer: null })

    expect((await caller.post('/session/notice', { version: 'another', accepted: true })).status).toBe(409)
    await caller.post('/session/notice', { version: notice.version, accepted: false })
    expect(await begin(person, playlist.id)).toBe('notice_unanswered')
    const answer = await caller.post('/session/notice', { version: notice.version, accepted: true })
    expect(answer.json.answer).toEqual({ accepted: true, answered_at: expect.any(String) })
    expect(await begin(person, playlist.id)).toBe('started')
    // Others have not answered, and data exports have the answer.
    expect(await begin(world.addPerson('director'), playlist.id)).toBe('notice_unanswered')
    expect((await caller.get('/session/record/data')).text).toContain('"kind":"notice_answers"')

    // A changed text is another version.
    const changed = await open({ monitoringNotice: mode, monitoringNoticeText: 'Second text' })
    expect(await changed.begin(person, playlist.id)).toBe('notice_unanswered')
  },
)

test('a withdrawn agreement ends the session that runs in another login session, once', async () => {
  world = await createPlaybackWorld()
  const { url, begin } = await open({ monitoringNotice: 'consent' })
  const [person, other] = [world.addPerson('director'), world.addPerson('director')]
  const [player, privacyPage] = [callAs(world, url, person), callAs(world, url, person, 'sid-of-another-tab')]
  const playlist = await createPlaylist(player)
  const { version } = (await player.get('/session/notice')).json
  const answer = (caller: typeof player, accepted: boolean) => caller.post('/session/notice', { version, accepted })
  for (const caller of [player, callAs(world, url, other)]) await answer(caller, true)
  for (const someone of [person, other]) expect(await begin(someone, playlist.id)).toBe('started')

  const answers = await Promise.all([answer(privacyPage, false), answer(privacyPage, false)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await eventually(() => expect(world.of('monitoring.stopped')).toHaveLength(1))
  expect(world.of('monitoring.stopped')[0]).toMatchObject({ person_id: person.id, reason: 'released' })
  expect(await world.ports.live.locks.get(person.id, Date.now())).toBeUndefined()
  const position = { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress: 5 }
  expect((await player.post('/session/heartbeat')).json.code).toBe('monitoring_elsewhere')
  expect((await player.post('/session/save-progress', position)).json.code).toBe('monitoring_elsewhere')
  expect(await begin(person, playlist.id)).toBe('notice_unanswered')
  // The other person's session goes on.
  expect((await callAs(world, url, other).post('/session/heartbeat')).status).toBe(200)

  await answer(privacyPage, true)
  expect(await begin(person, playlist.id)).toBe('started')
})

test('a start and a withdrawal at the same time leave no monitored session', async () => {
  world = await createPlaybackWorld()
  const { url, begin } = await open({ monitoringNotice: 'consent' })
  const person = world.addPerson('director')
  const caller = callAs(world, url, person)
  const playlist = await createPlaylist(caller)
  const { version } = (await caller.get('/session/notice')).json
  for (let round = 0; round < 10; round += 1) {
    await caller.post('/session/notice', { version, accepted: true })
    await Promise.all([begin(person, playlist.id), caller.post('/session/notice', { version, accepted: false })])
    expect(await collectionOf(world, 'monitoring_sessions').countDocuments({ person_id: person.id, open: true })).toBe(
      0,
    )
  }
})

test('without a notice sessions start at once, and an erased person leaves only assignments', async () => {
  world = await createPlaybackWorld()
  const { url, begin } = await open({ monitoringNotice: 'off' })
  const person = world.addPerson('director')
  const caller = callAs(world, url, person)
  const playlist = await createPlaylist(caller)
  expect(await begin(person, playlist.id)).toBe('started')
  const position = { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress: 5 }
  expect((await caller.post('/session/save-progress', position)).status).toBe(200)
  await caller.post('/session/monitoring', { is_monitoring: false })
  await world.publish('user.erased', makeErasure(person))
  await eventually(async () => {
    for (const name of ['progress', 'monitoring_sessions', 'notice_answers'])
      expect(await collectionOf(world, name).countDocuments({ person_id: person.id })).toBe(0)
  })
})

test('a person who is erased while watching leaves no monitored session, and their last call stores nothing', async () => {
  const clock = createManualClock(Date.now())
  world = await createPlaybackWorld({ clock })
  const { url, begin } = await open({ monitoringNotice: 'off' })
  const person = world.addPerson('director')
  const sid = `sid-${person.id}`
  const caller = callAs(world, url, person, sid)
  const playlist = await createPlaylist(caller)
  expect(await begin(person, playlist.id)).toBe('started')
  const save = (progress: number) =>
    caller.post('/session/save-progress', { playlist_id: playlist.id, video_id: 'v0', video_index: 0, progress })
  const erasure = makeErasure(person)
  await Promise.all([save(5), world.publish('user.erased', erasure), save(6)])
  await world.publish('session.revoked', { sid, person_id: person.id, reason: 'replaced' })
  await eventually(async () => expect((await save(7)).status).toBe(401))
  // The second pass removes the call that was under way during the first.
  await eventually(async () =>
    expect(
      await collectionOf(world, 'erasures').countDocuments({ passes: 1, due_at: { $gt: new Date(clock.now()) } }),
    ).toBe(1),
  )
  clock.advance(16 * 60_000)
  await eventually(async () => {
    for (const name of ['progress', 'monitoring_sessions', 'erasures'])
      expect([name, await collectionOf(world, name).countDocuments({ person_id: person.id })]).toEqual([name, 0])
  })
  expect(await world.ports.live.locks.get(person.id, clock.now())).toBeUndefined()
})
