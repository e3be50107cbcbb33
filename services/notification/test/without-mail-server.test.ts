import { expect, test } from '@jest/globals'
import { startNotifications } from './_util.ts'

test('without a mail server nothing is promised, stored or sent', async () => {
  const world = await startNotifications()
  try {
    const [trainee, admin] = [world.addPerson('user', { email_verified: true }), world.addPerson('admin')]
    const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'UTC' }
    const task = { playlist_id: 'list-1', title: 'Safety', reason: 'overdue' as const, people: [trainee.id], due }
    await world.publish('task.due', task)
    await world.untilGrouped()
    expect(await world.collection('mails').countDocuments({})).toBe(0)
    expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.is_available).toBe(false)
    expect((await world.callAs(admin).get('/notifications/mail/status')).json.is_available).toBe(false)
    const answer = await world.callAs(admin).post('/notifications/mail/test', {})
    expect([answer.status, answer.json.code]).toEqual([503, 'mail_not_configured'])
  } finally {
    await world.stop()
  }
})
