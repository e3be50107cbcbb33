import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Comment } from '@watchline/contracts/engagement'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  type EngagementWorld,
  type peopleNames,
} from './_util.ts'

let world: EngagementWorld
let url: string
type Name = (typeof peopleNames)[number]
let people: Record<Name, PersonSnapshot>
let playlistId: string

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world)
  const playlist = world.playlist([100])
  playlistId = playlist.playlist_id
  world.assign(playlist, people.trainee1, people.trainee2)
  url = (await world.start()).url
})
afterAll(() => world.close())

const caller = (name: Name) => callAs(world, url, people[name])

async function addComment(name: Name = 'trainee1'): Promise<Comment> {
  const body = { playlist_id: playlistId, video_id: 'v0', timestamp: 5, comment: `Comment ${newId()}` }
  return (await caller(name).post('/comments', body)).json.comment
}

async function findComment(name: Name, id: string): Promise<Comment | undefined> {
  const { json } = await caller(name).get(`/comments/${playlistId}/v0?limit=500`)
  return json.find((comment: Comment) => comment.id === id)
}

const review = (comment: Comment, approved: boolean, words: string, options: { id?: string } = {}) =>
  world.publish(
    'notification.reviewed',
    {
      notification_id: newId(),
      by: people.supervisor.id,
      approved,
      words,
      comment_id: comment.id,
      person_id: people.trainee1.id,
    },
    options,
  )

describe('a review', () => {
  test('that approves stands under the comment for everybody, with name, role and words', async () => {
    const comment = await addComment()
    await review(comment, true, 'Well seen')
    for (const name of ['trainee1', 'trainee2', 'supervisor', 'manager', 'admin'] as const)
      expect(await findComment(name, comment.id)).toMatchObject({
        comment: comment.comment,
        review: {
          approved: true,
          comment: 'Well seen',
          user_name: people.supervisor.name,
          user_role: 'supervisor',
          reviewed_at: expect.any(String),
        },
      })
  })

  test('that rejects leaves the comment to its author, with the words; nobody else counts it', async () => {
    const comment = await addComment()
    const count = async (name: Name) =>
      Number((await caller(name).get(`/comments/${playlistId}/v0`)).headers.get('x-total-count'))
    const before = { author: await count('trainee1'), other: await count('trainee2') }
    await review(comment, false, 'Not here')
    expect(await findComment('trainee1', comment.id)).toMatchObject({
      review: { approved: false, comment: 'Not here' },
    })
    for (const name of ['trainee2', 'supervisor', 'manager', 'director', 'admin'] as const)
      expect(await findComment(name, comment.id)).toBeUndefined()
    expect({ author: await count('trainee1'), other: await count('trainee2') }).toEqual({
      author: before.author,
      other: before.other - 1,
    })
  })

  test('reaches the next poll of everybody', async () => {
    const comment = await addComment()
    const path = `/comments/${playlistId}/v0`
    const before = (await caller('trainee2').get(path)).headers.get('etag')
    await review(comment, true, '')
    const { headers } = await caller('trainee2').get(path)
    expect(headers.get('etag')).not.toBe(before)
  })

  test('applies once: a repeat and a later one change nothing', async () => {
    const comment = await addComment()
    const id = newId()
    await review(comment, true, 'First', { id })
    await review(comment, true, 'First', { id })
    await review(comment, false, 'Second')
    expect(await findComment('trainee2', comment.id)).toMatchObject({ review: { approved: true, comment: 'First' } })
  })

  test('of an unknown comment, or of none, changes nothing', async () => {
    const before = await collectionOf(world, 'comments').countDocuments()
    await review({ id: newId() } as Comment, false, 'Whose?')
    await world.publish('notification.reviewed', {
      notification_id: newId(),
      by: people.supervisor.id,
      approved: true,
      words: '',
    })
    expect(await collectionOf(world, 'comments').countDocuments()).toBe(before)
    expect(await world.ports.bus.deadLetters('engagement')).toEqual([])
  })
})
