import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listWatchRecords } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { eventually } from '@watchline/testing/harness'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  type EngagementWorld,
  peopleNames,
} from './_util.ts'

let world: EngagementWorld
let url: string
const names = [...peopleNames, 'loner'] as const
type Name = (typeof names)[number]
let people: Record<Name, PersonSnapshot>
let playlistId: string

beforeAll(async () => {
  world = await createEngagementWorld()
  people = { ...createPeople(world), loner: world.addPerson('user') }
  people.otherSupervisor = world.changePerson(people.otherSupervisor, { manager_id: people.otherManager.id })
  const playlist = world.playlist([100, 50])
  playlistId = playlist.playlist_id
  world.assign(playlist, people.trainee1, people.trainee2, people.trainee3, people.loner)
  url = (await world.start()).url
})
afterAll(() => world.close())

const caller = (name: Name) => callAs(world, url, people[name])
const path = (video = 'v0') => `/comments/${playlistId}/${video}`
const postComment = (name: Name, fields: Record<string, unknown> = {}) =>
  caller(name).post('/comments', { playlist_id: playlistId, video_id: 'v0', timestamp: 5, comment: 'Why?', ...fields })

describe('visibility', () => {
  test('covers the caller’s team and the superiors above it', async () => {
    for (const name of names) {
      const answer = await postComment(name, { comment: name, timestamp: names.indexOf(name) })
      expect([name, answer.status]).toEqual([name, 200])
    }
    const listVisibleTo = async (name: Name) => {
      const answer = await caller(name).get(path())
      return answer.json.map((comment: { comment: string }) => comment.comment)
    }
    const leaders = ['admin', 'director']
    expect(await listVisibleTo('trainee1')).toEqual([...leaders, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await listVisibleTo('trainee2')).toEqual([...leaders, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await listVisibleTo('trainee3')).toEqual([...leaders, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await listVisibleTo('loner')).toEqual([...leaders, 'loner'])
    expect(await listVisibleTo('supervisor')).toEqual([...leaders, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await listVisibleTo('otherSupervisor')).toEqual([...leaders, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await listVisibleTo('manager')).toEqual([...leaders, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await listVisibleTo('otherManager')).toEqual([...leaders, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await listVisibleTo('director')).toEqual([...names])
    expect(await listVisibleTo('admin')).toEqual([...names])
  })

  test('ends where the caller may not watch the playlist', async () => {
    const stranger = callAs(world, url, world.addPerson('user', { supervisor_id: people.supervisor.id }))
    const outside = callAs(world, url, world.addPerson('supervisor'))
    for (const outsider of [stranger, outside]) {
      expect((await outsider.get(path())).status).toBe(404)
      const answer = await outsider.post('/comments', {
        playlist_id: playlistId,
        video_id: 'v0',
        timestamp: 1,
        comment: 'Hello',
      })
      expect(answer.status).toBe(404)
    }
    expect((await caller('trainee1').get(path('unknown'))).status).toBe(404)
    expect((await caller('trainee1').get('/comments/unknown/v0')).status).toBe(404)
  })
})

describe('a comment', () => {
  test('is stored unchanged, with its event and its author’s name and role', async () => {
    const text = '<img src=x onerror=alert(1)> & "quotes"\n{{x}}'
    const { status, json } = await postComment('trainee1', { comment: `  ${text} \n`, timestamp: 7, video_id: 'v1' })
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      comment: {
        id: expect.any(String),
        comment: text,
        timestamp: 7,
        user_name: people.trainee1.name,
        user_role: 'user',
        created_at: expect.any(String),
        revision: 1,
        may_edit: true,
        may_delete: true,
        may_reply: true,
      },
    })
    const { may_edit, may_delete, ...readable } = json.comment
    expect((await caller('trainee2').get(path('v1'))).json).toEqual([readable])
    expect((await caller('supervisor').get(path('v1'))).json).toEqual([{ ...readable, may_hide: true }])
    await eventually(() =>
      expect(world.of('comment.added')).toContainEqual({
        comment_id: json.comment.id,
        person_id: people.trainee1.id,
        playlist_title: 'Safety',
        video_title: 'Video 1',
        playlist_id: playlistId,
        video_id: 'v1',
        timestamp: 7,
        text,
      }),
    )
  })

  test('repeated under the same client id is stored once, also concurrently', async () => {
    const client_id = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => postComment('trainee2', { client_id, comment: 'Once' })),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(5).fill(200))
    expect(new Set(answers.map(answer => answer.json.comment.id)).size).toBe(1)
    expect(await collectionOf(world, 'comments').countDocuments({ text: 'Once' })).toBe(1)
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.data.text': 'Once' })).toBe(1)
    const otherAnswer = await postComment('trainee1', { client_id, comment: 'Another’s' })
    expect(otherAnswer.json.comment.comment).toBe('Another’s')
  })

  test.each<[string, Record<string, unknown>, number]>([
    ['only spaces', { comment: '  \n ' }, 422],
    ['too long', { comment: 'x'.repeat(2_001) }, 422],
    ['a number', { comment: 5 }, 422],
    ['a control character', { comment: 'a\u0000b' }, 422],
    ['before the beginning', { timestamp: -1 }, 422],
    ['past the end', { timestamp: 102.5 }, 422],
    ['an invalid timestamp', { timestamp: Number.NaN }, 422],
    ['an unknown video', { video_id: 'nobody' }, 422],
    ['an unknown playlist', { playlist_id: 'nobody' }, 404],
    ['a query operator', { playlist_id: { $gt: '' } }, 422],
  ])('is refused: %s', async (_, fields, status) => {
    const before = await collectionOf(world, 'comments').countDocuments()
    expect((await postComment('trainee1', fields)).status).toBe(status)
    expect(await collectionOf(world, 'comments').countDocuments()).toBe(before)
  })

  test('of 2,000 characters at two seconds past the end is accepted', async () => {
    expect((await postComment('trainee3', { comment: 'x'.repeat(2_000), timestamp: 102 })).status).toBe(200)
  })
})

describe('a list of comments', () => {
  test('is ordered by timestamp, then by time of writing, page by page', async () => {
    const playlist = world.playlist([100])
    world.assign(playlist, people.trainee1)
    const answers = []
    for (const [timestamp, comment] of [
      [9, 'd'],
      [3, 'a'],
      [3, 'b'],
      [3.5, 'c'],
    ] as const) {
      world.clock.advance(1_000)
      answers.push(await postComment('trainee1', { playlist_id: playlist.playlist_id, timestamp, comment }))
    }
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    const texts: string[] = []
    let cursor: string | null = null
    do {
      const query: string = `?limit=1${cursor ? `&cursor=${cursor}` : ''}`
      const page = await caller('trainee1').get(`/comments/${playlist.playlist_id}/v0${query}`)
      texts.push(...page.json.map((comment: { comment: string }) => comment.comment))
      expect(page.headers.get('x-total-count')).toBe('4')
      cursor = page.headers.get('x-next-cursor')
    } while (cursor)
    expect(texts).toEqual(['a', 'b', 'c', 'd'])
    expect((await caller('trainee1').get(`/comments/${playlist.playlist_id}/v0?cursor=x`)).status).toBe(422)
  })
})

test('a comment is a record of its author, and of nobody else', async () => {
  const client = createInternalClient({ url, credentials: world.credentialsOf('auth') })
  const recordsOf = async (personId: string) => (await client.call(listWatchRecords, { params: { personId } })).records
  await postComment('trainee1', { timestamp: 9 })
  expect(await recordsOf(people.trainee1.id)).toContain('comments')
  expect(await recordsOf('nobody')).toEqual([])
})

test('one person writes and edits a bounded number of comments in ten minutes, in all sessions', async () => {
  const author = world.addPerson('admin')
  const write = (clientId: string = randomUUID()) =>
    callAs(world, url, author, `sid-${randomUUID()}`).post('/comments', {
      ...{ playlist_id: playlistId, video_id: 'v0', timestamp: 5, comment: 'Again', client_id: clientId },
    })
  const key = `comments:${author.id}`
  for (let used = 1; used < limits.commentRateLimit; used += 1)
    await world.ports.live.counters.countHit(key, limits.commentRateWindowMs, world.ports.clock.now())
  const clientId = randomUUID()
  const { comment } = (await write(clientId)).json
  // A repeated call is not another comment.
  for (let repetition = 0; repetition < 2; repetition += 1)
    expect(await write(clientId)).toMatchObject({ status: 200, json: { comment: { id: comment.id } } })
  const refused = await write()
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
  expect(refused.json.detail).toMatch(/very many comments/)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const edit = callAs(world, url, author).put(`/comments/${comment.id}`, { comment: 'Changed', revision: 1 })
  expect((await edit).status).toBe(429)
  await world.ports.live.counters.clear(key)
  expect((await write()).status).toBe(200)
})

test('one person makes a bounded number of files in ten minutes', async () => {
  const reader = world.addPerson('director')
  for (const key of [`exports:${reader.id}`, `data-exports:engagement:${reader.id}`])
    for (let used = 0; used < limits.exportRateLimit; used += 1)
      await world.ports.live.counters.countHit(key, limits.exportRateWindowMs, world.ports.clock.now())
  for (const file of ['/engagement/export', '/engagement/record/export', '/engagement/record/data'])
    expect((await callAs(world, url, reader).get(file)).status).toBe(429)
})
