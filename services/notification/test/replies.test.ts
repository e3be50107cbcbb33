import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { startTeam } from './_team.ts'
import { makeComment, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

const makeReply = (author: PersonSnapshot, to: PersonSnapshot, text = 'Behind the stairs') =>
  makeComment(author, { text, reply_to: { comment_id: newId(), person_id: to.id } })

describe('a reply', () => {
  test('notifies the author of the comment, once for a repeated event', async () => {
    const id = newId()
    const reply = makeReply(supervisor, trainee)
    for (let time = 0; time < 2; time += 1) await world.publish('comment.added', reply, { id })
    await world.untilGrouped()
    expect((await world.list(trainee)).notifications).toMatchObject([
      {
        kind: 'comment_replied',
        title: 'New reply',
        message: 'Supervisor 1 replied to your comment at 1:15 in “Fire exits”.',
        video_id: 'film-1',
        count: 1,
        is_read: false,
      },
    ])
    expect((await world.list(supervisor)).notifications).toEqual([])
  })

  test('is grouped with others', async () => {
    for (const text of ['One', 'Two', 'Three']) {
      await world.publish('comment.added', makeReply(supervisor, trainee, text))
      await world.untilGrouped()
    }
    expect((await world.list(trainee)).notifications).toMatchObject([
      { title: 'New replies', message: 'Supervisor 1 replied to your comments 3 times.', count: 3 },
    ])
  })

  test('of an earlier version, which stored its text, does not show it, as it may be rejected or hidden', async () => {
    const facts = {
      ...{ kind: 'comment_replied', people: [{ id: supervisor.id, name: 'Supervisor 1' }], count: 1, happenings: 1 },
      ...{ video: { id: 'film-1', title: 'Fire exits' }, timestamp: 75, text: 'Behind the stairs' },
    }
    const stored = { recipient_id: trainee.id, kind: 'comment_replied', facts, is_read: false }
    const at = new Date(world.clock.now())
    const notification = { ...stored, _id: newId() as never, created_at: at, updated_at: at }
    await world.collection('notifications').insertOne(notification)
    const shown = JSON.stringify((await world.list(trainee)).notifications)
    expect(shown).toContain('Supervisor 1 replied to your comment at 1:15 in “Fire exits”.')
    expect(shown).not.toContain('Behind the stairs')
  })

  test('of a trainee also needs approval; to oneself it notifies nobody', async () => {
    await world.publish('comment.added', makeReply(trainee, trainee))
    const other = world.addPerson('user', { name: 'Trainee 2', supervisor_id: supervisor.id })
    await world.publish('comment.added', makeReply(other, trainee))
    await world.untilGrouped()
    expect(await world.list(supervisor)).toMatchObject({ pending_approvals: 2 })
    expect((await world.list(trainee)).notifications).toMatchObject([{ kind: 'comment_replied', user_id: other.id }])
  })

  test('that is deleted already notifies nobody', async () => {
    const reply = makeReply(supervisor, trainee)
    const { comment_id, person_id } = reply
    await world.publish('comment.deleted', {
      comment_id,
      person_id,
      revision: 1,
      deleted_at: new Date().toISOString(),
    })
    await world.publish('comment.added', reply)
    await world.untilGrouped()
    expect((await world.list(trainee)).notifications).toEqual([])
  })
})
