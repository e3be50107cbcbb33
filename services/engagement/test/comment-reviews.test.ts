import { describe, expect, test } from '@jest/globals'
import type { Comment } from '@watchline/contracts/engagement'
import { newId } from '@watchline/kit/mongo/database'
import { type Name, setUpComments } from './_comments.ts'
import { collectionOf } from './_util.ts'

const comments = setUpComments()
const { caller, addComment, findComment, publishReview } = comments
const review = (comment: Comment, approved: boolean, words: string, options: { id?: string } = {}) =>
  publishReview(comment, { approved, words, person_id: comments.people.trainee1.id }, options)

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
          user_name: comments.people.supervisor.name,
          user_role: 'supervisor',
          reviewed_at: expect.any(String),
        },
      })
  })

  test('that rejects leaves the comment to its author, with the words; nobody else counts it', async () => {
    const comment = await addComment()
    const count = async (name: Name) =>
      Number((await caller(name).get(`/comments/${comments.playlistId}/v0`)).headers.get('x-total-count'))
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
    const path = `/comments/${comments.playlistId}/v0`
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

  test('of an earlier version keeps the time at which it was made', async () => {
    const comment = await addComment()
    const reviewedAt = '2026-10-01T08:00:00.000Z'
    await publishReview(comment, { approved: false, reviewed_at: reviewedAt })
    expect((await findComment('trainee1', comment.id))!.review).toMatchObject({ reviewed_at: reviewedAt })
    expect(await findComment('trainee2', comment.id)).toBeUndefined()
  })

  test('of an unknown comment, or of none, changes nothing', async () => {
    const before = await collectionOf(comments.world, 'comments').countDocuments()
    await review({ id: newId() } as Comment, false, 'Whose?')
    await comments.world.publish('notification.reviewed', {
      notification_id: newId(),
      by: comments.people.supervisor.id,
      approved: true,
      words: '',
    })
    expect(await collectionOf(comments.world, 'comments').countDocuments()).toBe(before)
    expect(await comments.world.ports.bus.deadLetters('engagement')).toEqual([])
  })
})
