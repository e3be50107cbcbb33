import { expect, test } from '@jest/globals'
import type { Logger } from '@watchline/kit/observability/log'
import { createMetrics } from '@watchline/kit/observability/metrics'
import type { MailDeps } from '../src/context.ts'
import { createMailSending } from '../src/jobs/send-mails.ts'
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
    const invitation = await world.callAs(admin).post('/notifications/mail/admin-invitation', { token: 't' })
    expect([invitation.status, invitation.json.code]).toEqual([503, 'mail_not_configured'])
  } finally {
    await world.stop()
  }
})

test('a choice of a time zone, which wakes the sending of mails, causes no warning without a mail server', async () => {
  const warnings: unknown[] = []
  const log = { warn: (fields: unknown) => void warnings.push(fields) } as unknown as Logger
  const deps = { clock: { now: () => 0 }, mail: undefined } as MailDeps
  const sending = createMailSending(deps, { live: { counters: {} as never }, log, metrics: createMetrics('test') })
  sending.wake()
  await sending.stop()
  expect(warnings).toEqual([])
})
