import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { aCast, as, createEngagementWorld, type EngagementWorld, parts, rows } from './_util.ts'

let world: EngagementWorld
let url: string
const names = [...parts, 'loner'] as const
type Name = (typeof names)[number]
let who: Record<Name, PersonSnapshot>
let playlistId: string

beforeAll(async () => {
  world = await createEngagementWorld()
  who = { ...aCast(world), loner: world.person('user') }
  who.otherSupervisor = world.change(who.otherSupervisor, { manager_id: who.otherManager.id })
  const playlist = world.playlist([100, 50])
  playlistId = playlist.playlist_id
  world.assign(playlist, who.trainee1, who.trainee2, who.trainee3, who.loner)
  url = (await world.start()).url
})
afterAll(() => world.close())

const at = (name: Name) => as(world, url, who[name])
const path = (video = 'v0') => `/comments/${playlistId}/${video}`
const say = (name: Name, fields: Record<string, unknown> = {}) =>
  at(name).post('/comments', { playlist_id: playlistId, video_id: 'v0', timestamp: 5, comment: 'Why?', ...fields })

describe('visibility', () => {
  test('covers the caller’s team and the superiors above it', async () => {
    for (const name of names) {
      const answer = await say(name, { comment: name, timestamp: names.indexOf(name) })
      expect([name, answer.status]).toEqual([name, 200])
    }
    const seenBy = async (name: Name) => {
      const answer = await at(name).get(path())
      return answer.json.map((each: { comment: string }) => each.comment)
    }
    const top = ['admin', 'director']
    expect(await seenBy('trainee1')).toEqual([...top, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await seenBy('trainee2')).toEqual([...top, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await seenBy('trainee3')).toEqual([...top, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await seenBy('loner')).toEqual([...top, 'loner'])
    expect(await seenBy('supervisor')).toEqual([...top, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await seenBy('otherSupervisor')).toEqual([...top, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await seenBy('manager')).toEqual([...top, 'manager', 'supervisor', 'trainee1', 'trainee2'])
    expect(await seenBy('otherManager')).toEqual([...top, 'otherManager', 'otherSupervisor', 'trainee3'])
    expect(await seenBy('director')).toEqual([...names])
    expect(await seenBy('admin')).toEqual([...names])
  })

  test('ends where the caller may not watch the playlist', async () => {
    const stranger = as(world, url, world.person('user', { supervisor_id: who.supervisor.id }))
    const outside = as(world, url, world.person('supervisor'))
    for (const each of [stranger, outside]) {
      expect((await each.get(path())).status).toBe(404)
      const answer = await each.post('/comments', {
        playlist_id: playlistId,
        video_id: 'v0',
        timestamp: 1,
        comment: 'Hello',
      })
      expect(answer.status).toBe(404)
    }
    expect((await at('trainee1').get(path('unknown'))).status).toBe(404)
    expect((await at('trainee1').get('/comments/unknown/v0')).status).toBe(404)
  })
})

describe('a comment', () => {
  test('is stored unchanged, with its event and its author’s name and role', async () => {
    const text = '<img src=x onerror=alert(1)> & "quotes"\n{{x}}'
    const { status, json } = await say('trainee1', { comment: `  ${text} \n`, timestamp: 7, video_id: 'v1' })
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      comment: {
        id: expect.any(String),
        comment: text,
        timestamp: 7,
        user_name: who.trainee1.name,
        user_role: 'user',
        created_at: expect.any(String),
      },
    })
    expect((await at('trainee2').get(path('v1'))).json).toEqual([json.comment])
    await eventually(() =>
      expect(world.of('comment.added')).toContainEqual({
        comment_id: json.comment.id,
        person_id: who.trainee1.id,
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
    const answers = await Promise.all(Array.from({ length: 5 }, () => say('trainee2', { client_id, comment: 'Once' })))
    expect(answers.map(answer => answer.status)).toEqual(Array(5).fill(200))
    expect(new Set(answers.map(answer => answer.json.comment.id)).size).toBe(1)
    expect(await rows(world, 'comments').countDocuments({ text: 'Once' })).toBe(1)
    expect(await rows(world, 'outbox').countDocuments({ 'event.data.text': 'Once' })).toBe(1)
    const other = await say('trainee1', { client_id, comment: 'Another’s' })
    expect(other.json.comment.comment).toBe('Another’s')
  })

  test.each<[string, Record<string, unknown>, number]>([
    ['nothing but spaces', { comment: '  \n ' }, 422],
    ['too long', { comment: 'x'.repeat(2_001) }, 422],
    ['a number', { comment: 5 }, 422],
    ['hidden signs', { comment: 'a\u0000b' }, 422],
    ['before the beginning', { timestamp: -1 }, 422],
    ['past the end', { timestamp: 102.5 }, 422],
    ['nowhere', { timestamp: Number.NaN }, 422],
    ['an unknown video', { video_id: 'nobody' }, 422],
    ['an unknown playlist', { playlist_id: 'nobody' }, 404],
    ['an operator', { playlist_id: { $gt: '' } }, 422],
  ])('is refused: %s', async (_, fields, status) => {
    const before = await rows(world, 'comments').countDocuments()
    expect((await say('trainee1', fields)).status).toBe(status)
    expect(await rows(world, 'comments').countDocuments()).toBe(before)
  })

  test('of 2,000 characters at two seconds past the end is accepted', async () => {
    expect((await say('trainee3', { comment: 'x'.repeat(2_000), timestamp: 102 })).status).toBe(200)
  })
})

describe('a list of comments', () => {
  test('is ordered by timestamp, then by time of writing, page by page', async () => {
    const playlist = world.playlist([100])
    world.assign(playlist, who.trainee1)
    const said = []
    for (const [timestamp, comment] of [
      [9, 'd'],
      [3, 'a'],
      [3, 'b'],
      [3.5, 'c'],
    ] as const) {
      world.clock.advance(1_000)
      said.push(await say('trainee1', { playlist_id: playlist.playlist_id, timestamp, comment }))
    }
    expect(said.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: string = `?limit=1${cursor ? `&cursor=${cursor}` : ''}`
      const page = await at('trainee1').get(`/comments/${playlist.playlist_id}/v0${query}`)
      seen.push(...page.json.map((each: { comment: string }) => each.comment))
      expect(page.headers.get('x-total-count')).toBe('4')
      cursor = page.headers.get('x-next-cursor')
    } while (cursor)
    expect(seen).toEqual(['a', 'b', 'c', 'd'])
    expect((await at('trainee1').get(`/comments/${playlist.playlist_id}/v0?cursor=x`)).status).toBe(422)
  })
})
