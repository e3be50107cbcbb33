import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { aComment, aCompletion, type NotificationWorld, startNotifications } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  world = await startNotifications()
  supervisor = world.person('supervisor', { name: 'Supervisor 1' })
  trainee = world.person('user', { name: 'Trainee 1', supervisor_id: supervisor.id })
})
afterEach(() => world.stop())

async function pendingOf(person: PersonSnapshot) {
  return eventually(async () => {
    const listed = await world.list(person)
    expect(listed.pending_approvals).toBeGreaterThan(0)
    return listed.notifications.find(each => each.is_approved === null)!
  })
}

const review = (person: PersonSnapshot, id: string, action: string, words?: string) =>
  world.as(person).post(`/notifications/${id}/approve`, { action, supervisor_comment: words })

describe("a trainee's comment", () => {
  test('waits for the answer of their supervisor, at the video and second it is about', async () => {
    await world.tell('comment.added', aComment(trainee))
    expect(await pendingOf(supervisor)).toMatchObject({
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

  test('that is told twice is one', async () => {
    const id = newId()
    await world.tell('comment.added', aComment(trainee), { id })
    await world.tell('comment.added', aComment(trainee), { id })
    await pendingOf(supervisor)
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
  })

  test('may come with many others of theirs: each is an answer to give', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `Question ${index}`)
    await Promise.all(texts.map(text => world.tell('comment.added', aComment(trainee, { text }))))
    const listed = await world.list(supervisor, '/notifications?limit=50')
    expect(listed.pending_approvals).toBe(30)
    expect(new Set(listed.notifications.map(each => each.message))).toEqual(
      new Set(texts.map(text => `Trainee 1 at 1:15 in “Fire exits”: “${text}”`)),
    )
  })

  test('may come with those of others: each supervisor has their own, in a few transactions', async () => {
    const others = world.person('supervisor')
    const authors = [trainee, world.person('user', { supervisor_id: others.id }), others, trainee]
    const comments = Array.from({ length: 40 }, (_, index) => aComment(authors[index % 4]!, { text: String(index) }))
    await Promise.all([
      ...comments.map(comment => world.tell('comment.added', comment)),
      world.tell('comment.added', { ...aComment(trainee), person_id: 'nobody-knows' }),
    ])
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 20, pending_approvals: 20 })
    expect(await world.list(others)).toMatchObject({ unread_count: 10, pending_approvals: 10 })
    const told = (await world.events()).filter(event => event.type === 'notifications.changed')
    expect(told.length).toBeLessThan(5)
    expect(new Set(told.flatMap(event => event.data.recipient_ids))).toEqual(new Set([supervisor.id, others.id]))
  })

  test('is never folded, however many there are', async () => {
    for (let each = 0; each < 3; each += 1) await world.tell('comment.added', aComment(trainee))
    await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(3))
    expect((await world.list(supervisor)).notifications).toHaveLength(3)
  })

  test('of somebody of the staff needs nobody', async () => {
    const manager = world.person('manager')
    const member = world.person('supervisor', { manager_id: manager.id })
    await world.tell('comment.added', aComment(member))
    await world.tell('comment.added', aComment(trainee))
    await pendingOf(supervisor)
    expect((await world.list(manager)).notifications).toEqual([])
  })
})

describe('an answer', () => {
  test('is final, tells the author the words, and leads to the second', async () => {
    await world.tell('comment.added', aComment(trainee))
    const { id } = await pendingOf(supervisor)
    const answer = await review(supervisor, id, 'approve', '  Well seen ')
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
    expect((await world.events()).filter(each => each.type === 'notification.reviewed')).toMatchObject([
      { data: { notification_id: id, by: supervisor.id, approved: true, words: 'Well seen', person_id: trainee.id } },
    ])
  })

  test('and the comment it is about are told in full, however long; the message quotes them', async () => {
    const [asked, said] = ['Why? '.repeat(390).trim(), 'So. '.repeat(490).trim()]
    await world.tell('comment.added', aComment(trainee, { text: asked }))
    const pending = await pendingOf(supervisor)
    expect(pending.comment).toBe(asked)
    expect(pending.message.length).toBeLessThan(400)
    await review(supervisor, pending.id, 'reject', said)
    const [told] = (await world.list(trainee)).notifications
    expect(told!.supervisor_comment).toBe(said)
    expect(told!.message.length).toBeLessThan(400)
    expect(told).not.toHaveProperty('comment')
  })

  test('given again is harmless; a different one comes too late', async () => {
    await world.tell('comment.added', aComment(trainee))
    const { id } = await pendingOf(supervisor)
    const first = await review(supervisor, id, 'reject', 'No')
    const again = await review(supervisor, id, 'reject', 'No, really')
    expect([again.status, again.json]).toEqual([200, first.json])
    const other = await review(supervisor, id, 'approve')
    expect([other.status, other.json.code]).toEqual([409, 'already_reviewed'])
    expect((await world.list(supervisor)).notifications[0]).toMatchObject({
      is_approved: false,
      supervisor_comment: 'No',
    })
    expect((await world.list(trainee)).notifications).toHaveLength(1)
  })

  test('two at once have one effect, and the loser is told', async () => {
    for (let round = 0; round < 5; round += 1) {
      await world.tell('comment.added', aComment(trainee))
      const { id } = await pendingOf(supervisor)
      const answers = await Promise.all(['approve', 'reject', 'approve'].map(each => review(supervisor, id, each)))
      const statuses = answers.map(each => each.status)
      expect([
        [200, 409, 200],
        [409, 200, 409],
      ]).toContainEqual(statuses)
      expect((await world.list(trainee)).notifications).toHaveLength(round + 1)
    }
    expect((await world.events()).filter(each => each.type === 'notification.reviewed')).toHaveLength(5)
  })

  test("is the addressed supervisor's alone to give, and only where one is asked for", async () => {
    const other = world.person('supervisor')
    await world.tell('comment.added', aComment(trainee))
    const { id } = await pendingOf(supervisor)
    expect((await review(other, id, 'approve')).status).toBe(404)
    for (const role of ['user', 'manager', 'director', 'admin'] as const)
      expect((await review(world.person(role), id, 'approve')).status).toBe(403)
    expect((await review(supervisor, 'unknown', 'approve')).status).toBe(404)
    expect((await review(supervisor, id, 'perhaps')).status).toBe(422)
    expect((await review(supervisor, id, 'approve', 'x'.repeat(limits.commentMaxLength + 1))).status).toBe(422)
    await world.tell('video.completed', aCompletion(trainee))
    await world.settled()
    const plain = (await world.list(supervisor)).notifications.find(each => each.kind === 'video_completed')!
    expect((await review(supervisor, plain.id, 'approve')).status).toBe(404)
    expect((await world.list(supervisor)).pending_approvals).toBe(1)
  })
})

describe('a trainee who moves', () => {
  test('takes what waits for an answer along, and nothing else', async () => {
    const next = world.person('supervisor')
    await world.tell('comment.added', aComment(trainee, { text: 'First' }))
    await review(supervisor, (await pendingOf(supervisor)).id, 'approve')
    await world.tell('comment.added', aComment(trainee, { text: 'Second' }))
    const { id } = await pendingOf(supervisor)
    await world.move(trainee, next.id)
    const moved = await pendingOf(next)
    expect([moved.id, moved.message]).toEqual([id, 'Trainee 1 at 1:15 in “Fire exits”: “Second”'])
    expect(await world.list(supervisor)).toMatchObject({ pending_approvals: 0, notifications: [{ is_approved: true }] })
    expect((await review(supervisor, id, 'approve')).status).toBe(404)
    expect((await review(next, id, 'approve')).status).toBe(200)
  })

  test('to nobody: it waits for the next supervisor, also what is written meanwhile', async () => {
    await world.tell('comment.added', aComment(trainee))
    await pendingOf(supervisor)
    await world.move(trainee, null)
    await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(0))
    await world.tell('comment.added', aComment(trainee))
    await eventually(async () => expect(await world.rows('notifications').countDocuments()).toBe(2))
    const next = world.person('supervisor')
    await world.move(trainee, next.id)
    await eventually(async () => expect((await world.list(next)).pending_approvals).toBe(2))
  })

  test('while they write: nothing is left behind, whatever comes first', async () => {
    const next = world.person('supervisor')
    const comments = Array.from({ length: 12 }, () => world.tell('comment.added', aComment(trainee)))
    const moving = world.move(trainee, next.id)
    await Promise.all([...comments, moving])
    await eventually(async () => expect((await world.list(next)).pending_approvals).toBe(12))
    expect((await world.list(supervisor)).pending_approvals).toBe(0)
  })

  test('an older change that comes late moves nothing back', async () => {
    const next = world.person('supervisor')
    await world.tell('comment.added', aComment(trainee))
    await pendingOf(supervisor)
    await world.move(trainee, next.id)
    await pendingOf(next)
    await world.tell('user.supervisor_changed', { person: trainee, by: null, previous_supervisor_id: null })
    await world.tell('comment.added', aComment(trainee))
    await eventually(async () => expect((await world.list(next)).pending_approvals).toBe(2))
  })
})

describe('what asks for no answer', () => {
  test('each event tells the right person the right thing', async () => {
    const manager = world.person('manager', { name: 'Manager 1' })
    const { id: maker } = manager
    await world.tell('video.completed', aCompletion(trainee))
    await world.tell('playlist.completed', { ...aCompletion(trainee), video_id: undefined } as never)
    await world.tell('integrity.noted', {
      ...aCompletion(trainee),
      notes: [{ code: 'skipped', times: 2 }],
    })
    await world.tell('playlist.assigned', {
      playlist_id: 'list-1',
      title: 'Safety first',
      by: supervisor.id,
      assigned: [trainee.id, supervisor.id],
      assigned_date: new Date().toISOString(),
    })
    await world.tell('playlist.shared', {
      playlist_id: 'list-1',
      title: 'Safety first',
      by: maker,
      shared_with: [supervisor.id],
    })
    await world.tell('video.unavailable', {
      playlist_id: 'list-1',
      playlist_title: 'Safety first',
      video_id: 'film-1',
      title: 'Fire exits',
      person_id: trainee.id,
      confirmed: true,
      created_by: maker,
      shared_with: [supervisor.id],
    })
    await world.tell('supervisor_request.reviewed', {
      request_id: 'r',
      manager_id: maker,
      supervisor_id: supervisor.id,
      approved: true,
      by: 'admin',
      comment: 'Approved by admin',
    })
    await world.settled()
    await eventually(async () => expect((await world.list(manager)).notifications).toHaveLength(2))
    const told = async (person: PersonSnapshot) =>
      (await world.list(person)).notifications
        .map(each => `${each.notification_type}/${each.kind}: ${each.message}`)
        .sort()
    expect(await told(supervisor)).toEqual([
      'engagement/integrity: Trainee 1, “Fire exits”: skipped ahead 2 times.',
      'engagement/playlist_completed: Trainee 1 completed all of “Safety first”.',
      'engagement/video_completed: Trainee 1 completed “Fire exits”.',
      'engagement/video_unavailable: “Fire exits” of “Safety first” cannot be played. It is left out of what has to be watched.',
      'other/playlist_shared: Manager 1 shared “Safety first” with you.',
    ])
    expect(await told(trainee)).toEqual(['other/task_assigned: Supervisor 1 assigned “Safety first” to you.'])
    expect(await told(manager)).toEqual([
      'engagement/video_unavailable: “Fire exits” of “Safety first” cannot be played. It is left out of what has to be watched.',
      'other/request_reviewed: Supervisor 1 is now one of your supervisors: “Approved by admin”',
    ])
    for (const each of (await world.list(supervisor)).notifications) expect(each).not.toHaveProperty('is_approved')
  })

  test('of a trainee without a supervisor is told to nobody', async () => {
    const alone = world.person('user')
    await world.tell('video.completed', aCompletion(alone))
    await world.tell('video.completed', aCompletion(trainee))
    await world.settled()
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
    expect(await world.rows('notifications').countDocuments()).toBe(1)
  })

  test('that no schema accepts is nobody’s concern and stops nothing', async () => {
    await world.tell('video.completed', { nonsense: true } as never).catch(() => {})
    await world.tell('video.completed', aCompletion(trainee))
    await world.settled()
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
  })
})

describe('reading', () => {
  test('marks one or all, of one’s own, and answers are still waited for', async () => {
    await world.tell('comment.added', aComment(trainee))
    await world.tell('video.completed', aCompletion(trainee))
    await world.settled()
    const { id } = await pendingOf(supervisor)
    expect((await world.as(supervisor).post(`/notifications/${id}/read`)).json).toEqual({ success: true })
    expect((await world.as(supervisor).post(`/notifications/${id}/read`)).status).toBe(200)
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 1, pending_approvals: 1 })
    expect((await world.as(trainee).post(`/notifications/${id}/read`)).status).toBe(404)
    expect((await world.as(supervisor).post('/notifications/read-all')).json).toEqual({ success: true })
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 0, pending_approvals: 1 })
    expect((await world.as(trainee).post('/notifications/read-all')).status).toBe(200)
  })

  test('comes page by page, newest first, without gap or repeat while more arrives', async () => {
    for (let each = 0; each < 7; each += 1) {
      world.clock.advance(1_000)
      await world.tell('comment.added', aComment(trainee, { text: String(each) }))
      await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(each + 1))
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const answer = await world.as(supervisor).get(`/notifications?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...answer.json.notifications.map((each: { message: string }) => /“(\d)”$/.exec(each.message)![1]))
      cursor = answer.headers.get('x-next-cursor')
      world.clock.advance(1_000)
      await world.tell('comment.added', aComment(trainee, { text: '9' }))
    } while (cursor)
    expect(seen).toEqual(['6', '5', '4', '3', '2', '1', '0'])
    expect((await world.as(supervisor).get('/notifications?cursor=nobody-gave-this')).status).toBe(422)
  })

  test('of what waits for an answer is one of its own, however much else came since', async () => {
    for (const text of ['first', 'second', 'third']) {
      world.clock.advance(1_000)
      await world.tell('comment.added', aComment(trainee, { text }))
      await eventually(async () => expect((await world.list(supervisor)).notifications[0]?.comment).toBe(text))
    }
    world.clock.advance(1_000)
    await world.tell('video.completed', aCompletion(trainee))
    await eventually(async () => expect((await world.list(supervisor)).unread_count).toBe(4))
    const [newest] = (await world.list(supervisor, '/notifications?limit=1&waiting=true')).notifications
    expect(newest!.comment).toBe('third')
    await review(supervisor, newest!.id, 'approve')
    const first = await world.as(supervisor).get('/notifications?limit=1&waiting=true')
    expect(first.json).toMatchObject({ notifications: [{ comment: 'second' }], unread_count: 3, pending_approvals: 2 })
    const cursor = first.headers.get('x-next-cursor')
    const last = await world.as(supervisor).get(`/notifications?limit=1&waiting=true&cursor=${cursor}`)
    expect(last.json.notifications).toMatchObject([{ comment: 'first' }])
    expect(last.headers.get('x-next-cursor')).toBeNull()
    expect((await world.as(supervisor).get('/notifications?waiting=maybe')).status).toBe(422)
  })

  test('an unchanged list is answered with 304, until something is made, read or answered', async () => {
    const tagOf = async () => (await world.as(supervisor).get('/notifications')).headers.get('etag')!
    const poll = async (tag: string) =>
      (await world.as(supervisor).get('/notifications', { 'if-none-match': tag })).status
    let tag = await tagOf()
    expect(await poll(tag)).toBe(304)
    await world.tell('comment.added', aComment(trainee))
    await eventually(async () => expect(await poll(tag)).toBe(200))
    const { id } = await pendingOf(supervisor)
    tag = await tagOf()
    expect(await poll(tag)).toBe(304)
    await world.as(supervisor).post(`/notifications/${id}/read`)
    expect(await poll(tag)).toBe(200)
    tag = await tagOf()
    await review(supervisor, id, 'approve')
    expect(await poll(tag)).toBe(200)
  })

  test('needs a session', async () => {
    const { apiClient: caller } = await import('@watchline/testing/harness')
    const nobody = caller(world.urls[0]!)
    for (const [method, path] of [
      ['GET', '/notifications'],
      ['POST', '/notifications/x/approve'],
      ['POST', '/notifications/x/read'],
      ['POST', '/notifications/read-all'],
    ] as const)
      expect((await nobody.call(method, path, method === 'POST' ? {} : undefined)).status).toBe(401)
  })
})
