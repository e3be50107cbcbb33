import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { fullScan, newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { createNotificationService } from '../src/service.ts'
import { fetchPending, review, startTeam } from './_team.ts'
import { makeComment, makeCompletion, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

const dayMs = 24 * 3_600_000

/** The notifications that MongoDB removes within so many days, if nothing changes them. */
async function findExpiredIds(days: number): Promise<string[]> {
  const notifications = world.collection('notifications')
  const ids: unknown[] = []
  for (const { key, expireAfterSeconds, partialFilterExpression = {} } of await notifications.indexes()) {
    if (expireAfterSeconds === undefined) continue
    const before = new Date(world.clock.now() + days * dayMs - expireAfterSeconds * 1_000)
    const isOld = Object.fromEntries(Object.keys(key).map(field => [field, { $lt: before }]))
    const expired = await notifications.find({ $and: [partialFilterExpression, isOld] }, fullScan).toArray()
    ids.push(...expired.map(({ _id }) => _id))
  }
  return ids.map(String)
}

const fetchPendingOf = (person: PersonSnapshot) => fetchPending({ world }, person)
const reviewAs = (person: PersonSnapshot, id: string, action: string, comment?: string) =>
  review({ world }, person, id, { action, supervisor_comment: comment })

describe("a trainee's comment", () => {
  test('is a pending approval that names its video and second', async () => {
    await world.publish('comment.added', makeComment(trainee))
    expect(await fetchPendingOf(supervisor)).toMatchObject({
      title: 'New comment',
      message: 'Trainee 1 at 1:15 in “Fire exits”: “What about the lift?”',
      notification_type: 'comment',
      kind: 'comment_to_approve',
      is_read: false,
      is_approved: null,
      user_id: trainee.id,
      user_name: 'Trainee 1',
      playlist_id: 'list-1',
      video_id: 'film-1',
      video_title: 'Fire exits',
      timestamp: 75.4,
      comment: 'What about the lift?',
    })
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 1, pending_approvals: 1 })
    expect(await world.list(trainee)).toEqual({ notifications: [], unread_count: 0, pending_approvals: 0 })
  })

  test('whose event is repeated is one notification', async () => {
    const id = newId()
    await world.publish('comment.added', makeComment(trainee), { id })
    await world.publish('comment.added', makeComment(trainee), { id })
    await fetchPendingOf(supervisor)
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
  })

  test('has its own notification among many comments of the trainee', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `Question ${index}`)
    await Promise.all(texts.map(text => world.publish('comment.added', makeComment(trainee, { text }))))
    const list = await world.list(supervisor, '/notifications?limit=50')
    expect(list.pending_approvals).toBe(30)
    expect(new Set(list.notifications.map(({ message }) => message))).toEqual(
      new Set(texts.map(text => `Trainee 1 at 1:15 in “Fire exits”: “${text}”`)),
    )
  })

  test('notifies its author’s supervisor only; many comments need few transactions', async () => {
    const otherSupervisor = world.addPerson('supervisor')
    const otherTrainee = world.addPerson('user', { supervisor_id: otherSupervisor.id })
    const authors = [trainee, otherTrainee, otherSupervisor, trainee]
    const comments = Array.from({ length: 40 }, (_, index) => makeComment(authors[index % 4]!, { text: String(index) }))
    await Promise.all([
      ...comments.map(comment => world.publish('comment.added', comment)),
      world.publish('comment.added', { ...makeComment(trainee), person_id: 'nobody-knows' }),
    ])
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 20, pending_approvals: 20 })
    expect(await world.list(otherSupervisor)).toMatchObject({ unread_count: 10, pending_approvals: 10 })
    const changes = (await world.publishedEvents()).filter(event => event.type === 'notifications.changed')
    expect(changes.length).toBeLessThan(5)
    expect(new Set(changes.flatMap(event => event.data.recipient_ids))).toEqual(
      new Set([supervisor.id, otherSupervisor.id]),
    )
  })

  test('is never grouped', async () => {
    for (let count = 0; count < 3; count += 1) await world.publish('comment.added', makeComment(trainee))
    await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(3))
    expect((await world.list(supervisor)).notifications).toHaveLength(3)
  })

  test('of staff needs no approval', async () => {
    const manager = world.addPerson('manager')
    const member = world.addPerson('supervisor', { manager_id: manager.id })
    await world.publish('comment.added', makeComment(member))
    await world.publish('comment.added', makeComment(trainee))
    await fetchPendingOf(supervisor)
    expect((await world.list(manager)).notifications).toEqual([])
  })
})

describe('an answer', () => {
  test('is final, notifies the author with its text, and links to the second', async () => {
    await world.publish('comment.added', makeComment(trainee))
    const { id } = await fetchPendingOf(supervisor)
    const answer = await reviewAs(supervisor, id, 'approve', '  Well seen ')
    expect([answer.status, answer.json]).toEqual([
      200,
      { success: true, redirect_url: '/dashboard?playlist_id=list-1&video_id=film-1&t=75&action=approved' },
    ])
    expect((await world.list(supervisor)).notifications[0]).toMatchObject({
      is_approved: true,
      is_read: true,
      supervisor_comment: 'Well seen',
    })
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 0, pending_approvals: 0 })
    expect((await world.list(trainee)).notifications).toMatchObject([
      {
        title: 'Comment approved',
        message: 'Supervisor 1 approved your comment at 1:15 in “Fire exits”: “Well seen”',
        notification_type: 'other',
        playlist_id: 'list-1',
        video_id: 'film-1',
        timestamp: 75.4,
      },
    ])
    expect((await world.list(trainee)).notifications[0]).not.toHaveProperty('is_approved')
    expect((await world.publishedEvents()).filter(event => event.type === 'notification.reviewed')).toMatchObject([
      { data: { notification_id: id, by: supervisor.id, approved: true, words: 'Well seen', person_id: trainee.id } },
    ])
  })

  test('and its comment are shown in full; the message only quotes them', async () => {
    const [question, answer] = ['Why? '.repeat(390).trim(), 'So. '.repeat(490).trim()]
    await world.publish('comment.added', makeComment(trainee, { text: question }))
    const pending = await fetchPendingOf(supervisor)
    expect(pending.comment).toBe(question)
    expect(pending.message.length).toBeLessThan(400)
    await reviewAs(supervisor, pending.id, 'reject', answer)
    const [reviewed] = (await world.list(trainee)).notifications
    expect(reviewed!.supervisor_comment).toBe(answer)
    expect(reviewed!.message.length).toBeLessThan(400)
    expect(reviewed).not.toHaveProperty('comment')
  })

  test('may be repeated; a different one is refused', async () => {
    await world.publish('comment.added', makeComment(trainee))
    const { id } = await fetchPendingOf(supervisor)
    const first = await reviewAs(supervisor, id, 'reject', 'No')
    const repeated = await reviewAs(supervisor, id, 'reject', 'No, really')
    expect([repeated.status, repeated.json]).toEqual([200, first.json])
    const different = await reviewAs(supervisor, id, 'approve')
    expect([different.status, different.json.code]).toEqual([409, 'already_reviewed'])
    expect((await world.list(supervisor)).notifications[0]).toMatchObject({
      is_approved: false,
      supervisor_comment: 'No',
    })
    expect((await world.list(trainee)).notifications).toHaveLength(1)
  })

  test('takes effect once when several are concurrent; a different one gets 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      await world.publish('comment.added', makeComment(trainee))
      const { id } = await fetchPendingOf(supervisor)
      const responses = await Promise.all(
        ['approve', 'reject', 'approve'].map(action => reviewAs(supervisor, id, action)),
      )
      const statuses = responses.map(({ status }) => status)
      expect([
        [200, 409, 200],
        [409, 200, 409],
      ]).toContainEqual(statuses)
      expect((await world.list(trainee)).notifications).toHaveLength(round + 1)
    }
    expect((await world.publishedEvents()).filter(event => event.type === 'notification.reviewed')).toHaveLength(5)
  })

  test('is accepted only from the recipient, and only to a comment', async () => {
    const outsider = world.addPerson('supervisor')
    await world.publish('comment.added', makeComment(trainee))
    const { id } = await fetchPendingOf(supervisor)
    expect((await reviewAs(outsider, id, 'approve')).status).toBe(404)
    for (const role of ['user', 'manager', 'director', 'admin'] as const)
      expect((await reviewAs(world.addPerson(role), id, 'approve')).status).toBe(403)
    expect((await reviewAs(supervisor, 'unknown', 'approve')).status).toBe(404)
    expect((await reviewAs(supervisor, id, 'perhaps')).status).toBe(422)
    expect((await reviewAs(supervisor, id, 'approve', 'x'.repeat(limits.commentMaxLength + 1))).status).toBe(422)
    await world.publish('video.completed', makeCompletion(trainee))
    await world.untilGrouped()
    const completion = (await world.list(supervisor)).notifications.find(({ kind }) => kind === 'video_completed')!
    expect((await reviewAs(supervisor, completion.id, 'approve')).status).toBe(404)
    expect((await world.list(supervisor)).pending_approvals).toBe(1)
  })
})

describe('a moved trainee', () => {
  test('moves pending approvals to the new supervisor, and tells the former one', async () => {
    const newSupervisor = world.addPerson('supervisor', { name: 'Supervisor Two' })
    await world.publish('comment.added', makeComment(trainee, { text: 'First' }))
    await reviewAs(supervisor, (await fetchPendingOf(supervisor)).id, 'approve')
    await world.publish('comment.added', makeComment(trainee, { text: 'Second' }))
    const { id } = await fetchPendingOf(supervisor)
    await world.changeSupervisor(trainee, newSupervisor.id)
    const pending = await fetchPendingOf(newSupervisor)
    expect([pending.id, pending.message]).toEqual([id, 'Trainee 1 at 1:15 in “Fire exits”: “Second”'])
    expect(await world.list(supervisor)).toMatchObject({
      pending_approvals: 0,
      notifications: [
        {
          kind: 'comments_moved',
          is_read: false,
          message: 'Trainee 1 moved to the team of Supervisor Two, who now reviews 1 comment that waits for a review.',
        },
        { is_approved: true },
      ],
    })
    expect((await reviewAs(supervisor, id, 'approve')).status).toBe(404)
    expect((await reviewAs(newSupervisor, id, 'approve')).status).toBe(200)
  })

  test('without a supervisor keeps comments pending for the next supervisor', async () => {
    await world.publish('comment.added', makeComment(trainee))
    await fetchPendingOf(supervisor)
    await world.changeSupervisor(trainee, null)
    await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(0))
    expect((await world.list(supervisor)).notifications).toMatchObject([
      { message: 'Trainee 1 left your team with 1 comment that waits for a review. The next supervisor reviews it.' },
    ])
    await world.publish('comment.added', makeComment(trainee))
    const toReview = { kind: 'comment_to_approve' }
    await eventually(async () => expect(await world.collection('notifications').countDocuments(toReview)).toBe(2))
    const newSupervisor = world.addPerson('supervisor')
    await world.changeSupervisor(trainee, newSupervisor.id)
    await eventually(async () => expect((await world.list(newSupervisor)).pending_approvals).toBe(2))
  })

  test('brings a comment that waited long to the new supervisor as a new notification', async () => {
    await world.publish('comment.added', makeComment(trainee))
    const written = await fetchPendingOf(supervisor)
    const newSupervisor = world.addPerson('supervisor')
    const otherTrainee = world.addPerson('user', { supervisor_id: newSupervisor.id })
    world.clock.advance(80 * dayMs)
    await world.publish('comment.added', makeComment(otherTrainee))
    await fetchPendingOf(newSupervisor)
    world.clock.advance(dayMs)
    await world.changeSupervisor(trainee, newSupervisor.id)
    await eventually(async () =>
      expect((await world.list(newSupervisor)).notifications).toMatchObject([
        {
          id: written.id,
          is_read: false,
          created_at: written.created_at,
          updated_at: new Date(world.clock.now()).toISOString(),
        },
        { user_id: otherTrainee.id },
      ]),
    )
    expect(await findExpiredIds(89)).toEqual([])
    expect(await findExpiredIds(91)).toContain(written.id)
  })

  test('leaves no comment with the former supervisor while comments arrive', async () => {
    const newSupervisor = world.addPerson('supervisor')
    const comments = Array.from({ length: 12 }, () => world.publish('comment.added', makeComment(trainee)))
    await Promise.all([...comments, world.changeSupervisor(trainee, newSupervisor.id)])
    await eventually(async () => expect((await world.list(newSupervisor)).pending_approvals).toBe(12))
    expect((await world.list(supervisor)).pending_approvals).toBe(0)
  })

  test('who moves several times at once ends with the last supervisor, and the first one is told once', async () => {
    const [second, third] = [world.addPerson('supervisor'), world.addPerson('supervisor')]
    await world.publish('comment.added', makeComment(trainee))
    await fetchPendingOf(supervisor)
    const moves = [second, third, second, third]
    await Promise.all(moves.map(({ id }) => world.changeSupervisor(trainee, id)))
    await fetchPendingOf(third)
    await world.publish('comment.added', makeComment(trainee))
    await eventually(async () => expect((await world.list(third)).pending_approvals).toBe(2))
    for (const former of [supervisor, second]) expect((await world.list(former)).pending_approvals).toBe(0)
    const notices = (await world.list(supervisor)).notifications.map(({ kind }: { kind: string }) => kind)
    expect(notices).toEqual(['comments_moved'])
  })

  test('is not moved back by an older event that arrives late', async () => {
    const newSupervisor = world.addPerson('supervisor')
    await world.publish('comment.added', makeComment(trainee))
    await fetchPendingOf(supervisor)
    await world.changeSupervisor(trainee, newSupervisor.id)
    await fetchPendingOf(newSupervisor)
    await world.publish('user.supervisor_changed', { person: trainee, by: null, previous_supervisor_id: null })
    await world.publish('comment.added', makeComment(trainee))
    await eventually(async () => expect((await world.list(newSupervisor)).pending_approvals).toBe(2))
  })
})

describe('a comment that waits without a supervisor', () => {
  /** Returns the ids of the comment and of its request. */
  async function commentWithoutSupervisor() {
    const comment = makeComment(world.addPerson('user'))
    await world.publish('comment.added', comment)
    const request = await eventually(async () => {
      const found = await world.collection('notifications').findOne({ comment_id: comment.comment_id })
      expect(found).not.toBeNull()
      return found!
    })
    return { comment, requestId: String(request._id) }
  }

  test('is kept as long as the comment', async () => {
    const { requestId } = await commentWithoutSupervisor()
    expect(await findExpiredIds(729)).toEqual([])
    expect(await findExpiredIds(731)).toEqual([requestId])
  })

  test('and is deleted then is removed as late as other notifications', async () => {
    const { comment, requestId } = await commentWithoutSupervisor()
    world.clock.advance(100 * dayMs)
    const { comment_id, person_id } = comment
    const deleted_at = new Date(world.clock.now()).toISOString()
    await world.publish('comment.deleted', { comment_id, person_id, revision: 2, deleted_at })
    const withdrawn = { _id: requestId, approval: 'withdrawn' } as object
    await eventually(async () => expect(await world.collection('notifications').countDocuments(withdrawn)).toBe(1))
    expect(await findExpiredIds(89)).toEqual([])
    expect(await findExpiredIds(91)).toEqual([requestId])
  })

  test('of a version that removed it sooner is kept from the next start on', async () => {
    const { requestId } = await commentWithoutSupervisor()
    const notifications = world.collection('notifications')
    for (const { name, expireAfterSeconds } of await notifications.indexes())
      if (expireAfterSeconds !== undefined) await notifications.dropIndex(name!)
    await notifications.createIndex({ updated_at: 1 }, { expireAfterSeconds: 90 * 24 * 3_600 })
    expect(await findExpiredIds(91)).toEqual([requestId])
    const replica = createNotificationService(world.config, await world.otherPorts())
    await replica.start()
    world.running.push(replica)
    expect(await findExpiredIds(91)).toEqual([])
  })
})
