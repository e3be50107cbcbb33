import { expect, test } from '@jest/globals'
import { erasedName } from '@watchline/contracts/people'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { setUpComments } from './_comments.ts'
import { callAs, collectionOf, createEngagementWorld, createLock, createPeople } from './_util.ts'

const comments = setUpComments()
const stored = (name: string) => collectionOf(comments.world, name)

test('looks at a person’s details are listed once a day for each viewer, and only the person and administrators see them', async () => {
  const { trainee1 } = comments.people
  const path = `/engagement/members/${trainee1.id}`
  const looks = async () => (await comments.caller('trainee1').get('/engagement/record/views')).json
  expect(await looks()).toEqual([])
  for (let look = 0; look < 3; look += 1) expect((await comments.caller('supervisor').get(path)).status).toBe(200)
  expect((await comments.caller('supervisor').get('/engagement/export')).status).toBe(200)
  expect((await looks()).map(({ viewer_name, what }: Record<string, string>) => [viewer_name, what])).toEqual([
    [comments.people.supervisor.name, 'team_export'],
    [comments.people.supervisor.name, 'record'],
  ])
  comments.world.clock.advance(24 * 3600_000)
  await comments.caller('supervisor').get(path)
  expect(await looks()).toHaveLength(3)
  // Nobody looks at oneself.
  await comments.caller('trainee1').get('/engagement/record')
  expect(await looks()).toHaveLength(3)
  const views = `/engagement/record/views?user_id=${trainee1.id}`
  expect((await comments.caller('supervisor').get(views)).status).toBe(403)
  expect((await comments.caller('admin').get(views)).json).toHaveLength(3)
  await comments.world.publish('user.exported', {
    person_id: trainee1.id,
    by: comments.people.admin.id,
    service: 'chat',
    exported_at: new Date(comments.world.clock.now()).toISOString(),
  })
  expect((await looks())[0]).toMatchObject({ viewer_id: comments.people.admin.id, what: 'all_data' })
})

test('a list with reasons of exceptions is a look at these people’s details, on the day of the look', async () => {
  const { trainee2, director } = comments.people
  const viewedAt = comments.world.clock.now()
  const publishView = () =>
    comments.world.publish('user.details_viewed', {
      person_ids: [trainee2.id, director.id],
      by: director.id,
      viewed_at: new Date(viewedAt).toISOString(),
    })
  const viewsOf = async (name: 'trainee2' | 'director') =>
    (await comments.caller(name).get('/engagement/record/views')).json.filter(
      (view: Record<string, string>) => view.viewer_id === director.id,
    )
  await publishView()
  // Another replica publishes the same look, and it arrives a day late.
  comments.world.clock.advance(24 * 3600_000)
  await publishView()
  expect(await viewsOf('trainee2')).toEqual([
    expect.objectContaining({ what: 'record', at: new Date(viewedAt).toISOString() }),
  ])
  expect(await viewsOf('director')).toEqual([])
})

test('an export by an administrator is listed once, on its day, however late its events arrive', async () => {
  const { trainee3, admin } = comments.people
  const exportedAt = new Date(comments.world.clock.now()).toISOString()
  const publishExport = (service: 'auth' | 'chat') =>
    comments.world.publish('user.exported', {
      ...{ person_id: trainee3.id, by: admin.id, service, exported_at: exportedAt },
    })
  comments.world.clock.advance(24 * 3600_000)
  await publishExport('auth')
  comments.world.clock.advance(24 * 3600_000)
  await publishExport('chat')
  expect((await comments.caller('trainee3').get('/engagement/record/views')).json).toEqual([
    expect.objectContaining({ viewer_id: admin.id, what: 'all_data', at: exportedAt }),
  ])
})

test('an export has the comments and reports of the person, and ends with its last line', async () => {
  await comments.addComment('trainee2', { comment: 'A text of trainee 2' })
  const { text } = await comments.caller('trainee2').get('/engagement/record/data')
  const lines = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.at(-1)).toEqual({ kind: 'end', data: null })
  expect(lines).toContainEqual({ kind: 'comments', data: expect.objectContaining({ text: 'A text of trainee 2' }) })
  expect(lines.some(({ kind }) => kind === 'watch_record')).toBe(true)
})

test('the data of a superior contain their reviews, what they hid, and whose details they looked at', async () => {
  const { supervisor, trainee1 } = comments.people
  const comment = await comments.addComment('trainee1', { comment: 'A text of trainee 1' })
  await comments.publishReview(comment, { approved: true, words: 'Well seen' })
  await comments.caller('supervisor').get(`/engagement/members/${trainee1.id}`)
  const readActs = async (name: 'supervisor' | 'trainee1') => {
    const { text } = await comments.caller(name).get('/engagement/record/data')
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return lines.filter(({ kind }: { kind: string }) => kind.startsWith('own_'))
  }
  await eventually(async () => expect(await comments.findComment('trainee1', comment.id)).toHaveProperty('review'))
  const at = expect.any(String)
  const acts = await readActs('supervisor')
  const place = { _id: comment.id, playlist_id: expect.any(String), video_id: 'v0' }
  expect(acts).toContainEqual({
    kind: 'own_reviews',
    data: { ...place, review: { at, approved: true, text: 'Well seen' } },
  })
  expect(acts).toContainEqual({ kind: 'own_detail_views', data: { person_id: trainee1.id, what: 'record', at } })
  expect(JSON.stringify(acts)).not.toContain('A text of trainee 1')
  expect(JSON.stringify(acts)).not.toContain(supervisor.name)
  expect(await readActs('trainee1')).toEqual([])
})

test('the latest watching of people is a look at their details, listed once a day', async () => {
  const world = await createEngagementWorld()
  try {
    const { url } = await world.start()
    const { supervisor, trainee1, trainee2 } = createPeople(world)
    const playlist = world.playlist([60])
    world.assign(playlist, trainee1)
    const lock = createLock(world, trainee1.id, playlist.playlist_id)
    await lock.acquire()
    const report = { playlist_id: playlist.playlist_id, video_id: 'v0', event_type: 'play', watch_time: 0 }
    expect((await callAs(world, url, trainee1).post('/engagement/track', report)).status).toBe(200)

    const dashboard = () => callAs(world, url, supervisor).get('/engagement/dashboard')
    expect((await dashboard()).json).toMatchObject([{ user_id: trainee1.id }])
    await dashboard()
    const viewsOf = async (person: { id: string }) =>
      (await callAs(world, url, person).get('/engagement/record/views')).json
    expect(await viewsOf(trainee1)).toMatchObject([{ viewer_id: supervisor.id, what: 'record' }])
    expect(await viewsOf(trainee2)).toEqual([])
  } finally {
    await world.close()
  }
})

test('what a superior did is found by indexes that also order it', async () => {
  const finds = [
    stored('comments').find({ 'review.person_id': 'a' }).sort({ 'review.at': -1 }),
    stored('comments').find({ 'hidden.person_id': 'a' }).sort({ 'hidden.at': -1 }),
    stored('detail_views').find({ viewer_id: 'a' }).sort({ at: -1 }),
  ]
  for (const find of finds) {
    const { winningPlan } = (await find.explain('queryPlanner')).queryPlanner
    expect(JSON.stringify(winningPlan)).not.toMatch(/"stage":"(COLLSCAN|SORT)"/)
  }
})

test('an erased author’s comments lose text and name, replies stay, and a late review adds nothing', async () => {
  const comment = await comments.addComment('trainee1')
  const reply = await comments.addComment('trainee2', { reply_to: comment.id })
  const reviewed = await comments.addComment('trainee2')
  await comments.publishReview(reviewed, { approved: true })
  await comments.world.publish('user.erased', makeErasure(comments.people.trainee1))
  await comments.world.publish('user.erased', makeErasure(comments.people.supervisor))
  const completed = { 'event.type': 'user.erasure_completed' }
  await eventually(async () => expect(await stored('outbox').countDocuments(completed)).toBe(2))
  await comments.publishReview(comment, { approved: true, words: 'Late words' })

  expect(await stored('comments').findOne({ _id: comment.id })).toMatchObject({ text: '', author_name: erasedName })
  const shown = await comments.findComment('admin', comment.id)
  expect(shown).toMatchObject({ deleted: true, user_name: erasedName, replies: [{ id: reply.id }] })
  expect(await stored('comments').findOne({ _id: reviewed.id })).toMatchObject({
    review: { name: erasedName, text: '', approved: true },
  })
  const all = JSON.stringify(await stored('comments').find().toArray())
  for (const { name } of [comments.people.trainee1, comments.people.supervisor]) expect(all).not.toContain(name)
  expect(all).not.toContain('Late words')
  const published = await stored('outbox').find({ 'event.type': 'comment.added' }).toArray()
  const texts = published.filter(({ event }) => event.data.person_id === comments.people.trainee1.id)
  expect(texts.map(({ event }) => event.data.text)).toEqual(texts.map(() => ''))
})
