import { expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import { decodeQuotedPrintable } from '../_mail-server.ts'
import { makeComment, type NotificationWorld } from '../_util.ts'
import { list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
const { addTrainee, remind, receivedBy, storedFor, eventually } = setUpMailTests(started => {
  world = started.world
})

test('only what a person chose goes by mail, and one click ends it', async () => {
  const trainee = addTrainee()
  const by = world.addPerson('supervisor')
  const assign = () =>
    world.publish('playlist.assigned', {
      ...{ playlist_id: list, title: 'Safety first', by: by.id, assigned: [trainee.id] },
      assigned_date: '2027-01-01T08:00:00.000Z',
    })
  await assign()
  await world.untilGrouped()
  expect(await storedFor(trainee)).toBeNull()
  expect((await world.callAs(trainee).get('/notifications/mail/choices')).json).toEqual({
    ...{
      is_available: true,
      address: trainee.email,
      kinds: ['task_reminded', 'task_escalated', 'saved_report'],
      ...{ language: null, default_language: 'en', languages: [], time_zone: null, organisation_time_zone: 'UTC' },
    },
  })
  const choose = (kinds: string[]) => world.callAs(trainee).put('/notifications/mail/choices', { kinds })
  expect((await choose(['video_watched'])).status).toBe(422)
  expect((await choose(['task_assigned'])).status).toBe(200)
  await assign()
  await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))

  const [, address] = /^<http:\/\/watchline.example\/api(.*)>$/.exec(
    receivedBy(trainee)[0]!.header('List-Unsubscribe')!,
  )!
  const anonymous = apiClient(world.urls[0]!)
  const opened = await anonymous.get(address!)
  expect([opened.status, opened.headers.get('location')]).toEqual([
    302,
    address!.replace('/notifications/unsubscribe?', '/?page=unsubscribe#'),
  ])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string) => anonymous.post(path, 'List-Unsubscribe=One-Click', form)
  expect(receivedBy(trainee)[0]!.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
  const forged = await post(address!.replace('task_assigned', 'task_reminded'))
  expect([forged.status, forged.json.code]).toEqual([400, 'invalid_unsubscribe_token'])
  expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.kinds).toEqual(['task_assigned'])
  for (let time = 1; time <= 2; time += 1)
    expect((await post(address!)).json).toEqual({ success: true, kind: 'task_assigned' })
  expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.kinds).toEqual([])
  // A mail that waited is not sent after the choice, and reminders of due dates cannot be ended.
  await choose(['task_assigned'])
  world.owners.unavailable = true
  await assign()
  // An attempt has found no owner. Before it, the mail could go as soon as there is one.
  const postponed = { recipient_id: trainee.id, state: 'waiting', next_at: { $gt: new Date(world.clock.now()) } }
  await eventually(async () => expect(await world.collection('mails').countDocuments(postponed)).toBe(1))
  world.owners.unavailable = false
  await choose([])
  await remind([trainee])
  await eventually(async () => {
    const stored = await world.collection('mails').find({ recipient_id: trainee.id }).toArray()
    // An attempt under way would lose its claim.
    if (stored.every(({ state }) => state !== 'sending')) world.clock.advance(60_000)
    expect(stored.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      'task_assigned cancelled',
      'task_assigned sent',
      'task_overdue sent',
    ])
  })
})

test('a review goes by mail if its author chose that', async () => {
  const supervisor = world.addPerson('supervisor')
  const trainee = world.addPerson('user', { email_verified: true, supervisor_id: supervisor.id })
  await world.callAs(trainee).put('/notifications/mail/choices', { kinds: ['comment_reviewed'] })
  await world.publish('comment.added', makeComment(trainee))
  const { notifications } = await eventually(async () => {
    const page = await world.list(supervisor)
    expect(page.pending_approvals).toBe(1)
    return page
  })
  await world.callAs(supervisor).post(`/notifications/${notifications[0]!.id}/approve`, { action: 'approve' })
  await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
  expect(decodeQuotedPrintable(receivedBy(trainee)[0]!.content)).toContain('video_id=film-1&t=75')
})

test('the decision on a request goes by mail if its manager chose that', async () => {
  const manager = world.addPerson('manager', { email_verified: true })
  const supervisor = world.addPerson('supervisor', { name: 'Supervisor 7' })
  await world.callAs(manager).put('/notifications/mail/choices', { kinds: ['request_reviewed'] })
  const decision = { request_id: 'request', manager_id: manager.id, supervisor_id: supervisor.id, by: 'admin' }
  await world.publish('supervisor_request.reviewed', { ...decision, approved: true, comment: 'From Monday on' })
  await eventually(() => expect(receivedBy(manager)).toHaveLength(1))
  expect(decodeQuotedPrintable(receivedBy(manager)[0]!.content)).toContain(
    'Supervisor 7 is now one of your supervisors',
  )
})
