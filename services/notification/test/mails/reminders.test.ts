import { describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { decodeQuotedPrintable, type TestMailServer } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { due, list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, remind, receivedBy, storedFor, untilState } = setUpMailTests(started => {
  ;({ world, server } = started)
})

/** Later than the clock of the tests. */
const laterDue = { at: '2099-01-31T16:00:00.000Z', local: '2099-01-31T17:00', time_zone: 'Europe/Berlin' }

describe('a reminder', () => {
  test('goes to a confirmed address once, in words, with a link and the way to end it', async () => {
    const trainee = addTrainee({ name: 'Trainee 1' })
    await remind([trainee])
    await untilState(trainee, 'sent')
    const [mail] = receivedBy(trainee)
    expect(mail!.header('Subject')).toBe('Task overdue: Safety first')
    expect(mail!.header('To')).toBe(trainee.email)
    expect(mail!.header('From')).toBe('Watchline <watchline@watchline.example>')
    expect(mail!.header('Message-ID')).toBe(`<${(await storedFor(trainee))!._id}@watchline.example>`)
    expect(mail!.header('List-Unsubscribe')).toBeUndefined()
    const text = decodeQuotedPrintable(mail!.content)
    expect(text).toContain('“Safety first” was due on 31 January 2027 at 17:00 (Europe/Berlin).')
    expect(text).toContain(`http://watchline.example/dashboard?session=${list}`)
    expect(text).toContain('because the task is assigned to you')
    expect(text).toContain('<html lang="en">')
    expect(await storedFor(trainee)).not.toHaveProperty('facts')
  })

  test('of a task in its grace period says until when the task can be completed', async () => {
    const trainee = addTrainee()
    const at = new Date(world.clock.now() + 2 * 24 * 3_600_000).toISOString()
    await world.publish('task.due', {
      ...{ playlist_id: list, title: 'Safety first', reason: 'overdue', people: [trainee.id], due },
      grace_until: { at, local: '2027-02-03T17:00', time_zone: 'Europe/Berlin' },
    })
    await untilState(trainee, 'sent')
    const [mail] = receivedBy(trainee)
    expect(mail!.header('Subject')).toBe('Task in its grace period: Safety first')
    expect(mail!.header('List-Unsubscribe')).toBeUndefined()
    const text = decodeQuotedPrintable(mail!.content)
    expect(text).toContain(
      '“Safety first” was due on 31 January 2027 at 17:00 (Europe/Berlin). You can still complete it in time until 3 February 2027 at 17:00 (Europe/Berlin).',
    )
    expect(text).toContain(`http://watchline.example/dashboard?session=${list}`)
    expect(text).toContain('because the task is assigned to you')
    expect(text).toContain('Reminders of due dates cannot be turned off.')
    const data = (await world.callAs(trainee).get('/notifications/record/data')).text.trim().split('\n')
    const mails = data.map(line => JSON.parse(line)).filter(({ kind }) => kind === 'mails')
    expect(mails).toMatchObject([{ data: { kind: 'task_in_grace', state: 'sent' } }])
    // A version that does not know the kind can send it, too.
    expect(await storedFor(trainee)).toMatchObject({ kind: 'task_overdue' })
  })

  test('brings the due date for the person’s calendar while it is still to come', async () => {
    const trainee = addTrainee()
    const content = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'
    world.owners.calendars.set(`${trainee.id}:${list}`, content)
    world.owners.assignments.get(`${trainee.id}:${list}`)!.due!.at = laterDue.at
    await world.publish('task.due', {
      ...{ playlist_id: list, title: 'Safety first', reason: 'due_soon', people: [trainee.id], due: laterDue },
    })
    await untilState(trainee, 'sent')
    const mail = receivedBy(trainee)[0]!.content
    expect(mail).toContain('Content-Type: text/calendar; charset=utf-8; name=due-date.ics')
    expect(mail).toContain('Content-Disposition: attachment; filename=due-date.ics')
    expect(mail).toContain(Buffer.from(content).toString('base64'))
    const other = addTrainee()
    world.owners.calendars.set(`${other.id}:${list}`, content)
    await remind([other])
    await untilState(other, 'sent')
    expect(receivedBy(other)[0]!.content).not.toContain('text/calendar')
  })

  test('of a new task brings its due date for the calendar, and is not sent after a change of it', async () => {
    const [trainee, other, undated] = [addTrainee(), addTrainee(), addTrainee()]
    const note = 'Before your first day:\nplease watch it.'
    const assign = (people: PersonSnapshot[], due: typeof laterDue | null) =>
      world.publish('playlist.assigned', {
        note,
        ...{ playlist_id: list, title: 'Safety first', by: 'supervisor', assigned: people.map(({ id }) => id) },
        ...{ assigned_date: '2027-01-01T08:00:00.000Z', due },
      })
    const content = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'
    for (const person of [trainee, other, undated]) {
      await world.callAs(person).put('/notifications/mail/choices', { kinds: ['task_assigned'] })
      world.owners.calendars.set(`${person.id}:${list}`, content)
    }
    world.owners.assignments.get(`${trainee.id}:${list}`)!.due!.at = laterDue.at
    await assign([trainee, other], laterDue)
    await assign([undated], null)
    await untilState(trainee, 'sent')
    expect(receivedBy(trainee)[0]!.content).toContain('Content-Type: text/calendar; charset=utf-8; name=due-date.ics')
    expect((await untilState(other, 'cancelled')).explanation).toBe('The due date was changed.')
    await untilState(undated, 'sent')
    expect(receivedBy(undated)[0]!.content).not.toContain('text/calendar')
    expect(decodeQuotedPrintable(receivedBy(undated)[0]!.content)).toContain(
      'to you. Note: “Before your first day: please watch it.”',
    )
  })

  test('is in the person’s own data, with the choice of mails and a bounce', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { toRecipient: '550 5.1.1 no such mailbox' })
    await remind([trainee])
    await untilState(trainee, 'failed')
    await world.callAs(trainee).put('/notifications/mail/choices', { kinds: ['comment_reviewed'] })
    const lines = (await world.callAs(trainee).get('/notifications/record/data')).text.trim().split('\n')
    const parts = lines.map(line => JSON.parse(line) as { kind: string; data?: unknown })
    const dataOf = (kind: string) => parts.find(part => part.kind === kind)?.data
    expect(dataOf('mails')).toMatchObject({ kind: 'task_overdue', state: 'failed' })
    expect(dataOf('mail_choices')).toMatchObject({ comment_reviewed: true, task_reminded: false })
    expect(dataOf('bounces')).toMatchObject({ address: trainee.email })
    server.faults.clear()
  })
  test.each([
    ['a recurrence', 'assignment.recurred'],
    ['a reset', 'task.reminded'],
  ] as const)('after %s is sent although engagement still has the completion before it', async (_case, type) => {
    const [trainee, other] = [addTrainee(), addTrainee()]
    const resetAt = '2027-01-01T09:00:00.000Z'
    for (const person of [trainee, other]) {
      const { id } = person
      await world.callAs(person).put('/notifications/mail/choices', { kinds: ['task_recurred', 'task_reminded'] })
      world.owners.completions.add(`${id}:${list}`)
      world.owners.assignments.get(`${id}:${list}`)!.reset_at = resetAt
    }
    world.owners.appliedResets.set(`${trainee.id}:${list}`, '2026-12-01T09:00:00.000Z')
    world.owners.appliedResets.set(`${other.id}:${list}`, resetAt)
    const people = [trainee.id, other.id]
    if (type === 'task.reminded')
      await world.publish(type, {
        ...{ playlist_id: list, title: 'Safety first', by: 'supervisor', reminded: people, reminded_at: resetAt },
      })
    else
      await world.publish(type, {
        ...{ playlist_id: list, title: 'Safety first', people, due, previous_due: due, skipped: [] },
        ...{
          recurrence: { interval: 1, unit: 'week', from: 'due_date', first_due: due.local, opens_days_before: 1 },
          recurred_at: resetAt,
        },
      })
    await untilState(trainee, 'sent')
    expect((await untilState(other, 'cancelled')).explanation).toBe('The task is completed.')
  })

  test('cannot add headers or recipients by its title or name', async () => {
    const trainee = addTrainee({ name: 'Trainee\r\nBcc: other@mail.example' })
    await remind([trainee], { title: 'Safety\r\nBcc: other@mail.example\r\n\r\nbody' })
    await untilState(trainee, 'sent')
    const [mail] = receivedBy(trainee)
    expect(mail!.header('Bcc')).toBeUndefined()
    expect(mail!.header('Subject')).toContain('Safety Bcc: other@mail.example body')
    expect(server.received.map(({ address }) => address)).not.toContain('other@mail.example')
  })
})

test('a changed due date is told with its reason, in the product and by mail', async () => {
  const [dated, undated] = [addTrainee(), addTrainee()]
  const by = world.addPerson('supervisor', { name: 'Supervisor 1' })
  for (const person of [dated, undated])
    await world.callAs(person).put('/notifications/mail/choices', { kinds: ['due_date_changed'] })
  const change = { playlist_id: list, title: 'Safety first', by: by.id, changed_at: '2027-01-01T16:00:00.000Z' }
  await world.publish('assignment.due_changed', { ...change, changed: [dated.id], due, reason: 'Longer sick leave' })
  await world.publish('assignment.due_changed', { ...change, changed: [undated.id], due: null, reason: 'On leave' })
  for (const [person, message] of [
    [dated, 'to 31 January 2027 at 17:00 (Europe/Berlin): “Longer sick leave”'],
    [undated, 'Supervisor 1 removed the due date of “Safety first”: “On leave”'],
  ] as const) {
    await untilState(person, 'sent')
    expect(decodeQuotedPrintable(receivedBy(person)[0]!.content)).toContain(message)
    await world.untilGrouped()
    expect((await world.list(person)).notifications[0]!.message).toContain(message)
  }
})
