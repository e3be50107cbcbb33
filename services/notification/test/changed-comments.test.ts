import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { EventData } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { review, startTeam } from './_team.ts'
import { makeComment, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

type CommentFacts = EventData<'comment.added'>
const add = (comment: CommentFacts) => world.publish('comment.added', comment)
const edit = (comment: CommentFacts, text: string, revision = 2) =>
  world.publish('comment.edited', { ...comment, text, revision })
const remove = ({ comment_id, person_id }: CommentFacts, revision = 1) =>
  world.publish('comment.deleted', { comment_id, person_id, revision, deleted_at: new Date().toISOString() })
const reviewAs = (id: string, action: string, comment_revision?: number) =>
  review({ world }, supervisor, id, { action, comment_revision })

async function fetchOnly() {
  const { notifications } = await world.list(supervisor)
  expect(notifications).toHaveLength(1)
  return notifications[0]!
}

describe('an edited comment', () => {
  test('waits for approval with its new text, as the one notification of the comment', async () => {
    const comment = makeComment(trainee)
    await add(comment)
    expect(await fetchOnly()).toMatchObject({ comment: comment.text, comment_revision: 1 })
    await world.callAs(supervisor).post('/notifications/read-all', {})
    await edit(comment, 'And the stairs?')
    expect(await fetchOnly()).toMatchObject({
      comment: 'And the stairs?',
      comment_revision: 2,
      is_approved: null,
      is_read: false,
    })
    expect((await world.list(supervisor)).pending_approvals).toBe(1)
  })

  test('keeps its newest text in any order of events', async () => {
    const comment = makeComment(trainee)
    await edit(comment, 'Third', 3)
    await edit(comment, 'Second', 2)
    await add(comment)
    expect(await fetchOnly()).toMatchObject({ comment: 'Third', comment_revision: 3, is_approved: null })
  })

  test('refuses a review of the text before; the review of the new text names its revision', async () => {
    const comment = makeComment(trainee)
    await add(comment)
    const { id } = await fetchOnly()
    await edit(comment, 'And the stairs?')
    const late = await reviewAs(id, 'approve', 1)
    expect([late.status, late.json.code]).toEqual([409, 'edited_elsewhere'])
    expect((await reviewAs(id, 'approve', 2)).status).toBe(200)
    expect((await world.publishedEvents()).filter(({ type }) => type === 'notification.reviewed')).toMatchObject([
      { data: { comment_id: comment.comment_id, comment_revision: 2, approved: true } },
    ])
  })

  test('waits again if its earlier text was reviewed at the same moment', async () => {
    const comment = makeComment(trainee)
    await add(comment)
    const { id } = await fetchOnly()
    await reviewAs(id, 'reject')
    await edit(comment, 'And the stairs?')
    const request = await fetchOnly()
    expect(request).toMatchObject({ id, is_approved: null, comment: 'And the stairs?' })
    expect(request).not.toHaveProperty('supervisor_comment')
    expect((await reviewAs(id, 'approve')).status).toBe(200)
  })
})

describe('a deleted comment', () => {
  test('no longer waits for approval, and cannot be reviewed', async () => {
    const comment = makeComment(trainee)
    await add(comment)
    const { id } = await fetchOnly()
    await remove(comment)
    expect(await world.list(supervisor)).toEqual({ notifications: [], unread_count: 0, pending_approvals: 0 })
    expect((await reviewAs(id, 'approve')).status).toBe(404)
    expect(JSON.stringify(await world.collection('notifications').find().toArray())).not.toContain(comment.text)
  })

  test('stays deleted whatever arrives late, also for another supervisor', async () => {
    const comment = makeComment(trainee)
    await remove(comment, 2)
    await edit(comment, 'Second')
    await add(comment)
    const newSupervisor = world.addPerson('supervisor')
    await world.changeSupervisor(trainee, newSupervisor.id)
    await add(makeComment(trainee, { text: 'Another' }))
    await eventually(async () => expect((await world.list(newSupervisor)).pending_approvals).toBe(1))
    expect((await world.list(supervisor)).notifications).toEqual([])
  })

  test('stays in the list of the reviewer who answered it', async () => {
    const comment = makeComment(trainee)
    await add(comment)
    await reviewAs((await fetchOnly()).id, 'approve')
    await remove(comment, 2)
    await edit(comment, 'Late')
    expect(await fetchOnly()).toMatchObject({ is_approved: true, comment: comment.text })
  })
})
