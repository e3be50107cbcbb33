import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { OverrideKind } from '@watchline/contracts/fields'
import { limits } from '@watchline/contracts/limits'
import { mailKind } from '@watchline/contracts/mail'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import { createDatabase, ensureIndexes, inTransaction, newId, openDatabase } from '@watchline/kit/mongo/database'
import { apiClient } from '@watchline/testing/api-client'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually as eventuallyUnaided } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { holdReminderIfQuiet } from '../src/actions/hold-reminder.ts'
import { createGroup } from '../src/rules/activity.ts'
import { retryDelayAfter } from '../src/rules/mail-retry.ts'
import { defaultWordings } from '../src/rules/mail-wording.ts'
import { defaultReminderSettings } from '../src/rules/quiet-times.ts'
import { createNotificationService, type NotificationService } from '../src/service.ts'
import { claimMs, createMailStore } from '../src/store/mails.ts'
import { eventuallyIn, startMailWorld, type TestMailServer } from './_mail-server.ts'
import { makeComment, type NotificationWorld, startNotifications } from './_util.ts'

const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'Europe/Berlin' }
const list = 'list-1'
/** Later than the clock of the tests. */
const laterDue = { at: '2099-01-31T16:00:00.000Z', local: '2099-01-31T17:00', time_zone: 'Europe/Berlin' }

let server: TestMailServer
let world: NotificationWorld
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ server, world, stop } = await startMailWorld())
})
afterAll(() => stop())
const eventually = <T>(check: () => Promise<T> | T) => eventuallyIn(world, check)

/** A trainee with an open task that is due. */
function addTrainee(fields: Partial<PersonSnapshot> = {}): PersonSnapshot {
  const person = world.addPerson('user', { email_verified: true, ...fields })
  world.owners.assignments.set(`${person.id}:${list}`, {
    person_id: person.id,
    playlist_id: list,
    assigned_date: '2027-01-01T08:00:00.000Z',
    due: { at: due.at, changed_at: '2027-01-01T08:00:00.000Z' },
  })
  return person
}

function override(person: PersonSnapshot, kind: OverrideKind): void {
  const at = '2027-01-02T08:00:00.000Z'
  const value = { kind, by: 'supervisor', at, reason: 'parental leave' }
  world.owners.assignments.get(`${person.id}:${list}`)!.override = { value, changed_at: at }
}

function remind(people: readonly PersonSnapshot[], fields: { reason?: 'due_soon' | 'overdue'; title?: string } = {}) {
  const { reason = 'overdue', title = 'Safety first' } = fields
  return world.publish('task.due', { playlist_id: list, title, reason, people: people.map(({ id }) => id), due })
}

const receivedBy = ({ email }: { email: string }) => server.received.filter(({ address }) => address === email)
const storedFor = (person: { id: string }) => world.collection('mails').findOne({ recipient_id: person.id })
const untilState = (person: { id: string }, state: string) =>
  eventually(async () => {
    const mail = await storedFor(person)
    expect(mail?.state).toBe(state)
    return mail!
  })

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
    [
      'is completed a moment before',
      async (person: PersonSnapshot) => void world.owners.completions.add(`${person.id}:${list}`),
    ],
    ['is withdrawn', async (person: PersonSnapshot) => void world.owners.assignments.delete(`${person.id}:${list}`)],
    [
      'has another due date',
      async (person: PersonSnapshot) => {
        world.owners.assignments.get(`${person.id}:${list}`)!.due!.at = '2027-02-28T16:00:00.000Z'
      },
    ],
    [
      'is of a deactivated person',
      async (person: PersonSnapshot) =>
        void world.owners.changePerson(person, { deactivated_at: '2027-01-01T08:00:00.000Z' }),
    ],
    [
      'is of a person with an address that nobody has confirmed',
      async (person: PersonSnapshot) => void world.owners.changePerson(person, { email_verified: false }),
    ],
    ['is not required any more', async (person: PersonSnapshot) => override(person, 'exempt')],
    ['is marked as done', async (person: PersonSnapshot) => override(person, 'marked_done')],
  ])('of a task is not sent if the task %s', async (_case, change) => {
    const [trainee, other] = [addTrainee(), addTrainee()]
    // The service gets to know the person, who calls it below.
    await world.callAs(trainee).get('/notifications/mail/choices')
    // The owners do not answer, so both mails wait until the change has happened.
    world.owners.unavailable = true
    await remind([trainee, other])
    for (const person of [trainee, other]) await eventually(async () => expect(await storedFor(person)).not.toBeNull())
    await change(trainee)
    world.owners.unavailable = false
    await eventually(async () => {
      const states = [(await storedFor(other))?.state, (await storedFor(trainee))?.state]
      // An attempt that the owners did not answer waits for the clock.
      if (states.includes('waiting')) world.clock.advance(60_000)
      expect(states).toEqual(['sent', 'cancelled'])
    })
    expect(receivedBy(trainee)).toEqual([])
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

  test('is not sent as “due soon” when its due date has passed', async () => {
    const trainee = addTrainee()
    world.clock.advance(Date.parse(due.at) - world.clock.now() + 1)
    await remind([trainee], { reason: 'due_soon' })
    expect((await untilState(trainee, 'cancelled')).explanation).toBe('The due date has passed.')
  })

  test('is not sent if its task is completed while the mail server is slow', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { isSlow: true })
    await remind([trainee])
    await eventually(() => expect(server.attempts(trainee.email)).toBe(1))
    world.owners.completions.add(`${trainee.id}:${list}`)
    world.clock.advance(2_000)
    server.release()
    expect((await untilState(trainee, 'cancelled')).explanation).toBe('The task is completed.')
    expect(receivedBy(trainee)).toEqual([])
    server.faults.clear()
  })

  test('leaves nothing after an erasure, and is not sent any more', async () => {
    const trainee = addTrainee()
    world.owners.unavailable = true
    await remind([trainee])
    await eventually(async () => expect(await storedFor(trainee)).not.toBeNull())
    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () => expect(await storedFor(trainee)).toBeNull())
    world.owners.unavailable = false
    const next = addTrainee()
    await remind([next])
    await eventually(async () => {
      const mail = await storedFor(next)
      // The attempt that the owners did not answer may end only now, and pauses the process.
      if (mail?.state === 'waiting') world.clock.advance(60_000)
      expect(mail?.state).toBe('sent')
    })
    expect(receivedBy(trainee)).toEqual([])
  })

  test('to an address that nobody has confirmed is counted for administrators', async () => {
    const unverified = addTrainee({ email_verified: false })
    const admin = world.addPerson('admin')
    const counts = async () => (await world.callAs(admin).get('/notifications/mail/status')).json.counts
    const before = (await counts()).unverified
    await remind([unverified])
    await untilState(unverified, 'cancelled')
    expect((await counts()).unverified).toBe(before + 1)
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

describe('a mail server', () => {
  test('that refuses an address for good fails the mail at once, and gets no further mail for it', async () => {
    const trainee = addTrainee()
    const admin = world.addPerson('admin')
    server.faults.set(trainee.email, { toRecipient: '550 5.1.1 no such mailbox' })
    await remind([trainee])
    expect((await untilState(trainee, 'failed')).explanation).toContain('no such mailbox')
    const status = (await world.callAs(admin).get('/notifications/mail/status')).json
    expect(status.latest_failures[0]).toMatchObject({ person_id: trainee.id, kind: 'task_overdue' })
    expect(status.bounces[0]).toMatchObject({ person_id: trainee.id, address: trainee.email })
    expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.address_problem).toBe('bouncing')

    await remind([trainee], { title: 'Another' })
    await eventually(async () =>
      expect(await world.collection('mails').countDocuments({ recipient_id: trainee.id, state: 'cancelled' })).toBe(1),
    )
    expect(server.attempts(trainee.email)).toBe(1)
    server.faults.clear()
    const clear = () => world.callAs(admin).delete(`/notifications/mail/bounces/${trainee.id}`)
    expect([(await clear()).status, (await clear()).status]).toEqual([200, 404])
    await remind([trainee], { title: 'A third' })
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
  })

  test.each([
    ['refuses for now', { toRecipient: '450 4.2.0 try later' }],
    ['refuses the content for now', { toContent: '451 4.3.0 try later' }],
  ])('that %s gets the mail again after a while', async (_case, fault) => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, fault)
    await remind([trainee])
    await eventually(async () => expect((await storedFor(trainee))?.explanation).toContain('try later'))
    expect(await untilState(trainee, 'waiting')).toMatchObject({ attempts: 1 })
    server.faults.clear()
    world.clock.advance(60_000)
    await untilState(trainee, 'sent')
    expect(receivedBy(trainee)).toHaveLength(1)
  })

  test('that is away takes no mail’s attempts, and gets all mails when it is back, but none after three days', async () => {
    server.isDown = true
    const late = addTrainee()
    await remind([late])
    await eventually(async () => expect(await storedFor(late)).not.toBeNull())
    world.clock.advance(2 * 24 * 3_600_000)
    const people: PersonSnapshot[] = []
    const before = server.connections()
    await eventually(async () => {
      // Longer than any pause. The new mail makes the process look at once.
      world.clock.advance(60_000)
      people.push(addTrainee())
      await remind(people.slice(-1))
      expect(server.connections()).toBeGreaterThan(before + limits.mailAttempts)
    })
    // An attempt under way has compared the age of its mail already.
    await untilState(late, 'waiting')
    world.clock.advance(25 * 3_600_000)
    server.isDown = false
    await eventually(async () => {
      // An attempt that ended after the server came back pauses the process once more.
      world.clock.advance(1_000)
      for (const person of people) expect((await storedFor(person))?.state).toBe('sent')
    })
    expect((await untilState(late, 'failed')).explanation).toBe('It could not be sent for three days.')
    expect(receivedBy(late)).toEqual([])
  })

  test.each([['550 5.7.1 not permitted'], ['554 Transaction failed'], ['550 Blocked']])(
    'that refuses everything with “%s” is asked again, and the address stays',
    async toRecipient => {
      const trainee = addTrainee()
      server.faults.set(trainee.email, { toRecipient })
      await remind([trainee])
      await eventually(async () =>
        expect(await storedFor(trainee)).toMatchObject({ attempts: 1, state: 'waiting', explanation: toRecipient }),
      )
      server.faults.clear()
      world.clock.advance(retryDelayAfter(1)!)
      await untilState(trainee, 'sent')
    },
  )

  test('that refuses a mail for a full mailbox gets the next one', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { toRecipient: '552 5.2.2 mailbox full' })
    await remind([trainee])
    await untilState(trainee, 'failed')
    server.faults.clear()
    await remind([trainee], { title: 'Another' })
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
  })

  test('that never accepts a mail is asked a bounded number of times', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { toRecipient: '450 4.2.0 try later' })
    await remind([trainee])
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await eventually(async () => expect(await storedFor(trainee)).toMatchObject({ attempts, state: 'waiting' }))
      world.clock.advance(retryDelayAfter(attempts)!)
    }
    await untilState(trainee, 'failed')
    expect(server.attempts(trainee.email)).toBe(10)
  })

  test.each([
    ['without an answer', { cutsAfterContent: true }],
    ['within its answer', { cutsWithinAnswer: true }],
  ])('that dies %s leaves the mail unknown, and gets it again with the same id', async (_case, fault) => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, fault)
    await remind([trainee])
    await untilState(trainee, 'unknown')
    server.faults.clear()
    world.clock.advance(29 * 60_000)
    const other = addTrainee()
    await remind([other])
    await untilState(other, 'sent')
    expect(receivedBy(trainee)).toHaveLength(1)
    world.clock.advance(60_000)
    await untilState(trainee, 'sent')
    const ids = receivedBy(trainee).map(mail => mail.header('Message-ID'))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('that is slow holds up no other mail, and gets at most five at once', async () => {
    const slow = addTrainee()
    server.faults.set(slow.email, { isSilent: true })
    await remind([slow])
    await eventually(() => expect(receivedBy(slow)).toHaveLength(1))
    const others = Array.from({ length: 12 }, () => addTrainee())
    await remind(others)
    for (const other of others) await untilState(other, 'sent')
    expect((await storedFor(slow))!.state).toBe('sending')
    server.release()
    await untilState(slow, 'sent')
    expect(server.mostConnections()).toBeLessThanOrEqual(5)
    for (const person of [slow, ...others]) expect(receivedBy(person)).toHaveLength(1)
  })
})

test('of two replicas one sends each mail, and an expired claim of a dead one is taken over', async () => {
  const replica = createNotificationService(world.config, await world.otherPorts())
  await replica.start()
  world.running.push(replica)
  const people = Array.from({ length: 30 }, () => addTrainee())
  await remind(people)
  for (const person of people) await untilState(person, 'sent')
  for (const person of people) expect(receivedBy(person)).toHaveLength(1)

  const [abandoned, offered] = [addTrainee(), addTrainee()]
  const template = { kind: 'task_overdue', facts: { kind: 'task_overdue', people: [], count: 1, happenings: 1 } }
  const claimed = { state: 'sending', claim: 'of a dead process', attempts: 1, next_at: new Date(world.clock.now()) }
  const mails = world.collection('mails')
  const rowOf = ({ id }: PersonSnapshot) => ({
    _id: newId() as never,
    recipient_id: id,
    created_at: new Date(world.clock.now()),
  })
  await mails.insertMany([
    { ...rowOf(abandoned), ...template, ...claimed },
    { ...rowOf(offered), ...template, ...claimed, offered_at: new Date() },
  ])
  await untilState(abandoned, 'sent')
  await untilState(offered, 'unknown')
  expect(receivedBy(offered)).toEqual([])
})

describe('words of an administrator', () => {
  const own = { subject: 'Bitte {task} ansehen', text: 'Guten Tag {name},\n\n{link}', link_label: 'Zur Aufgabe' }
  const path = '/notifications/mail/wordings/task_overdue'
  const findWording = async (admin: PersonSnapshot) =>
    (await world.callAs(admin).get('/notifications/mail/wordings')).json.find(
      (wording: { kind: string }) => wording.kind === 'task_overdue',
    )

  test('are in the next mail, in the audit log, and end with the default words', async () => {
    const admin = world.addPerson('admin', { name: 'Admin One' })
    const save = (body: object) => world.callAs(admin).put(path, body)
    const { version, subject } = await findWording(admin)
    expect((await save({ wording: own, version })).json).toMatchObject({
      ...{ ...own, kind: 'task_overdue', is_default: false, version: version + 1, updated_by: 'Admin One' },
    })
    const trainee = addTrainee({ name: 'Trainee 1' })
    await remind([trainee])
    await untilState(trainee, 'sent')
    const text = decodeQuotedPrintable(receivedBy(trainee)[0]!.content)
    expect(receivedBy(trainee)[0]!.header('Subject')).toBe('Bitte Safety first ansehen')
    expect(text).toContain('Guten Tag Trainee 1,')
    expect(text).toContain('Zur Aufgabe:')
    expect(text).toContain('Reminders of due dates cannot be turned off.')

    // The same call twice, and one of an administrator who saw the earlier version.
    const late = await Promise.all([save({ wording: own, version }), save({ wording: null, version })])
    expect(late.map(({ json }) => json.code)).toEqual(['edited_elsewhere', 'edited_elsewhere'])
    const restored = await Promise.all([1, 2].map(() => save({ wording: null, version: version + 1 })))
    expect(restored.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await findWording(admin)).toMatchObject({ subject, is_default: true, version: version + 2 })
    const change = { field: 'subject', before: subject, after: own.subject }
    const published = (await world.publishedEvents()).filter(({ type }) => type === 'mail_settings.changed')
    expect(published.map(({ data }) => data)).toMatchObject([
      { setting: 'wording', by: admin.id, kind: 'task_overdue', is_default: false },
      { is_default: true },
    ])
    expect(published[0]!.data.changes).toContainEqual(change)
  })

  test('with a broken placeholder are refused with its place, and change nothing', async () => {
    const admin = world.addPerson('admin')
    const before = await findWording(admin)
    const refused = await world
      .callAs(admin)
      .put(path, { wording: { ...own, text: `Hello\n{nmae} {link}` }, version: before.version })
    expect(refused.status).toBe(422)
    expect(refused.json.errors).toEqual([
      { path: 'wording.text', message: expect.stringContaining('line 2, column 1: “{nmae}” is not known here') },
    ])
    const preview = await world.callAs(admin).post(`${path}/preview`, { ...own, text: 'no link' })
    expect(preview.json.errors).toEqual([{ path: 'text', message: expect.stringContaining('must contain {link}') }])
    expect(await findWording(admin)).toEqual(before)
  })

  test('are shown with an example of each kind', async () => {
    const admin = world.addPerson('admin', { name: 'Admin <One>' })
    for (const kind of mailKind.options) {
      const example = { ...own, subject: '{title}', text: '{name}: {message}\n\n{link}' }
      const preview = await world.callAs(admin).post(`/notifications/mail/wordings/${kind}/preview`, example)
      expect(preview.json.paragraphs).toHaveLength(2)
      expect(preview.json.html).toContain('Admin &lt;One&gt;')
    }
  })

  test('name an erased administrator no longer', async () => {
    const admin = world.addPerson('admin', { name: 'Admin Gone' })
    const { version } = await findWording(admin)
    await world.callAs(admin).put(path, { wording: null, version })
    await world.publish('user.erased', makeErasure(admin))
    const other = world.addPerson('admin')
    await eventually(async () => expect((await findWording(other)).updated_by).not.toBe('Admin Gone'))
  })
})

describe('languages of mails', () => {
  const path = '/notifications/mail/languages'
  const wordings = '/notifications/mail/wordings'
  const german = {
    ...{ subject: 'Überfällig: {task}', link_label: 'Zur Aufgabe' },
    text: 'Guten Tag {name},\n\n„{task}“ war fällig am {due_date}.\n\n{link}',
  }
  let admin: PersonSnapshot
  beforeAll(() => {
    admin = world.addPerson('admin', { name: 'Admin One' })
  })
  afterEach(() => save([]))
  const read = async () => (await world.callAs(admin).get(path)).json
  const save = async (languages: string[], fields: object = {}) =>
    world.callAs(admin).put(path, { default_language: 'en', languages, version: (await read()).version, ...fields })
  const wordingIn = async (language: string) =>
    (await world.callAs(admin).get(`${wordings}?language=${language}`)).json.find(
      ({ kind }: { kind: string }) => kind === 'task_overdue',
    )
  const saveWords = (language: string, wording: object | null, version: number) =>
    world.callAs(admin).put(`${wordings}/task_overdue?language=${language}`, { wording, version })
  const choose = (person: PersonSnapshot, choice: object) =>
    world.callAs(person).put('/notifications/mail/choices', choice)
  const receive = async (person: PersonSnapshot) => {
    await remind([person])
    await eventually(async () => {
      const rows = await world.collection('mails').find({ recipient_id: person.id }).toArray()
      expect(rows.map(({ state }) => state)).not.toContain('waiting')
      expect(receivedBy(person)).toHaveLength(rows.length)
    })
    return decodeQuotedPrintable(receivedBy(person).at(-1)!.content)
  }
  const english = 'was due on 31 January 2027 at 17:00 (Europe/Berlin).'

  test('each person gets theirs with its dates, and the default language without words or after its removal', async () => {
    expect((await save(['de', 'fr'])).json).toMatchObject({ languages: ['de', 'fr'], updated_by: 'Admin One' })
    const { version, subject, is_default, language } = await wordingIn('de')
    expect([subject, is_default, language]).toEqual(['Task overdue: {task}', true, 'de'])
    const [saved, late] = await Promise.all([1, 2].map(() => saveWords('de', german, version))).then(answers =>
      answers.sort((a, b) => a.status - b.status),
    )
    expect([saved!.json, late!.json]).toMatchObject([
      { ...german, kind: 'task_overdue', language: 'de', is_default: false, version: version + 1 },
      { code: 'edited_elsewhere' },
    ])
    const [inGerman, inFrench, other] = [addTrainee({ name: 'Trainee 1' }), addTrainee(), addTrainee()]
    expect((await choose(inGerman, { language: 'de' })).status).toBe(200)
    expect((await choose(inFrench, { language: 'fr' })).status).toBe(200)
    const text = await receive(inGerman)
    expect(text).toContain('war fällig am 31. Januar 2027 um 17:00 (Europe/Berlin).')
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('<div lang="en"')
    // Nobody wrote the words of this mail in French.
    for (const person of [inFrench, other]) expect(await receive(person)).toContain(english)

    await save(['fr'])
    expect((await world.callAs(inGerman).get('/notifications/mail/choices')).json).toMatchObject({
      ...{ language: null, default_language: 'en', languages: ['fr'] },
    })
    expect(await receive(inGerman)).toContain(english)
    expect((await saveWords('de', null, version + 1)).json.code).toBe('not_found')
    await save(['de'])
    expect(await receive(inGerman)).toContain('31. Januar 2027')
    expect((await saveWords('de', null, version + 1)).json).toMatchObject({ is_default: true, version: version + 2 })
    expect(await receive(inGerman)).toContain(english)
    const changes = (await world.publishedEvents())
      .filter(({ type }) => type === 'mail_settings.changed')
      .map(({ data }) => data)
    expect(changes).toContainEqual(
      expect.objectContaining({
        ...{ setting: 'wording', by: admin.id },
        changes: [{ field: 'languages', before: '', after: 'de, fr' }],
      }),
    )
    expect(changes).toContainEqual(expect.objectContaining({ kind: 'task_overdue', language: 'de', is_default: true }))
  })

  test('the first default language is that of the words that an administrator saved before', async () => {
    const own = '/notifications/mail/wordings/task_overdue'
    // As in the versions before there were languages.
    await world.collection('mail_languages').deleteOne({ _id: 'languages' as never })
    const all = (await world.callAs(admin).get(wordings)).json
    const { version } = all.find(({ kind }: { kind: string }) => kind === 'task_overdue')
    await world.callAs(admin).put(own, { wording: german, version })
    const trainee = addTrainee()
    expect(await receive(trainee)).toContain('am 31 January 2027 at 17:00')
    expect((await save([], { default_language: 'de' })).status).toBe(200)
    expect(await receive(trainee)).toContain('am 31. Januar 2027 um 17:00')
    const preview = await world.callAs(admin).post(`${own}/preview`, german)
    expect(preview.json.text).toContain('am 31. Januar 2027 um 17:00 (UTC)')
    await world.callAs(admin).put(own, { wording: null, version: version + 1 })
    // The words that come with Watchline stay English.
    expect(await receive(trainee)).toContain(english)
  })

  test('each language keeps its words, whichever is the default one', async () => {
    const own = '/notifications/mail/wordings/task_overdue'
    const wordingOf = async () =>
      (await world.callAs(admin).get(wordings)).json.find(({ kind }: { kind: string }) => kind === 'task_overdue')
    await save(['de'])
    const custom = { ...german, text: '{name}, {task} is late since {due_date}. {link}' }
    const version = (await wordingOf()).version
    expect((await world.callAs(admin).put(own, { wording: custom, version })).status).toBe(200)
    await saveWords('de', german, (await wordingIn('de')).version)
    const [inEnglish, without] = [addTrainee(), addTrainee()]
    await choose(inEnglish, { language: 'en' })
    await save([])
    await save(['en'], { default_language: 'de' })
    expect(await receive(without)).toContain('war fällig am 31. Januar 2027 um 17:00')
    expect(await receive(inEnglish)).toContain('is late since 31 January 2027')
    expect(await wordingOf()).toMatchObject({ ...german, is_default: false })
    // Readers of English get the words of Watchline before those of another language.
    const stored = await wordingIn('en')
    expect(stored).toMatchObject({ ...custom, is_default: false })
    expect((await saveWords('en', null, stored.version)).json).toMatchObject({
      is_default: true,
      text: defaultWordings.task_overdue.text,
    })
    expect(await receive(inEnglish)).toContain(english)
    const changed = (await wordingOf()).version
    expect((await world.callAs(admin).put(own, { wording: null, version: changed })).json.is_default).toBe(true)
    expect(await receive(without)).toContain(english)
  })

  test('a version before could store words of one language twice: the latest ones count', async () => {
    await save(['fr'])
    const { version, languages, default_language } = await read()
    expect([languages, default_language]).toEqual([['fr'], 'en'])
    await saveWords('fr', { ...german, text: 'Bonjour {name} {link}' }, (await wordingIn('fr')).version)
    // As a version before made a further language the default one.
    await world
      .collection('mail_languages')
      .updateOne(
        { _id: 'languages' as never },
        { $set: { value: { default_language: 'fr', languages: [] }, version: version + 1 } },
      )
    await world
      .collection('mail_wordings')
      .updateOne(
        { _id: 'task_overdue' as never },
        { $set: { value: { ...german, text: 'Old {link}' }, updated_at: new Date(0) } },
      )
    const trainee = addTrainee()
    expect(await receive(trainee)).toContain('Bonjour')
    await world
      .collection('mail_wordings')
      .updateOne(
        { _id: 'task_overdue' as never },
        { $set: { value: { ...german, text: 'New {link}' }, updated_at: new Date(world.clock.now() + 1) } },
      )
    expect(await receive(trainee)).toContain('New')
  })

  test('a preview has the dates of its language, and broken placeholders are refused in each', async () => {
    await save(['ar', 'pt-BR'])
    const preview = (language: string, words: object) =>
      world.callAs(admin).post(`${wordings}/task_overdue/preview?language=${language}`, words)
    expect((await preview('pt-BR', german)).json.text).toContain('31 de janeiro de 2027')
    expect((await preview('ar', german)).json.html).toContain('<html lang="ar" dir="rtl">')
    for (const kind of mailKind.options) {
      const words = { ...german, subject: '{title}', text: '{name}: {message}\n\n{link}' }
      const answer = await world.callAs(admin).post(`${wordings}/${kind}/preview?language=ar`, words)
      expect(answer.status).toBe(200)
    }
    const broken = { ...german, text: 'Hallo\n{nmae} {link}' }
    const { version } = await wordingIn('ar')
    for (const refused of [await preview('ar', broken), await saveWords('ar', broken, version)])
      expect(refused.json.errors[0].message).toContain('line 2, column 1: “{nmae}” is not known here')
    expect((await wordingIn('ar')).version).toBe(version)
  })

  test.each([
    [['xx'], 'languages.0'],
    [['de_AT'], 'languages.0'],
    [['de-u-ca-buddhist'], 'languages.0'],
    [['pt-br'], 'languages.0'],
    [['de', 'de'], 'languages'],
    [['en'], 'languages'],
  ])('%j are refused, and change nothing', async (languages, field) => {
    const before = await read()
    const { status, json } = await save(languages)
    expect([status, json.errors?.[0]?.path]).toEqual([422, field])
    expect(await read()).toEqual(before)
  })

  test('are changed by one of two administrators, and by nobody else', async () => {
    const { version } = await read()
    const answers = await Promise.all([1, 2].map(() => save(['de'], { version })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const trainee = addTrainee()
    expect((await world.callAs(trainee).get(path)).status).toBe(403)
    expect((await world.callAs(trainee).get(`${wordings}?language=de`)).status).toBe(403)
    expect((await world.callAs(admin).get(`${wordings}?language=fr`)).status).toBe(404)
  })

  test('a person chooses one that exists; other choices stay, and earlier ones are still read', async () => {
    await save(['de'])
    const trainee = addTrainee()
    const choices = async () => (await world.callAs(trainee).get('/notifications/mail/choices')).json
    // As earlier versions stored it.
    await world.collection('mail_choices').insertOne({ _id: trainee.id as never, kinds: { task_assigned: true } })
    const before = await choices()
    expect(before).toMatchObject({ kinds: expect.arrayContaining(['task_assigned']), language: null, time_zone: null })
    for (const choice of [{ language: 'fr' }, { language: 'xx' }, { time_zone: 'Mars/Base' }]) {
      const refused = await choose(trainee, choice)
      expect([refused.status, refused.json.errors[0].path]).toEqual([422, Object.keys(choice)[0]])
    }
    expect(await choices()).toEqual(before)
    await Promise.all([choose(trainee, { language: 'de' }), choose(trainee, { time_zone: 'Pacific/Auckland' })])
    expect(await choices()).toEqual({ ...before, language: 'de', time_zone: 'Pacific/Auckland' })
    expect((await choose(trainee, { kinds: before.kinds })).status).toBe(200)
    expect((await choose(trainee, {})).status).toBe(200)
    await choose(trainee, { time_zone: null })
    expect(await choices()).toEqual({ ...before, language: 'de' })
    const lines = (await world.callAs(trainee).get('/notifications/record/data')).text.trim().split('\n')
    const parts = lines.map(line => JSON.parse(line) as { kind: string; data?: object })
    expect(parts.find(({ kind }) => kind === 'mail_choices')?.data).toMatchObject({
      ...{ language: 'de', task_assigned: true },
    })
  })

  test('a choice is gone after an erasure, and a mail of an earlier version is sent', async () => {
    await save(['de'])
    const [trainee, other] = [addTrainee(), addTrainee()]
    await choose(trainee, { language: 'de', time_zone: 'Pacific/Auckland' })
    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () =>
      expect(await world.collection('mail_choices').findOne({ _id: trainee.id as never })).toBeNull(),
    )
    await choose(other, { language: 'de' })
    const { version } = await wordingIn('de')
    await saveWords('de', german, version)
    await world.collection('mails').insertOne({
      ...{ _id: newId() as never, recipient_id: other.id, kind: 'task_overdue', state: 'waiting', attempts: 0 },
      facts: {
        ...{ kind: 'task_overdue', people: [], count: 1, happenings: 1, text: '31 January 2027 at 17:00' },
        playlist: { id: list, title: 'Safety first' },
      },
      task: { playlist_id: list, due_at: due.at },
      ...{ created_at: new Date(world.clock.now()), next_at: new Date(world.clock.now()) },
    })
    await untilState(other, 'sent')
    expect(decodeQuotedPrintable(receivedBy(other)[0]!.content)).toContain('war fällig am 31 January 2027 at 17:00.')
    await saveWords('de', null, version + 1)
  })
})

describe('quiet times', () => {
  const path = '/notifications/mail/reminders'
  const hour = 3_600_000
  const always = { ...defaultReminderSettings }
  const dateIn = (days: number) => new Date(world.clock.now() + days * 24 * hour).toISOString().slice(0, 10)
  /** Today is quiet, and so are the next days. */
  const quietDays = (count: number) => ({
    ...always,
    quiet_dates: Array.from({ length: count }, (_, day) => dateIn(day)),
  })
  let admin: PersonSnapshot
  beforeAll(() => {
    admin = world.addPerson('admin', { name: 'Admin One' })
  })
  const read = async () => (await world.callAs(admin).get(path)).json
  const save = async (settings: object, version?: number) =>
    world.callAs(admin).put(path, { ...settings, version: version ?? (await read()).version })
  afterEach(async () => expect((await save(always)).status).toBe(200))

  test('hold a reminder until they end, with no attempt, and longer than a mail server may be away', async () => {
    expect((await save(quietDays(5))).json).toMatchObject({
      time_zone: 'UTC',
      next_allowed_at: `${dateIn(5)}T00:00:00.000Z`,
    })
    const trainee = addTrainee()
    await remind([trainee])
    await eventually(async () => expect(await storedFor(trainee)).toHaveProperty('held_until'))
    expect(await storedFor(trainee)).toMatchObject({ state: 'waiting', attempts: 0 })
    // Other mails are not held.
    await world.publish('task.reminded', {
      ...{ playlist_id: list, title: 'Safety', by: admin.id, reminded_at: due.at },
      reminded: [trainee.id],
    })
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
    world.clock.advance(5 * 24 * hour)
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(2))
    expect(server.attempts(trainee.email)).toBe(2)
  })

  test('that an administrator ends after days let the last reminder of a due date go at once', async () => {
    await save(quietDays(9))
    const trainee = addTrainee()
    const held = { recipient_id: trainee.id, held_until: { $exists: true } }
    for (const count of [1, 2]) {
      await remind([trainee])
      await eventually(async () => expect(await world.collection('mails').countDocuments(held)).toBe(count))
      world.clock.advance(24 * hour)
    }
    world.clock.advance(3 * 24 * hour)
    await save(always)
    await eventually(async () => {
      const mails = await world.collection('mails').find({ recipient_id: trainee.id }).sort({ created_at: 1 }).toArray()
      expect(mails.map(({ state }) => state)).toEqual(['cancelled', 'sent'])
    })
    expect(receivedBy(trainee)).toHaveLength(1)
  })

  test('give way to a due date that comes before their end', async () => {
    await save(quietDays(3))
    const trainee = addTrainee()
    const at = new Date(world.clock.now() + 20 * hour).toISOString()
    world.owners.assignments.get(`${trainee.id}:${list}`)!.due!.at = at
    const soon = { at, local: at.slice(0, 16), time_zone: 'UTC' }
    await world.publish('task.due', {
      playlist_id: list,
      title: 'Safety',
      reason: 'due_soon',
      people: [trainee.id],
      due: soon,
    })
    await untilState(trainee, 'sent')
  })

  test('let only the last of several held reminders of a due date go', async () => {
    await save(quietDays(4))
    const trainee = addTrainee()
    const held = { recipient_id: trainee.id, held_until: { $exists: true } }
    for (const count of [1, 2, 3]) {
      await remind([trainee])
      await eventually(async () => expect(await world.collection('mails').countDocuments(held)).toBe(count))
      world.clock.advance(24 * hour)
    }
    world.clock.advance(24 * hour)
    await eventually(async () => {
      const states = await world
        .collection('mails')
        .find({ recipient_id: trainee.id })
        .sort({ created_at: 1 })
        .toArray()
      expect(states.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'sent'])
    })
    expect(receivedBy(trainee)).toHaveLength(1)
  })

  test('are those of the recipient’s time zone, and a change of it applies to reminders that wait', async () => {
    const [zones, noon] = [['Pacific/Kiritimati', 'Pacific/Pago_Pago'], 12 * hour]
    // At noon in London the date is the same in the west, and the next one in the east.
    const today = Math.floor(world.clock.now() / (24 * hour)) * 24 * hour
    world.clock.advance(today + 24 * hour + noon - world.clock.now())
    await save({ ...always, quiet_dates: [dateIn(0)] })
    const [east, west, mover] = [addTrainee(), addTrainee(), addTrainee()]
    const choose = (person: PersonSnapshot, time_zone: string) =>
      world.callAs(person).put('/notifications/mail/choices', { time_zone })
    await choose(east, zones[0]!)
    await choose(west, zones[1]!)
    await remind([east, west, mover])
    await untilState(east, 'sent')
    const heldUntil = async (person: PersonSnapshot) => {
      const { state, held_until } = (await storedFor(person))!
      expect([state, held_until]).toEqual(['waiting', expect.any(Date)])
      return (held_until as Date).getTime()
    }
    const endOf = (timeZone: string) => instantOf(`${dateIn(1)}T00:00`, timeZone)
    await eventually(async () => expect(await heldUntil(west)).toBe(endOf(zones[1]!)))
    await eventually(async () => expect(await heldUntil(mover)).toBe(endOf('UTC')))
    await choose(mover, zones[0]!)
    await untilState(mover, 'sent')
    for (const person of [east, mover]) expect(receivedBy(person)).toHaveLength(1)
    expect(receivedBy(west)).toEqual([])
    world.clock.advance(endOf(zones[1]!) - world.clock.now())
    await untilState(west, 'sent')
  })

  test('hold no reminder of a task that is completed meanwhile', async () => {
    await save(quietDays(2))
    const trainee = addTrainee()
    await remind([trainee])
    await eventually(async () => expect(await storedFor(trainee)).toHaveProperty('held_until'))
    world.owners.completions.add(`${trainee.id}:${list}`)
    world.clock.advance(2 * 24 * hour)
    expect((await untilState(trainee, 'cancelled')).explanation).toBe('The task is completed.')
  })

  test.each([
    [{ hours: { from: '18:00', until: '08:00' } }, 'hours.until'],
    [{ hours: { from: '08:10', until: '18:00' } }, 'hours.from'],
    [{ quiet_weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'quiet_weekdays'],
    [{ quiet_weekdays: [6, 6] }, 'quiet_weekdays'],
    [{ quiet_dates: ['2027-02-29'] }, 'quiet_dates.0'],
  ])('%j are refused, and change nothing', async (change, field) => {
    const before = await read()
    const { status, json } = await save({ ...always, ...change })
    expect([status, json.errors?.[0]?.path]).toEqual([422, field])
    expect((await read()).version).toBe(before.version)
  })

  test('are changed by one of two administrators, and published for the audit log', async () => {
    const { version } = await read()
    const answers = await Promise.all([1, 2].map(() => save({ ...always, quiet_weekdays: [7, 6] }, version)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await read()).toMatchObject({ version: version + 1, updated_by: 'Admin One', quiet_weekdays: [7, 6] })
    const published = (await world.publishedEvents()).filter(({ data }) => data.setting === 'reminders')
    expect(published.at(-1)!.data).toMatchObject({
      ...{ by: admin.id, changes: [{ field: 'quiet_weekdays', before: '', after: 'Saturday, Sunday' }] },
    })
  })
})

describe('a digest', () => {
  const day = 24 * 3_600_000
  const task = { playlist_id: list, playlist_title: 'Safety first', due: due.at }
  let replicas: NotificationService[]
  let next: number
  beforeAll(async () => {
    replicas = [createNotificationService(world.config, await world.otherPorts())]
    await replicas[0]!.start()
    world.running.push(...replicas)
    replicas.unshift(world.running[0] as NotificationService)
    const midnight = Math.floor(world.clock.now() / day) * day
    const daysToMonday = (8 - (new Date(midnight).getUTCDay() || 7)) % 7 || 7
    next = midnight + daysToMonday * day + 8 * 3_600_000
  })
  /** Both replicas at once, on the next Monday. */
  async function queueAll() {
    world.clock.advance(next - world.clock.now())
    next += 7 * day
    await Promise.all([...replicas, ...replicas].map(replica => replica.queueDigestsOnce()))
  }
  async function addSupervisor() {
    const supervisor = world.addPerson('supervisor', { email_verified: true })
    const choice = await world.callAs(supervisor).put('/notifications/mail/choices', { kinds: ['team_digest'] })
    expect(choice.status).toBe(200)
    world.owners.digests.set(supervisor.id, {
      ...{ overdue: 1, due_soon: 0, tasks: [{ ...task, person_id: 'trainee', person_name: 'Trainee 1' }] },
    })
    return supervisor
  }

  test('goes once a Monday to supervisors who chose it, with what is true when it is sent', async () => {
    const [supervisor, satisfied, other] = [await addSupervisor(), await addSupervisor(), world.addPerson('supervisor')]
    world.owners.digests.delete(satisfied.id)
    await queueAll()
    await untilState(supervisor, 'sent')
    expect((await untilState(satisfied, 'cancelled')).explanation).toBe('No task is overdue or due soon.')
    expect(await storedFor(other)).toBeNull()
    for (const replica of replicas) await replica.queueDigestsOnce()
    const [mail, ...more] = receivedBy(supervisor)
    expect(more).toEqual([])
    expect(mail!.header('Subject')).toBe('Tasks of your team: 1 overdue')
    expect(mail!.header('List-Unsubscribe')).toBeDefined()
    expect(decodeQuotedPrintable(mail!.content)).toContain(
      'Trainee 1: “Safety first” was due on 31 January 2027 at 16:00 (UTC)',
    )
    await queueAll()
    await eventually(() => expect(receivedBy(supervisor)).toHaveLength(2))
  })

  test('comes at its time in the supervisor’s own time zone, once, also after a change of the time zone', async () => {
    const [east, home] = [await addSupervisor(), await addSupervisor()]
    const time_zone = 'Asia/Tokyo'
    await world.callAs(east).put('/notifications/mail/choices', { time_zone })
    // Nine hours before the others.
    next -= 9 * 3_600_000
    await queueAll()
    await untilState(east, 'sent')
    expect(await storedFor(home)).toBeNull()
    expect(decodeQuotedPrintable(receivedBy(east)[0]!.content)).toContain(
      'was due on 1 February 2027 at 01:00 (Asia/Tokyo)',
    )
    next -= 7 * day - 9 * 3_600_000
    await world.callAs(east).put('/notifications/mail/choices', { time_zone: null })
    await queueAll()
    await untilState(home, 'sent')
    expect([receivedBy(east).length, receivedBy(home).length]).toEqual([1, 1])
  })

  test('is not sent to a former supervisor', async () => {
    const supervisor = await addSupervisor()
    world.owners.changePerson(supervisor, { role: 'manager' })
    await queueAll()
    expect((await untilState(supervisor, 'cancelled')).explanation).toBe('The person is no supervisor any more.')
  })

  test('that a killed process stored in part is completed, each mail once', async () => {
    const [first, second] = [await addSupervisor(), await addSupervisor()]
    const date = new Date(next).toISOString().slice(0, 10)
    await world.collection('mails').insertOne({
      ...{
        _id: newId() as never,
        recipient_id: first.id,
        kind: 'team_digest',
        reason_id: `digest:${first.id}:${date}`,
      },
      ...{ state: 'waiting', attempts: 0, created_at: new Date(next), next_at: new Date(next) },
    })
    await queueAll()
    for (const supervisor of [first, second]) await untilState(supervisor, 'sent')
    for (const supervisor of [first, second]) expect(receivedBy(supervisor)).toHaveLength(1)
  })
})

/** Another installation, whose trainees all get a reminder by their superior. */
async function startReminded(count: number, options: { maxPerMinute?: number; replicas?: number } = {}) {
  const { maxPerMinute, replicas = 1 } = options
  const other = await startNotifications({ mail: { ...server.config, maxPerMinute }, replicas })
  const people = Array.from({ length: count }, () => other.addPerson('user', { email_verified: true }))
  for (const { id: person_id } of people)
    other.owners.assignments.set(`${person_id}:${list}`, { person_id, playlist_id: list, assigned_date: due.at })
  const ids = people.map(({ id }) => id)
  const task = { playlist_id: list, title: 'Safety first', by: ids[0]! }
  return {
    ...other,
    remindAll: () => other.publish('task.reminded', { ...task, reminded: ids, reminded_at: due.at }),
    countMails: (filter: object) => other.collection('mails').countDocuments(filter),
  }
}

/** A store in a database of its own that no job reads, with one reminder. */
async function openMails(name: string, createdAt: Date) {
  const database = createDatabase()
  const mails = createMailStore(database, 3_600)
  await openDatabase(database, world.config.mongoUrl, `${world.config.databasePrefix}-${name}`)
  await ensureIndexes(database)
  const group = createGroup({ kind: 'task_overdue', person: null, count: 1 })
  await inTransaction(database, session =>
    mails.add([{ id: 'mail', recipientId: 'one', kind: 'task_overdue', group, task: undefined, createdAt }], session),
  )
  return { database, mails }
}

const timeZoneConverterOf = (timeZone: string) => ({
  localTimeOf: (at: number) => localTimeOf(at, timeZone),
  instantOf: (local: string) => instantOf(local, timeZone),
})

test('a reminder looks for its time again if the settings are changed while it is being held', async () => {
  const createdAt = new Date('2027-01-30T09:00Z')
  const clock = createManualClock(createdAt.getTime())
  const { database, mails } = await openMails('holds', createdAt)
  const quiet = { ...defaultReminderSettings, quiet_weekdays: [6, 7] }
  const versions = [quiet, defaultReminderSettings].map((value, index) => ({
    ...{ value, version: index + 1, updatedAt: createdAt, updatedBy: 'Admin One' },
  }))
  const isHeld = await holdReminderIfQuiet(
    {
      clock,
      ...{ timeZone: 'UTC', timeZoneConverterOf },
      mailChoices: { preferencesOf: async () => ({ language: undefined, timeZone: undefined }) },
      mails,
      reminderSettings: { find: async () => versions.shift() },
    },
    (await mails.claimNext(createdAt, createdAt))!,
  )
  expect(isHeld).toBe(true)
  expect(await mails.claimNext(new Date(clock.now()), createdAt)).toMatchObject({ id: 'mail', attempts: 1 })
  await database.close()
})

test('a reminder looks for its time again if its recipient changes the time zone while it is being held', async () => {
  // In Auckland it is a Sunday, in Berlin still a Saturday.
  const createdAt = new Date('2027-01-30T12:00Z')
  const { database, mails } = await openMails('moves', createdAt)
  const zones = ['Europe/Berlin', 'Pacific/Auckland']
  const isHeld = await holdReminderIfQuiet(
    {
      ...{ clock: createManualClock(createdAt.getTime()), timeZone: 'UTC', timeZoneConverterOf, mails },
      mailChoices: { preferencesOf: async () => ({ language: undefined, timeZone: zones.shift() }) },
      reminderSettings: {
        find: async () => ({
          ...{ value: { ...defaultReminderSettings, quiet_weekdays: [6] }, version: 1 },
          ...{ updatedAt: createdAt, updatedBy: 'Admin One' },
        }),
      },
    },
    (await mails.claimNext(createdAt, createdAt))!,
  )
  expect(isHeld).toBe(true)
  expect(await mails.claimNext(createdAt, createdAt)).toMatchObject({ id: 'mail', attempts: 1 })
  await database.close()
})

test('a late renewal of a claim does not send a mail again whose outcome is unknown', async () => {
  const createdAt = new Date(1)
  const { database, mails } = await openMails('claims', createdAt)
  const claimed = await mails.claimNext(createdAt, createdAt)
  await mails.markOffered(claimed!, 'one@example.org', createdAt)
  const expired = new Date(claimMs + 1)
  const unknownUntil = new Date(30 * 60_000)
  expect(await mails.claimNext(expired, unknownUntil)).toBeUndefined()
  await mails.renewClaim(claimed!, expired)
  expect(await mails.claimNext(new Date(3 * claimMs), unknownUntil)).toBeUndefined()
  expect(await mails.claimNext(unknownUntil, unknownUntil)).toMatchObject({ id: 'mail', attempts: 2 })
  await database.close()
})

test('a look for mails reads few of those that wait', async () => {
  const other = await startReminded(200)
  try {
    const database = other.database('notification')
    const claims = { 'command.findAndModify': 'mails' }
    // At level 2 the profile would ignore the filter.
    await database.command({ profile: 1, slowms: 0, filter: claims })
    await other.remindAll()
    await eventuallyIn(other, async () => expect(await other.countMails({ state: 'sent' })).toBe(200))
    await database.command({ profile: 0 })
    const looks = await database.collection('system.profile').find(claims).toArray()
    await database.collection('system.profile').drop()
    // The profile keeps the latest ones only.
    expect(looks.length).toBeGreaterThan(20)
    // Attempts that look at the same time read each other's mails, too.
    const examined = looks.map(({ docsExamined = 0, keysExamined = 0 }) => Math.max(docsExamined, keysExamined))
    expect(Math.max(...examined)).toBeLessThan(100)
  } finally {
    await other.stop()
  }
})

test('all replicas together keep the limit of mails in a minute', async () => {
  const other = await startReminded(7, { maxPerMinute: 3, replicas: 2 })
  try {
    await other.remindAll()
    for (const sent of [3, 6, 7]) {
      // The limit, too, lets mails wait for the clock.
      await eventuallyUnaided(async () => {
        expect(await other.countMails({ state: 'sent' })).toBe(sent)
        const later = { state: 'waiting', next_at: { $gt: new Date(other.clock.now()) } }
        expect(await other.countMails(later)).toBe(7 - sent)
      })
      other.clock.advance(60_000)
    }
  } finally {
    await other.stop()
  }
})

test('only what a person chose goes by mail, and one click ends it', async () => {
  const trainee = addTrainee()
  const by = world.addPerson('supervisor')
  const required = ['task_due_soon', 'task_overdue']
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
      kinds: ['task_reminded', ...required, 'task_escalated', 'saved_report'],
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
  expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.kinds).toHaveLength(3)
  for (let time = 1; time <= 2; time += 1)
    expect((await post(address!)).json).toEqual({ success: true, kind: 'task_assigned' })
  expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.kinds).toEqual(required)
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

test('an administrator gets a test mail with the server’s answer, nobody else does', async () => {
  const admin = world.addPerson('admin')
  const sendTest = (person: PersonSnapshot) => world.callAs(person).post('/notifications/mail/test', {})
  expect((await sendTest(admin)).json).toMatchObject({ success: true, address: admin.email })
  expect(receivedBy(admin)).toHaveLength(1)
  expect((await sendTest(addTrainee())).status).toBe(403)
  server.faults.set(admin.email, { toRecipient: '550 5.1.1 no such mailbox' })
  const refused = await sendTest(admin)
  expect([refused.status, refused.json.code]).toEqual([503, 'mail_refused'])
  expect(refused.json.detail).toContain('no such mailbox')
})

function decodeQuotedPrintable(content: string): string {
  const bytes = content
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
