import { expect, test } from '@jest/globals'
import type { EventData } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { decodeQuotedPrintable, type TestMailServer } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, override, choose, receivedBy, untilState, eventually } = setUpMailTests(started => {
  ;({ world, server } = started)
})

const hour = 3_600_000
const day = 24 * hour
const deactivatedAt = '2027-01-01T08:00:00.000Z'

const addSupervisor = () => world.addPerson('supervisor', { name: 'Supervisor 1', email_verified: true })

async function addRecipient() {
  const supervisor = addSupervisor()
  await choose(supervisor, ['task_uncompletable'])
  return supervisor
}

const addDeactivated = (name: string) => addTrainee({ name, deactivated_at: deactivatedAt })

const reactivate = (person: PersonSnapshot) => world.owners.changePerson(person, { deactivated_at: undefined })

function report(
  recipient: PersonSnapshot,
  people: readonly PersonSnapshot[],
  fields: Partial<EventData<'task.uncompletable'>> = {},
  id = newId(),
) {
  const data = { playlist_id: list, title: 'Safety first', reason: 'no_access' as const, recipient: recipient.id }
  return world.publish('task.uncompletable', { ...data, people: people.map(({ id }) => id), ...fields }, { id })
}

const mailsOf = ({ id }: PersonSnapshot) =>
  world.collection('mails').find({ recipient_id: id }).sort({ created_at: 1 }).toArray()
const untilCounts = (recipient: PersonSnapshot, counts: number[]) =>
  eventually(async () =>
    expect((await mailsOf(recipient)).map(({ facts }) => facts?.count).sort((a, b) => a - b)).toEqual(counts),
  )

/** Mails collect people for a quarter of an hour. */
const passCollection = () => world.clock.advance(15 * 60_000)
/** 02:00 of the next day, when the check runs. */
const passToNextNight = () => world.clock.advance(day - (world.clock.now() % day) + 2 * hour)

const textOf = (recipient: PersonSnapshot) =>
  decodeQuotedPrintable(receivedBy(recipient)[0]!.content).replace(/\r/g, '')

test('a mail about one person goes to those who chose it, with the link of the bell, and to nobody else', async () => {
  const [supervisor, other] = [await addRecipient(), addSupervisor()]
  const [trainee, otherTrainee] = [addDeactivated('Trainee 1'), addDeactivated('Trainee 2')]
  const eventId = newId()
  await report(other, [otherTrainee])
  await report(supervisor, [trainee], {}, eventId)
  await report(supervisor, [trainee], {}, eventId)
  await untilCounts(supervisor, [1])
  expect(receivedBy(supervisor)).toEqual([])
  passCollection()
  await untilState(supervisor, 'sent')
  const [mail, ...more] = receivedBy(supervisor)
  expect(more).toEqual([])
  expect(mail!.header('Subject')).toBe('A task cannot be completed')
  expect(mail!.header('List-Unsubscribe')).toBeDefined()
  const text = textOf(supervisor)
  expect(text).toContain('Trainee 1 cannot complete “Safety first”: the account is deactivated.')
  expect(text).toContain('http://watchline.example/dashboard?tab=playlists')
  expect(await mailsOf(other)).toEqual([])
})

test('many people in several events are one mail, and a notification for each in the bell', async () => {
  const supervisor = await addRecipient()
  const reason = 'no_playable_video'
  const people = Array.from({ length: 206 }, (_, index) => addTrainee({ name: `Trainee ${index + 1}` }))
  await report(supervisor, people.slice(0, 200), { reason })
  await Promise.all([200, 202, 204].map(start => report(supervisor, people.slice(start, start + 2), { reason })))
  await untilCounts(supervisor, [206])
  // A person who is reported again counts once.
  await report(supervisor, [people[0]!, addTrainee({ name: 'Trainee 207' })], { reason })
  await untilCounts(supervisor, [207])
  await world.untilGrouped()
  const { notifications } = await world.list(supervisor)
  expect(notifications.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(208)
  passCollection()
  await untilState(supervisor, 'sent')
  expect(receivedBy(supervisor)).toHaveLength(1)
  expect(receivedBy(supervisor)[0]!.header('Subject')).toBe('Tasks that cannot be completed')
  expect(textOf(supervisor)).toMatch(
    /Trainee \d+, Trainee \d+ and 205 others cannot complete “Safety first”: none of its videos can be played\./,
  )
})

test('another playlist, another cause and the next day have a mail of their own', async () => {
  const supervisor = await addRecipient()
  const trainee = addDeactivated('Trainee 1')
  const assignment = world.owners.assignments.get(`${trainee.id}:${list}`)!
  world.owners.assignments.set(`${trainee.id}:list-2`, { ...assignment, playlist_id: 'list-2' })
  await report(supervisor, [trainee])
  await report(supervisor, [trainee], { reason: 'no_playable_video' })
  await report(supervisor, [trainee], { playlist_id: 'list-2', title: 'Ladders' })
  await untilCounts(supervisor, [1, 1, 1])
  passCollection()
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(3))
  passToNextNight()
  await report(supervisor, [trainee])
  await eventually(async () => expect(await mailsOf(supervisor)).toHaveLength(4))
  passCollection()
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(4))
})

test('a mail comes a quarter of an hour after the bell, and later people of the day wait for the next one', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  const trainees = ['1', '2', '3', '4'].map(number => addDeactivated(`Trainee ${number}`)) as [
    PersonSnapshot,
    PersonSnapshot,
    PersonSnapshot,
    PersonSnapshot,
  ]
  const countsAt = async () =>
    (await mailsOf(supervisor)).map(({ facts, state, next_at }) => [state, facts?.count, next_at?.getTime()])
  const start = world.clock.now()
  await report(supervisor, [trainees[0]])
  await untilCounts(supervisor, [1])
  world.clock.advance(10 * 60_000)
  await report(supervisor, [trainees[1]])
  await untilCounts(supervisor, [2])
  expect(await countsAt()).toEqual([['waiting', 2, start + 15 * 60_000]])
  world.clock.advance(5 * 60_000)
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(1))
  await untilState(supervisor, 'sent')

  // A check that failed runs again an hour later: the day has its mail.
  world.clock.advance(hour)
  await report(supervisor, [trainees[2]])
  const sent = ['sent', undefined, undefined]
  await eventually(async () => expect(await countsAt()).toEqual([sent, ['waiting', 1, start + 15 * 60_000 + day]]))
  // The next check is earlier on the clock than that mail.
  world.clock.advance(day - 2 * hour)
  expect(receivedBy(supervisor)).toHaveLength(1)
  const nextNight = world.clock.now()
  await Promise.all([report(supervisor, [trainees[2]]), report(supervisor, [trainees[3]])])
  await eventually(async () => expect(await countsAt()).toEqual([sent, ['waiting', 2, nextNight + 15 * 60_000]]))
  passCollection()
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(2))
})

test('a mail of an earlier version that waits for the digests comes with the next people', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  await report(supervisor, [addDeactivated('Trainee 1')])
  await untilCounts(supervisor, [1])
  const [mail] = await mailsOf(supervisor)
  const digestAt = new Date(world.clock.now() + 6 * hour)
  const reason_id = mail!.reason_id.replace(/[^:]*$/, digestAt.toISOString())
  const times = { created_at: digestAt, next_at: digestAt }
  await world.collection('mails').updateOne({ _id: mail!._id }, { $set: { reason_id, ...times } })
  await report(supervisor, [addDeactivated('Trainee 2')])
  await untilCounts(supervisor, [2])
  passCollection()
  await untilState(supervisor, 'sent')
  expect(receivedBy(supervisor)).toHaveLength(1)
})

test('a mail leaves out people about whom it is not true any more', async () => {
  const supervisor = await addRecipient()
  const people = ['1', '2', '3', '4'].map(number => addDeactivated(`Trainee ${number}`))
  await report(supervisor, people)
  await untilCounts(supervisor, [4])
  world.owners.completions.add(`${people[0]!.id}:${list}`)
  reactivate(people[1]!)
  world.owners.changePerson(people[2]!, { supervisor_id: addSupervisor().id })
  passCollection()
  await untilState(supervisor, 'sent')
  expect(textOf(supervisor)).toContain('Trainee 4 cannot complete “Safety first”: the account is deactivated.')
})

test.each<[string, (trainee: PersonSnapshot) => unknown, string]>([
  [
    'the task is withdrawn',
    trainee => world.owners.assignments.delete(`${trainee.id}:${list}`),
    'The task is withdrawn.',
  ],
  ['the task is not required any more', trainee => override(trainee, 'exempt'), 'The person is exempt from the task.'],
  ['the account is active again', reactivate, 'The account is active again.'],
])('a mail is not sent if %s', async (_case, change, reason) => {
  const supervisor = await addRecipient()
  const trainee = addDeactivated('Trainee 1')
  await report(supervisor, [trainee])
  await untilCounts(supervisor, [1])
  await change(trainee)
  passCollection()
  expect((await untilState(supervisor, 'cancelled')).explanation).toBe(reason)
  expect(receivedBy(supervisor)).toEqual([])
})

test('a mail is not sent if the account is active again while the mail server is slow', async () => {
  const supervisor = await addRecipient()
  const trainee = addDeactivated('Trainee 1')
  await report(supervisor, [trainee])
  await untilCounts(supervisor, [1])
  server.faults.set(supervisor.email, { isSlow: true })
  passCollection()
  await eventually(() => expect(server.attempts(supervisor.email)).toBe(1))
  reactivate(trainee)
  world.clock.advance(2_000)
  server.faults.clear()
  server.release()
  expect((await untilState(supervisor, 'cancelled')).explanation).toBe('The account is active again.')
})

test('the task is stored where versions that do not know the kind look for none, and read in both forms', async () => {
  const supervisor = await addRecipient()
  const trainee = addDeactivated('Trainee 1')
  await report(supervisor, [trainee])
  await untilCounts(supervisor, [1])
  const [mail] = await mailsOf(supervisor)
  expect(mail).toMatchObject({ reported_task: { playlist_id: list } })
  expect(mail).not.toHaveProperty('task')
  const { reported_task: task } = mail!
  await world.collection('mails').updateOne({ _id: mail!._id }, { $set: { task }, $unset: { reported_task: 1 } })
  world.owners.assignments.delete(`${trainee.id}:${list}`)
  passCollection()
  expect((await untilState(supervisor, 'cancelled')).explanation).toBe('The task is withdrawn.')
})

/** The local date of the test's organisation is that of UTC. */
const sendingDates = async (recipient: PersonSnapshot) =>
  (await mailsOf(recipient)).map(({ next_at, settled_at, created_at }) =>
    (next_at ?? settled_at ?? created_at).toISOString().slice(0, 10),
  )

test('a day has one mail, whatever number of later events it has, and nobody gets lost', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  const today = new Date(world.clock.now()).toISOString().slice(0, 10)
  await report(supervisor, [addDeactivated('Trainee 1')])
  await untilCounts(supervisor, [1])
  passCollection()
  await untilState(supervisor, 'sent')
  const reportTwo = (names: string[]) => Promise.all(names.map(name => report(supervisor, [addDeactivated(name)])))
  const untilLatestHas = (count: number) =>
    eventually(async () => expect((await mailsOf(supervisor)).at(-1)).toMatchObject({ facts: { count } }))
  await reportTwo(['Trainee 2', 'Trainee 3'])
  await untilLatestHas(2)
  for (const [index, minutes] of [5, 1, 19, 20].entries()) {
    world.clock.advance(minutes * 60_000)
    await report(supervisor, [addDeactivated(`Trainee ${index + 4}`)])
    await untilLatestHas(index + 3)
  }
  await reportTwo(['Trainee 8', 'Trainee 9'])
  await untilLatestHas(8)
  const dates = await sendingDates(supervisor)
  expect(dates).toHaveLength(2)
  expect(dates.filter(date => date === today)).toHaveLength(1)
  expect(receivedBy(supervisor)).toHaveLength(1)
  passToNextNight()
  await report(supervisor, [addDeactivated('Trainee 10')])
  await untilLatestHas(9)
  passCollection()
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(2))
})

test('people of the next day have their mail also if an earlier version sent that one a day early', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  await report(supervisor, [addDeactivated('Trainee 1')])
  await untilCounts(supervisor, [1])
  passCollection()
  await untilState(supervisor, 'sent')
  await report(supervisor, [addDeactivated('Trainee 2')])
  await eventually(async () => expect(await mailsOf(supervisor)).toHaveLength(2))
  const at = new Date(world.clock.now())
  await world
    .collection('mails')
    .updateOne({ recipient_id: supervisor.id, state: 'waiting' }, { $set: { created_at: at, next_at: at } })
  world.clock.advance(60_000)
  await eventually(() => expect(receivedBy(supervisor)).toHaveLength(2))
  await eventually(async () => expect((await mailsOf(supervisor)).map(({ state }) => state)).toEqual(['sent', 'sent']))
  await report(supervisor, [addDeactivated('Trainee 3')])
  await eventually(async () => expect((await mailsOf(supervisor)).at(-1)).toMatchObject({ facts: { count: 1 } }))
  const [latest] = (await mailsOf(supervisor)).slice(-1)
  expect(latest!.next_at.getTime()).toBeGreaterThan(world.clock.now() + day)
})

test('a mail that is tried again gets no more people', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  await report(supervisor, [addDeactivated('Trainee 1')])
  await untilCounts(supervisor, [1])
  server.faults.set(supervisor.email, { toRecipient: '451 4.3.0 try again later' })
  passCollection()
  await eventually(async () => {
    const [mail] = await mailsOf(supervisor)
    expect([mail!.state, mail!.attempts]).toEqual(['waiting', 1])
  })
  await report(supervisor, [addDeactivated('Trainee 2')])
  await untilCounts(supervisor, [1, 1])
  server.faults.clear()
})

test('a mail that was cancelled does not delay people of the same day', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  const trainee = addDeactivated('Trainee 1')
  await report(supervisor, [trainee])
  await untilCounts(supervisor, [1])
  reactivate(trainee)
  passCollection()
  await untilState(supervisor, 'cancelled')
  await report(supervisor, [addDeactivated('Trainee 2')])
  await untilCounts(supervisor, [1])
  expect((await mailsOf(supervisor))[0]!.next_at.getTime()).toBe(world.clock.now() + 15 * 60_000)
  passCollection()
  await untilState(supervisor, 'sent')
})

test('people who come shortly before midnight are in the mail of the new day', async () => {
  passToNextNight()
  const supervisor = await addRecipient()
  world.clock.advance(day - 2 * hour - 10 * 60_000)
  await report(supervisor, [addDeactivated('Trainee 1')])
  await untilCounts(supervisor, [1])
  passCollection()
  await untilState(supervisor, 'sent')
  await report(supervisor, [addDeactivated('Trainee 2')])
  await eventually(async () => expect(await mailsOf(supervisor)).toHaveLength(2))
  const dates = await sendingDates(supervisor)
  expect(new Set(dates).size).toBe(2)
})
