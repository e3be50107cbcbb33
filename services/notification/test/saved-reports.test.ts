import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { ReportMail, ReportRefusal } from '@watchline/contracts/internal-operations'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import {
  decodeQuotedPrintable,
  eventuallyIn,
  startMailServer,
  startMailWorld,
  type TestMailServer,
} from './_mail-server.ts'
import { type NotificationWorld, startNotifications } from './_util.ts'

const dueAt = '2027-03-29T06:00:00.000Z'
const leftOut = 'Left out: tasks that were withdrawn, and people who are deactivated or no longer trainees.'
const mail: ReportMail = {
  ...{ name: 'Overdue of the week', owner_name: 'Manager One' },
  period: { from: '2027-03-22', until: '2027-03-28' },
  total: {
    ...{ people: 2, tasks: 5, completed_in_time: 3, completed_late: 0, completed_without_due: 0, open: 1, overdue: 1 },
    ...{ missed: 0, marked_done: 0, exempt: 0, credited_seconds: 3725.5, completed_rate: 60 },
  },
  csv: { file_name: 'report-by-person-2027-03-29.csv', content: '\uFEFFrow,id,name\r\nperson,one,Trainée\r\n' },
}

let server: TestMailServer
let world: NotificationWorld
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ server, world, stop } = await startMailWorld())
})
afterAll(() => stop())
const eventually = <T>(check: () => Promise<T> | T) => eventuallyIn(world, check)
afterEach(() => {
  world.owners.unavailable = false
})

/** A recipient whom engagement answers with this mail. */
function addRecipient(reportId: string, answer: ReportMail | { refusal: ReportRefusal } = mail) {
  const person = world.addPerson('supervisor', { email_verified: true })
  world.owners.reportMails.set(`${reportId}:${person.id}`, answer)
  return person
}

const publishDue = (
  report_id: string,
  recipients: readonly PersonSnapshot[],
  { id = newId(), at = dueAt, ...day }: { id?: string; at?: string; day?: string } = {},
) =>
  world.publish(
    'report.due',
    { report_id, due_at: at, ...day, recipients: recipients.map(person => person.id) },
    { id },
  )

const receivedBy = ({ email }: { email: string }) => server.received.filter(({ address }) => address === email)
const mailsOf = ({ id }: { id: string }) =>
  world.collection('mails').find({ recipient_id: id }).sort({ created_at: 1 }).toArray()
const untilStates = (person: { id: string }, states: string[]) =>
  eventually(async () => expect((await mailsOf(person)).map(({ state }) => state)).toEqual(states))

test('each recipient gets the report once, with its figures, its file, a link, and the way to end it', async () => {
  const report = newId()
  const recipients = [
    addRecipient(report),
    addRecipient(report, { ...mail, total: { ...mail.total, people: 1, credited_in_period: 600 } }),
  ]
  const [first, second] = recipients as [PersonSnapshot, PersonSnapshot]
  await publishDue(report, recipients)
  for (const person of recipients) await untilStates(person, ['sent'])
  const [received] = receivedBy(first)
  expect(received!.header('Subject')).toBe('Report: Overdue of the week')
  expect(received!.header('List-Unsubscribe')).toContain('http://watchline.example/api/notifications/unsubscribe?')
  const text = decodeQuotedPrintable(received!.content)
  expect(text).toContain('the report “Overdue of the week” by Manager One (22 March 2027 to 28 March 2027)')
  expect(text).toContain('5 tasks of 2 people: 3 completed in time, 1 open, 1 overdue.')
  expect(text).toContain(`Completed: 60%. Credited time: 1:02:05.50. ${leftOut} All rows are in the attached file.`)
  expect(text).toContain(`http://watchline.example/dashboard?tab=engagement&view=reports&report=${report}`)
  expect(text).toContain('You get this mail because you are a recipient of this report.')
  expect(received!.content).toContain('Content-Disposition: attachment; filename=report-by-person-2027-03-29.csv')
  expect(received!.content).toContain('Content-Type: text/csv; charset=utf-8')
  expect(received!.content.replaceAll('\r\n', '')).toContain(Buffer.from(mail.csv!.content).toString('base64'))
  const ofSecond = decodeQuotedPrintable(receivedBy(second)[0]!.content)
  expect(ofSecond).toContain('5 tasks of 1 person:')
  expect(ofSecond).toContain('Credited time: 1:02:05.50, of this in the period: 0:10:00. Left out')
  expect(JSON.stringify(await mailsOf(first))).not.toContain('Overdue')
})

test('a mail names every filter of its report', async () => {
  const filters = {
    ...{ group_name: 'Ware\nhouse', playlist_title: 'Fire safety', status: 'completed_without_due' as const },
    ...{ supervisor_name: 'Supervisor One', manager_name: 'Manager One' },
  }
  const nameless = { group_name: null, playlist_title: null, supervisor_name: null, manager_name: null }
  const expected = [
    [
      filters,
      'Only tasks of the group “Ware house”, of the playlist “Fire safety”, of the team of Supervisor One, of the teams of Manager One, in the state “completed without a due date”. 5 tasks of',
    ],
    [nameless, 'Only tasks of one group, of one playlist, of one team, of the teams of one manager. 5 tasks of'],
    [{}, '(22 March 2027 to 28 March 2027)'],
  ] as const
  for (const [named, text] of expected) {
    const report = newId()
    const recipient = addRecipient(report, { ...mail, filters: named })
    await publishDue(report, [recipient])
    await untilStates(recipient, ['sent'])
    const content = decodeQuotedPrintable(receivedBy(recipient)[0]!.content)
    expect(content.replace(/\s+/g, ' ')).toContain(text)
    expect(content.includes('Only tasks')).toBe(named !== expected[2][0])
  }
})

test('a late mail asks for the report of its planned time and day; one of an earlier version names none', async () => {
  const report = newId()
  const [recipient, earlier] = [addRecipient(report), addRecipient(report)]
  const occurrence = { due_at: '2027-03-31T23:00:00.000Z', day: '2027-04-01' }
  await publishDue(report, [recipient], { at: occurrence.due_at, day: occurrence.day })
  await untilStates(recipient, ['sent'])
  expect(world.owners.reportQueries.at(-1)).toEqual(occurrence)
  const now = new Date(world.clock.now())
  await world.collection('mails').insertOne({
    ...{ _id: newId() as never, recipient_id: earlier.id, kind: 'saved_report', report_id: report },
    ...{ state: 'waiting', attempts: 0, created_at: now, next_at: now },
  })
  await untilStates(earlier, ['sent'])
  expect(world.owners.reportQueries.at(-1)).toEqual({})
})

test('a repeated event, and another event about the same occurrence, bring no second mail', async () => {
  const report = newId()
  const [first, second] = [addRecipient(report), addRecipient(report)]
  const id = newId()
  await publishDue(report, [first], { id })
  await publishDue(report, [first], { id })
  await publishDue(report, [first, second])
  await untilStates(second, ['sent'])
  await publishDue(report, [first], { at: '2027-04-05T06:00:00.000Z' })
  await untilStates(first, ['sent', 'sent'])
  expect(receivedBy(first)).toHaveLength(2)
  expect(receivedBy(second)).toHaveLength(1)
})

test.each([
  ['deleted', 'The report does not exist any more.'],
  ['no_recipient', 'The person is no recipient of the report any more.'],
  ['owner_without_right', 'The owner of the report may not see it any more.'],
  ['recipient_without_right', 'The person may not see the report any more.'],
] as const)('nobody gets a report that engagement refuses as %s', async (refusal, explanation) => {
  const report = newId()
  const [refused, other] = [addRecipient(report, { refusal }), addRecipient(report)]
  await publishDue(report, [refused, other])
  await untilStates(refused, ['cancelled'])
  await untilStates(other, ['sent'])
  expect((await mailsOf(refused))[0]).toMatchObject({ explanation })
  expect(receivedBy(refused)).toEqual([])
})

test('a recipient who is deactivated, or turned the mails off, gets none', async () => {
  const report = newId()
  const [gone, silent, other] = [addRecipient(report), addRecipient(report), addRecipient(report)]
  const kinds = (await world.callAs(silent).get('/notifications/mail/choices')).json.kinds
  expect(kinds).toContain('saved_report')
  await world.callAs(silent).put('/notifications/mail/choices', { kinds: [] })
  world.owners.changePerson(gone, { deactivated_at: dueAt })
  await publishDue(report, [gone, silent, other])
  await untilStates(other, ['sent'])
  await untilStates(gone, ['cancelled'])
  expect(await mailsOf(silent)).toEqual([])
})

test('a right that is lost while the mail server is slow is noticed', async () => {
  const report = newId()
  const recipient = addRecipient(report)
  server.faults.set(recipient.email, { isSlow: true })
  await publishDue(report, [recipient])
  await eventually(() => expect(server.attempts(recipient.email)).toBe(1))
  world.owners.reportMails.set(`${report}:${recipient.id}`, { refusal: 'recipient_without_right' })
  world.clock.advance(2_000)
  server.release()
  await untilStates(recipient, ['cancelled'])
  expect(receivedBy(recipient)).toEqual([])
})

test('while engagement is away, the mail waits, and then it is sent', async () => {
  const report = newId()
  const recipient = addRecipient(report)
  world.owners.unavailable = true
  await publishDue(report, [recipient])
  await eventually(async () =>
    expect(await mailsOf(recipient)).toMatchObject([{ state: 'waiting', next_at: expect.any(Date), attempts: 0 }]),
  )
  world.owners.unavailable = false
  await eventually(async () => {
    const [stored] = await mailsOf(recipient)
    // The pauses between attempts grow to a minute. While it is sent, a leap of the clock would end
    // its claim.
    if (stored!.state === 'waiting') world.clock.advance(60_000)
    expect(stored).toMatchObject({ state: 'sent' })
  })
})

test('an administrator’s link leads to their page of reports', async () => {
  const report = newId()
  const person = world.addPerson('admin', { email_verified: true })
  world.owners.reportMails.set(`${report}:${person.id}`, mail)
  await publishDue(report, [person])
  await untilStates(person, ['sent'])
  const text = decodeQuotedPrintable(receivedBy(person)[0]!.content)
  expect(text).toContain(`http://watchline.example/admin?tab=reports&report=${report}`)
})

test('a report without a file, a name or tasks is still readable, and a manager’s link leads to their page', async () => {
  const report = newId()
  const person = world.addPerson('manager', { email_verified: true })
  const zero = Object.fromEntries(Object.keys(mail.total).map(key => [key, 0])) as ReportMail['total']
  world.owners.reportMails.set(`${report}:${person.id}`, {
    ...{ name: '<b>All\u2028tasks', owner_name: '', period: { from: null, until: null }, csv: null },
    total: { ...zero, completed_rate: null },
  })
  await publishDue(report, [person])
  await untilStates(person, ['sent'])
  const { content } = receivedBy(person)[0]!
  const text = decodeQuotedPrintable(content)
  expect(text).toContain('“<b>All tasks”')
  expect(text).toContain('“&lt;b&gt;All tasks”')
  expect(text).toContain('(all time)')
  expect(text).toContain(
    `No task is in this report. ${leftOut} The file is too large for a mail. Download it in Watchline.`,
  )
  expect(text).toContain(`/dashboard?tab=analytics&view=reports&report=${report}`)
  expect(content).not.toContain('Content-Disposition')
})

test('administrators write the words of these mails', async () => {
  const admin = world.addPerson('admin')
  const path = '/notifications/mail/wordings/saved_report'
  const wording = {
    subject: '{report}: {period}',
    text:
      'Bericht von {sender}: {message}\n\n' +
      'Nur: {group}, {playlist}, {supervisor}, {manager}, {state:pünktlich|spät|ohne Frist|offen|überfällig|verpasst|erledigt|befreit}.\n\n{link}',
    link_label: 'Bericht',
  }
  const refused = await world.callAs(admin).put(path, { wording: { ...wording, subject: '{task}' }, version: 0 })
  expect(refused.status).toBe(422)
  expect((await world.callAs(admin).put(path, { wording, version: 0 })).status).toBe(200)
  const report = newId()
  const filters = { group_name: 'Lager', playlist_title: 'Brandschutz', status: 'overdue' as const }
  const leaders = { supervisor_name: 'Supervisor One', manager_name: 'Manager One' }
  const recipient = addRecipient(report, { ...mail, filters: { ...filters, ...leaders } })
  const [other, ofEarlierVersion] = [
    addRecipient(report, { ...mail, filters: { playlist_title: null } }),
    addRecipient(report),
  ]
  const recipients = [recipient, other, ofEarlierVersion]
  await publishDue(report, recipients)
  for (const person of recipients) await untilStates(person, ['sent'])
  const [received] = receivedBy(recipient)
  expect(received!.header('Subject')).toBe('Overdue of the week: 22 March 2027 to 28 March 2027')
  expect(decodeQuotedPrintable(received!.content)).toContain('Bericht von Manager One: Only tasks of the group')
  const lines = recipients.map(person => /Nur: .*/.exec(decodeQuotedPrintable(receivedBy(person)[0]!.content))?.[0])
  expect(lines.map(line => line?.trim())).toEqual([
    'Nur: Lager, Brandschutz, Supervisor One, Manager One, überfällig.',
    'Nur: –, …, –, –, –.',
    'Nur: –, –, –, –, –.',
  ])
  await world.callAs(admin).put(path, { wording: null, version: 1 })
})

test('of two replicas one sends each mail; without a mail server there is none', async () => {
  const own = await startMailServer()
  const [pair, without] = [await startNotifications({ mail: own.config, replicas: 2 }), await startNotifications()]
  try {
    for (const { owners, addPerson, publish } of [pair, without]) {
      const people = Array.from({ length: 5 }, () => addPerson('supervisor', { email_verified: true }))
      for (const { id } of people) owners.reportMails.set(`report:${id}`, mail)
      const recipients = people.map(({ id }) => id)
      for (const id of [newId(), newId()])
        await publish('report.due', { report_id: 'report', due_at: dueAt, recipients }, { id })
    }
    await eventuallyIn(pair, async () =>
      expect(await pair.collection('mails').countDocuments({ state: 'sent' })).toBe(5),
    )
    await eventuallyIn(pair, async () => expect(await pair.collection('consumed_events').countDocuments({})).toBe(2))
    expect(own.received).toHaveLength(5)
    await eventuallyIn(without, async () =>
      expect(await without.collection('consumed_events').countDocuments({})).toBe(2),
    )
    expect(await without.collection('mails').countDocuments({})).toBe(0)
  } finally {
    await pair.stop()
    await without.stop()
    await own.close()
  }
})
