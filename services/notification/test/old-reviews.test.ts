import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { createNotificationService } from '../src/service.ts'
import { fetchPending, review, startTeam } from './_team.ts'
import { makeComment, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

async function answerComment(action: 'approve' | 'reject') {
  const comment = makeComment(trainee)
  await world.publish('comment.added', comment)
  const { id } = await fetchPending({ world }, supervisor)
  await review({ world }, supervisor, id, { action, supervisor_comment: 'Seen' })
  return comment
}

const reviewsOf = async ({ comment_id }: { comment_id: string }) =>
  (await world.publishedEvents()).filter(
    ({ type, data }) => type === 'notification.reviewed' && data.comment_id === comment_id,
  )

/** Reviews as earlier versions stored them: without their time. */
async function forgetReviewTimes() {
  await world.collection('notifications').updateMany({}, { $unset: { reviewed_at: 1 } })
}

async function startReplica() {
  const replica = createNotificationService(world.config, await world.otherPorts())
  await replica.start()
  world.running.push(replica)
}

describe('a review of an earlier version', () => {
  test('is published again at the next start, once, with its own time', async () => {
    const comments = [await answerComment('reject'), await answerComment('approve')]
    const reviewedAt = new Date(world.clock.now()).toISOString()
    await forgetReviewTimes()
    world.clock.advance(60_000)
    await startReplica()
    for (const [index, comment] of comments.entries())
      await eventually(async () => {
        const [, again] = await reviewsOf(comment)
        expect(again?.data).toEqual({
          notification_id: expect.any(String),
          by: supervisor.id,
          approved: index === 1,
          words: 'Seen',
          comment_id: comment.comment_id,
          comment_revision: 1,
          person_id: trainee.id,
          reviewed_at: reviewedAt,
        })
      })
    expect(
      await world.collection('notifications').countDocuments({ approval: { $exists: true }, reviewed_at: null }),
    ).toBe(0)
  })

  test('that is dated, and a comment that waits, are left alone', async () => {
    const reviewed = await answerComment('reject')
    const old = await answerComment('reject')
    await world.collection('notifications').updateOne({ comment_id: old.comment_id }, { $unset: { reviewed_at: 1 } })
    const waiting = makeComment(trainee)
    await world.publish('comment.added', waiting)
    await fetchPending({ world }, supervisor)
    await startReplica()
    await eventually(async () => expect(await reviewsOf(old)).toHaveLength(2))
    expect([await reviewsOf(reviewed), await reviewsOf(waiting)]).toMatchObject([[{}], []])
  })
})
