import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { fetchPending, review, startTeam } from './_team.ts'
import { makeComment, makeCompletion, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'Europe/Berlin' }

/** Makes the person an assignee in playback-session, without an event. */
function addTask({ id }: { id: string }, playlistId: string) {
  world.owners.assignments.set(`${id}:${playlistId}`, {
    ...{ person_id: id, playlist_id: playlistId, assigned_date: '2027-01-01T08:00:00.000Z' },
    due: { at: due.at, changed_at: '2027-01-01T08:00:00.000Z' },
  })
}

const fetchPendingOf = (person: PersonSnapshot) => fetchPending({ world }, person)
const reviewAs = (person: PersonSnapshot, id: string, action: string, comment?: string) =>
  review({ world }, person, id, { action, supervisor_comment: comment })

describe('an event without an approval', () => {
  test('notifies its recipients with its own wording', async () => {
    const manager = world.addPerson('manager', { name: 'Manager 1' })
    for (const playlistId of ['list', 'list-1']) addTask(trainee, playlistId)
    await world.publish('video.completed', makeCompletion(trainee))
    await world.publish('playlist.completed', { ...makeCompletion(trainee), video_id: undefined } as never)
    await world.publish('integrity.noted', {
      ...makeCompletion(trainee),
      notes: [{ code: 'skipped', times: 2 }],
    })
    await world.publish('playlist.assigned', {
      playlist_id: 'list-1',
      title: 'Safety first',
      by: supervisor.id,
      assigned: [trainee.id, supervisor.id],
      note: 'Before Friday, please.',
      assigned_date: new Date().toISOString(),
    })
    await world.publish('task.reminded', {
      playlist_id: 'list-1',
      title: 'Safety first',
      by: supervisor.id,
      reminded: [trainee.id],
      reminded_at: new Date().toISOString(),
    })
    await world.publish('playlist.shared', {
      playlist_id: 'list-1',
      title: 'Safety first',
      by: manager.id,
      shared_with: [supervisor.id],
    })
    await world.publish('video.unavailable', {
      playlist_id: 'list-1',
      playlist_title: 'Safety first',
      video_id: 'film-1',
      title: 'Fire exits',
      person_id: trainee.id,
      confirmed: true,
      created_by: manager.id,
      shared_with: [supervisor.id],
    })
    await world.publish('supervisor_request.reviewed', {
      request_id: 'r',
      manager_id: manager.id,
      supervisor_id: supervisor.id,
      approved: true,
      by: 'admin',
      comment: 'Approved by admin',
    })
    for (const reason of ['due_soon', 'overdue'] as const)
      await world.publish('task.due', {
        ...{ playlist_id: 'list', title: 'Safety first' },
        reason,
        people: [trainee.id],
        due,
      })
    const recurrence = { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 } as const
    await world.publish('assignment.recurred', {
      ...{ playlist_id: 'list', title: 'Safety first', people: [trainee.id], due, previous_due: due, skipped: [] },
      ...{ recurrence: { ...recurrence, first_due: due.local }, recurred_at: '2027-01-01T16:00:00.000Z' },
    })
    // Nobody is notified of a change of the recurrence alone.
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: 'list', title: 'Safety first', by: supervisor.id, changed: [trainee.id], due },
      ...{ changed_at: '2027-01-01T16:00:00.000Z', recurrence: null, keeps_due: true },
    })
    const terms = { grace_days: 0, required_percent: 95, max_rate: null, attention_checks: false }
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: 'list', title: 'Safety first', by: supervisor.id, changed: [trainee.id], due },
      ...{ changed_at: '2027-01-01T16:00:00.000Z', keeps_due: true, changes_conditions: true, reason: 'New rule' },
      conditions: { ...terms, allow_skipping: false },
    })
    for (const action of ['exempt', 'mark_done', 'take_back', 'reset'] as const)
      await world.publish('assignment.overridden', {
        ...{ playlist_id: 'list', title: 'Safety first', by: supervisor.id, changed: [trainee.id], action },
        ...{ reason: 'On leave', changed_at: '2027-01-31T16:00:00.000Z' },
      })
    await world.untilGrouped()
    await eventually(async () => expect((await world.list(manager)).notifications).toHaveLength(2))
    const messagesOf = async (person: PersonSnapshot) =>
      (await world.list(person)).notifications
        .map(({ notification_type, kind, message }) => `${notification_type}/${kind}: ${message}`)
        .sort()
    expect(await messagesOf(supervisor)).toEqual([
      'engagement/integrity: Trainee 1, “Fire exits”: skipped ahead 2 times.',
      'engagement/playlist_completed: Trainee 1 completed all of “Safety first”.',
      'engagement/video_completed: Trainee 1 completed “Fire exits”.',
      'engagement/video_unavailable: “Fire exits” of “Safety first” cannot be played. It is left out of what has to be watched.',
      'other/playlist_shared: Manager 1 shared “Safety first” with you.',
    ])
    expect(await messagesOf(trainee)).toEqual([
      'other/override_taken_back: Supervisor 1 made “Safety first” required again: “On leave”',
      'other/task_assigned: Supervisor 1 assigned “Safety first” to you. Note: “Before Friday, please.”',
      'other/task_due_soon: “Safety first” is due on 31 January 2027 at 17:00 (Europe/Berlin).',
      'other/task_exempted: Supervisor 1 exempted you from “Safety first”: “On leave”',
      'other/task_marked_done: Supervisor 1 marked “Safety first” as done by hand: “On leave”',
      'other/task_overdue: “Safety first” was due on 31 January 2027 at 17:00 (Europe/Berlin).',
      'other/task_recurred: “Safety first” is due again on 31 January 2027 at 17:00 (Europe/Berlin). Please watch it again.',
      'other/task_reminded: Supervisor 1 reminded you of “Safety first”.',
      'other/task_reset: Supervisor 1 reset “Safety first”, which starts from the beginning: “On leave”',
      'other/terms_changed: Supervisor 1 changed the terms of “Safety first”. Now: 95% needed, no skipping ahead. Reason: “New rule”',
    ])
    const dueText = '31 January 2027 at 17:00 (Europe/Berlin)'
    const dues = (await world.list(trainee)).notifications.flatMap(item => (item.due ? [[item.kind, item.due]] : []))
    expect(Object.fromEntries(dues)).toEqual({
      task_due_soon: { at: due.at, text: dueText },
      task_overdue: { at: due.at, text: dueText },
      task_recurred: { at: due.at, text: dueText },
    })
    expect(await messagesOf(manager)).toEqual([
      'engagement/video_unavailable: “Fire exits” of “Safety first” cannot be played. It is left out of what has to be watched.',
      'other/request_reviewed: Supervisor 1 is now one of your supervisors: “Approved by admin”',
    ])
    for (const notification of (await world.list(supervisor)).notifications)
      expect(notification).not.toHaveProperty('is_approved')
  })

  test('of changed terms and a changed due date notifies of both, and of neither twice', async () => {
    const [person, id] = [world.addPerson('user', { supervisor_id: supervisor.id }), newId()]
    const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'Europe/Berlin' }
    const change = {
      ...{ playlist_id: 'list', title: 'Safety first', by: supervisor.id, changed: [person.id], due },
      ...{ changed_at: '2027-01-01T16:00:00.000Z', conditions: null, changes_conditions: true },
    }
    for (const repeatedId of [id, id]) await world.publish('assignment.due_changed', change, { id: repeatedId })
    const messages = async () => (await world.list(person)).notifications.map(({ message }) => message).sort()
    const expected = [
      'Supervisor 1 changed the due date of “Safety first” to 31 January 2027 at 17:00 (Europe/Berlin).',
      'Supervisor 1 changed the terms of “Safety first”. Now: the usual terms.',
    ]
    await eventually(async () => expect(await messages()).toEqual(expected))
    await world.untilGrouped()
    expect(await messages()).toEqual(expected)
  })

  test('of a task because the groups of the person changed names nobody', async () => {
    const person = world.addPerson('user')
    const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'Europe/Berlin' }
    const change = {
      ...{ playlist_id: 'list', title: 'Safety first', by: null, changed: [person.id] },
      ...{ changed_at: '2027-01-01T16:00:00.000Z', conditions: null },
    }
    const messages = async () => (await world.list(person)).notifications.map(({ message }) => message).sort()
    await world.publish('assignment.due_changed', { ...change, due, changes_conditions: true })
    await eventually(async () =>
      expect(await messages()).toEqual([
        'Your groups changed, and so did the terms of “Safety first”. Now: the usual terms.',
        'Your groups changed. “Safety first” is due on 31 January 2027 at 17:00 (Europe/Berlin) now.',
      ]),
    )
    await world.publish('assignment.due_changed', { ...change, due: null })
    await eventually(async () => expect(await messages()).toContain('Due dates of your tasks changed 2 times.'))
    // Otherwise the supervisor would seem to have changed all of them.
    await world.publish('assignment.due_changed', { ...change, by: world.addPerson('supervisor').id, due: null })
    await eventually(async () => expect(await messages()).toContain('Due dates of your tasks changed 3 times.'))
  })

  test('of a whole playlist notifies the supervisor’s manager, too', async () => {
    const manager = world.addPerson('manager')
    const managed = world.addPerson('supervisor', { manager_id: manager.id })
    const member = world.addPerson('user', { name: 'Trainee 2', supervisor_id: managed.id })
    await world.publish('playlist.completed', { ...makeCompletion(member), video_id: undefined } as never)
    await world.publish('video.completed', makeCompletion(member))
    await world.untilGrouped()
    expect((await world.list(managed)).notifications).toHaveLength(2)
    const { notifications } = await world.list(manager)
    expect(notifications.map(({ message }) => message)).toEqual(['Trainee 2 completed all of “Safety first”.'])
  })

  test('of an earlier completion that counts for a new assignment is no news', async () => {
    const assigned = { assigned: [trainee.id], assigned_date: new Date().toISOString() }
    await world.publish('playlist.assigned', {
      ...{ playlist_id: 'list-1', title: 'Safety first', by: supervisor.id, ...assigned },
    })
    await world.untilGrouped()
    const { person_id, playlist_id, completed_at } = makeCompletion(trainee)
    const completion = { person_id, playlist_id, completed_at }
    await world.publish('playlist.completed', { ...completion, assigned_date: assigned.assigned_date })
    await world.untilGrouped()
    expect((await world.list(supervisor)).notifications).toEqual([])
    expect((await world.list(trainee)).unread_count).toBe(0)
    await world.publish('playlist.completed', completion)
    await world.untilGrouped()
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
  })

  test('of a completed task marks the news of it as read, and no other', async () => {
    for (const playlist_id of ['list-1', 'list-2'])
      for (const person of [trainee, world.addPerson('user', { supervisor_id: supervisor.id })]) {
        await world.publish('playlist.assigned', {
          playlist_id,
          title: 'Safety first',
          by: supervisor.id,
          assigned: [person.id],
          assigned_date: new Date().toISOString(),
        })
        await world.untilGrouped()
        world.clock.advance(limits.notificationGroupingMs + 1_000)
      }
    const before = (await world.callAs(trainee).get('/notifications')).headers.get('etag')
    await world.publish('playlist.completed', { ...makeCompletion(trainee), video_id: undefined } as never)
    const { notifications, unread_count } = await world.list(trainee)
    expect(notifications.map(({ playlist_id, is_read }) => [playlist_id, is_read])).toEqual([
      ['list-2', false],
      ['list-1', true],
    ])
    expect(unread_count).toBe(1)
    expect((await world.callAs(trainee).get('/notifications')).headers.get('etag')).not.toBe(before)
    expect(await world.collection('notifications').countDocuments({ kind: 'task_assigned', is_read: true })).toBe(1)
  })

  const task = { playlist_id: 'list-1', title: 'Safety first' }
  const remind = async (people: readonly string[]) => {
    await world.publish('task.due', { ...task, reason: 'due_soon', people: [...people], due })
    await world.publish('task.due', { ...task, reason: 'overdue', people: [...people], due })
    await world.publish('task.reminded', {
      ...task,
      ...{ by: supervisor.id, reminded: [...people], reminded_at: due.at },
    })
  }
  const override = (action: 'exempt' | 'mark_done') =>
    world.publish('assignment.overridden', {
      ...task,
      ...{ by: supervisor.id, changed: [trainee.id], action, reason: 'On leave', changed_at: due.at },
    })

  test.each([
    [
      'is completed',
      () => world.publish('playlist.completed', { ...makeCompletion(trainee), video_id: undefined } as never),
      [],
    ],
    ['is not required any more', () => override('exempt'), ['task_exempted']],
    ['is marked as done', () => override('mark_done'), ['task_marked_done']],
    [
      'is withdrawn',
      () =>
        world.publish('playlist.unassigned', { playlist_id: 'list-1', by: supervisor.id, unassigned: [trainee.id] }),
      [],
    ],
  ] as const)('marks every notification of a task as read that %s, and no other', async (_case, close, unread) => {
    const other = world.addPerson('user', { supervisor_id: supervisor.id })
    for (const person of [trainee, other]) addTask(person, 'list-1')
    await world.publish('playlist.assigned', {
      ...task,
      ...{ by: supervisor.id, assigned: [trainee.id, other.id], assigned_date: '2027-01-01T08:00:00.000Z' },
    })
    await remind([trainee.id, other.id])
    await world.untilGrouped()
    expect((await world.list(trainee)).unread_count).toBe(4)
    await close()
    await world.untilGrouped()
    const { notifications } = await world.list(trainee)
    expect(notifications.filter(({ is_read }) => !is_read).map(({ kind }) => kind)).toEqual(unread)
    expect((await world.list(other)).unread_count).toBe(4)
  })

  test('marks a notification of a completed task as read that is not grouped yet', async () => {
    const facts = {
      kind: 'task_assigned',
      people: [],
      happenings: 1,
      count: 1,
      playlist: { id: 'list-1', title: 'Safety first' },
    }
    await world.collection('happenings').insertOne({
      ...{ _id: newId() as never, recipient_id: trainee.id, kind: 'task_assigned', facts },
      at: new Date(world.clock.now() + 3600_000),
    })
    await world.publish('playlist.completed', { ...makeCompletion(trainee), video_id: undefined } as never)
    expect((await world.list(trainee)).notifications).toEqual([])
    world.clock.advance(2 * 3600_000)
    await world.untilGrouped()
    const { notifications, unread_count } = await world.list(trainee)
    expect(notifications).toMatchObject([{ kind: 'task_assigned', is_read: true }])
    expect(unread_count).toBe(0)
  })

  test('says of a task in its grace period until when it can be completed, and that it is overdue after that', async () => {
    const [early, late, both] = [1, 2, 3].map(() => world.addPerson('user', { supervisor_id: supervisor.id })) as [
      PersonSnapshot,
      PersonSnapshot,
      PersonSnapshot,
    ]
    for (const person of [early, late, both]) addTask(person, 'list-1')
    addTask(both, 'list-2')
    const inDays = (days: number) => new Date(world.clock.now() + days * 24 * 3600_000).toISOString()
    const grace = { local: '2027-02-03T17:00', time_zone: 'Europe/Berlin' }
    const publish = (people: PersonSnapshot[], at: string, playlist_id = 'list-1') =>
      world.publish('task.due', {
        ...{ playlist_id, title: 'Safety first', reason: 'overdue', people: people.map(({ id }) => id), due },
        grace_until: { ...grace, at },
      })
    await publish([early, both], inDays(2))
    await publish([both], inDays(2), 'list-2')
    await publish([late], inDays(-1))
    await world.untilGrouped()
    const listed = async (person: PersonSnapshot) => {
      const { notifications } = await world.list(person)
      return notifications.map(({ kind, title, message }) => [kind, title, message])
    }
    const dates = ['31 January 2027 at 17:00 (Europe/Berlin)', '3 February 2027 at 17:00 (Europe/Berlin)'] as const
    const sentence = `“Safety first” was due on ${dates[0]}. You can still complete it in time until ${dates[1]}.`
    expect(await listed(early)).toEqual([['task_in_grace', 'Task in its grace period', sentence]])
    expect((await world.list(early)).notifications[0]).toMatchObject({
      due: { at: due.at, text: dates[0] },
      grace_until: { at: inDays(2), text: dates[1] },
    })
    const overdue = `“Safety first” was due on ${dates[0]}.`
    expect(await listed(late)).toEqual([['task_overdue', 'Task overdue', overdue]])
    expect(await listed(both)).toEqual([
      [
        'task_in_grace',
        'Tasks in their grace period',
        'The due dates of 2 of your tasks have passed. You can still complete them within their grace periods.',
      ],
    ])
  })

  test('reminds nobody of a task that is closed or withdrawn by then, and everybody while its owner is away', async () => {
    const [completed, exempt, withdrawn, postponed, open] = Array.from({ length: 5 }, () =>
      world.addPerson('user', { supervisor_id: supervisor.id }),
    ) as [PersonSnapshot, PersonSnapshot, PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const everybody = [completed, exempt, withdrawn, postponed, open]
    for (const person of everybody) if (person !== withdrawn) addTask(person, 'list-1')
    const { assignments, completions } = world.owners
    completions.add(`${completed.id}:list-1`)
    const at = '2027-01-09T08:00:00.000Z'
    assignments.get(`${exempt.id}:list-1`)!.override = {
      ...{ value: { kind: 'exempt', by: supervisor.id, at, reason: 'On leave' }, changed_at: at },
    }
    assignments.get(`${postponed.id}:list-1`)!.due!.at = '2027-02-28T16:00:00.000Z'
    const ids = everybody.map(({ id }) => id)
    await remind(ids)
    await world.untilGrouped()
    const kindsOf = async (person: PersonSnapshot) =>
      (await world.list(person)).notifications.map(({ kind }) => kind).sort()
    expect(await kindsOf(open)).toEqual(['task_due_soon', 'task_overdue', 'task_reminded'])
    expect(await kindsOf(postponed)).toEqual(['task_reminded'])
    for (const person of [completed, exempt, withdrawn]) expect(await kindsOf(person)).toEqual([])

    world.owners.unavailable = true
    await world.publish('task.reminded', { ...task, by: supervisor.id, reminded: ids, reminded_at: due.at })
    world.owners.unavailable = false
    await world.untilGrouped()
    expect(await kindsOf(completed)).toEqual(['task_reminded'])
  })

  test('of a manager’s request notifies the administrators only', async () => {
    const admin = world.addPerson('admin')
    const manager = world.addPerson('manager', { name: 'Manager 1' })
    await world.publish('user.created', { person: admin, by: null })
    await eventually(async () => expect(await world.collection('people').countDocuments({ role: 'admin' })).toBe(1))
    await world.publish('supervisor_request.created', {
      request_id: 'r',
      manager_id: manager.id,
      supervisor_id: supervisor.id,
    })
    await world.untilGrouped()
    const { notifications } = await world.list(admin)
    expect(notifications).toMatchObject([
      { kind: 'supervisor_requested', message: 'Manager 1 requested Supervisor 1. Please review the request.' },
    ])
    for (const person of [manager, supervisor]) expect((await world.list(person)).notifications).toEqual([])
  })

  test('of a new manager notifies the supervisor, unless it is old', async () => {
    const manager = world.addPerson('manager', { name: 'Manager 1' })
    const managed = { ...supervisor, manager_id: manager.id, version: supervisor.version + 1 }
    const unmanaged = { ...supervisor, manager_id: null, version: supervisor.version + 2 }
    const readMessages = async () => (await world.list(supervisor)).notifications.map(({ message }) => message)
    await world.publish('user.manager_changed', { person: managed, by: 'admin', previous_manager_id: null })
    await eventually(async () =>
      expect(await readMessages()).toEqual([expect.stringContaining('Manager 1 is now your manager.')]),
    )
    await world.publish('user.manager_changed', { person: unmanaged, by: 'admin', previous_manager_id: manager.id })
    await world.publish('user.manager_changed', { person: managed, by: 'admin', previous_manager_id: null })
    await world.publish('video.completed', makeCompletion(trainee))
    await world.untilGrouped()
    const messages = await readMessages()
    expect(messages).toHaveLength(3)
    expect(messages).toContain('The Tasks Menu lists your own playlists again.')
  })

  test('of a trainee without a supervisor notifies nobody', async () => {
    const unsupervised = world.addPerson('user')
    await world.publish('video.completed', makeCompletion(unsupervised))
    await world.publish('video.completed', makeCompletion(trainee))
    await world.untilGrouped()
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
    expect(await world.collection('notifications').countDocuments()).toBe(1)
  })

  test('of a copied sign-in notifies its person once, with the network', async () => {
    const reuse = { sid: 'sid-1', person_id: trainee.id, network: '203.0.113.7' }
    for (let count = 0; count < 2; count += 1) await world.publish('session.token_reused', reuse, { id: 'reuse-1' })
    await world.untilGrouped()
    const { notifications } = await world.list(trainee)
    const found = notifications.filter(({ kind }) => kind === 'token_reused')
    expect(found).toMatchObject([
      {
        notification_type: 'other',
        title: 'A copied sign-in was ended',
        message: expect.stringMatching(
          /^Somebody used an old copy of your sign-in from 203\.0\.113\.7, so Watchline ended it/,
        ),
        count: 1,
      },
    ])
    expect((await world.list(supervisor)).notifications.some(({ kind }) => kind === 'token_reused')).toBe(false)
  })

  test.each([
    ['invited', 'invited another administrator'],
    ['joined', 'is now an administrator'],
    ['removed', 'is no longer an administrator'],
    ['second_factor_removed', 'removed a second factor of their sign-in'],
  ] as const)('of administrators (%s) notifies all others of them once', async (change, words) => {
    const [actor, person, other] = [world.addPerson('admin'), world.addPerson('admin'), world.addPerson('admin')]
    for (const admin of [actor, person, other]) await world.publish('user.created', { person: admin, by: null })
    await eventually(async () => expect(await world.collection('people').countDocuments({ role: 'admin' })).toBe(3))
    const data = { change, person_id: person.id, by: actor.id }
    for (let count = 0; count < 2; count += 1)
      await world.publish('administrators.changed', data, { id: `changed-${change}` })
    await world.untilGrouped()
    const kindsOf = async (one: PersonSnapshot) => (await world.list(one)).notifications.map(({ kind }) => kind)
    expect((await world.list(other)).notifications).toMatchObject([
      { kind: 'administrators_changed', message: `${person.name} ${words}.`, count: 1 },
    ])
    for (const one of [actor, person]) expect(await kindsOf(one)).toEqual([])
    expect(await kindsOf(trainee)).toEqual([])
  })

  test('with invalid data is skipped, and later events are processed', async () => {
    await world.publish('video.completed', { nonsense: true } as never).catch(() => {})
    await world.publish('video.completed', makeCompletion(trainee))
    await world.untilGrouped()
    expect((await world.list(supervisor)).notifications).toHaveLength(1)
  })
})

describe('reading', () => {
  test('marks own notifications, one or all, and leaves approvals pending', async () => {
    await world.publish('comment.added', makeComment(trainee))
    await world.publish('video.completed', makeCompletion(trainee))
    await world.untilGrouped()
    const { id } = await fetchPendingOf(supervisor)
    expect((await world.callAs(supervisor).post(`/notifications/${id}/read`)).json).toEqual({ success: true })
    expect((await world.callAs(supervisor).post(`/notifications/${id}/read`)).status).toBe(200)
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 1, pending_approvals: 1 })
    expect((await world.callAs(trainee).post(`/notifications/${id}/read`)).status).toBe(404)
    expect((await world.callAs(supervisor).post('/notifications/read-all')).json).toEqual({ success: true })
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 0, pending_approvals: 1 })
    expect((await world.callAs(trainee).post('/notifications/read-all')).status).toBe(200)
  })

  test('pages newest first, without gap or repeat while new ones arrive', async () => {
    for (let index = 0; index < 7; index += 1) {
      world.clock.advance(1_000)
      await world.publish('comment.added', makeComment(trainee, { text: String(index) }))
      await eventually(async () => expect((await world.list(supervisor)).pending_approvals).toBe(index + 1))
    }
    const texts: string[] = []
    let cursor: string | null = null
    do {
      const response = await world.callAs(supervisor).get(`/notifications?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      texts.push(...response.json.notifications.map(({ message }: { message: string }) => /“(\d)”$/.exec(message)![1]))
      cursor = response.headers.get('x-next-cursor')
      world.clock.advance(1_000)
      await world.publish('comment.added', makeComment(trainee, { text: '9' }))
    } while (cursor)
    expect(texts).toEqual(['6', '5', '4', '3', '2', '1', '0'])
    expect((await world.callAs(supervisor).get('/notifications?cursor=not-a-cursor')).status).toBe(422)
  })

  test('can list pending approvals only, also older ones than other notifications', async () => {
    for (const text of ['first', 'second', 'third']) {
      world.clock.advance(1_000)
      await world.publish('comment.added', makeComment(trainee, { text }))
      await eventually(async () => expect((await world.list(supervisor)).notifications[0]?.comment).toBe(text))
    }
    world.clock.advance(1_000)
    await world.publish('video.completed', makeCompletion(trainee))
    await eventually(async () => expect((await world.list(supervisor)).unread_count).toBe(4))
    const [newest] = (await world.list(supervisor, '/notifications?limit=1&waiting=true')).notifications
    expect(newest!.comment).toBe('third')
    await reviewAs(supervisor, newest!.id, 'approve')
    const first = await world.callAs(supervisor).get('/notifications?limit=1&waiting=true')
    expect(first.json).toMatchObject({ notifications: [{ comment: 'second' }], unread_count: 3, pending_approvals: 2 })
    const cursor = first.headers.get('x-next-cursor')
    const last = await world.callAs(supervisor).get(`/notifications?limit=1&waiting=true&cursor=${cursor}`)
    expect(last.json.notifications).toMatchObject([{ comment: 'first' }])
    expect(last.headers.get('x-next-cursor')).toBeNull()
    expect((await world.callAs(supervisor).get('/notifications?waiting=maybe')).status).toBe(422)
  })

  test('answers an unchanged list with 304, until a notification is added, read or answered', async () => {
    const fetchEtag = async () => {
      // The relay bumps the version once more after the commit. Afterwards only a change bumps it.
      await world.untilRelayed()
      return (await world.callAs(supervisor).get('/notifications')).headers.get('etag')!
    }
    const poll = async (etag: string) =>
      (await world.callAs(supervisor).get('/notifications', { 'if-none-match': etag })).status
    let etag = await fetchEtag()
    expect(await poll(etag)).toBe(304)
    await world.publish('comment.added', makeComment(trainee))
    await eventually(async () => expect(await poll(etag)).toBe(200))
    const { id } = await fetchPendingOf(supervisor)
    etag = await fetchEtag()
    expect(await poll(etag)).toBe(304)
    await world.callAs(supervisor).post(`/notifications/${id}/read`)
    expect(await poll(etag)).toBe(200)
    etag = await fetchEtag()
    await reviewAs(supervisor, id, 'approve')
    expect(await poll(etag)).toBe(200)
  })

  test('needs a session', async () => {
    const anonymous = apiClient(world.urls[0]!)
    for (const [method, path] of [
      ['GET', '/notifications'],
      ['POST', '/notifications/x/approve'],
      ['POST', '/notifications/x/read'],
      ['POST', '/notifications/read-all'],
    ] as const)
      expect((await anonymous.call(method, path, method === 'POST' ? {} : undefined)).status).toBe(401)
  })
})

test('a person reads how many notifications are stored for them', async () => {
  const countOf = async (person: PersonSnapshot) =>
    (await world.callAs(person).get('/notifications/record')).json.notifications
  expect(await countOf(supervisor)).toBe(0)
  await world.publish('comment.added', makeComment(trainee))
  await fetchPending({ world }, supervisor)
  expect([await countOf(supervisor), await countOf(trainee)]).toEqual([1, 0])
})
