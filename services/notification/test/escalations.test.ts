import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { defaultReminderSettings } from '../src/rules/quiet-times.ts'
import { createNotificationService } from '../src/service.ts'
import { decodeQuotedPrintable, eventuallyIn, startMailWorld, type TestMailServer } from './_mail-server.ts'
import type { NotificationWorld } from './_util.ts'

const hour = 3_600_000
const day = 24 * hour
const due = { at: '2026-01-05T16:00:00.000Z', local: '2026-01-05T17:00', time_zone: 'Europe/Berlin' }

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

/** A manager with one supervisor, who has trainees. */
function addTeam(names: readonly string[]) {
  const manager = world.addPerson('manager', { email_verified: true })
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const team = names.map(name => world.addPerson('user', { name, supervisor_id: supervisor.id }))
  return { manager, supervisor, team }
}

/** An open task of each person, which has been due for days. */
function addTask(people: readonly PersonSnapshot[], title: string) {
  const id = newId()
  for (const person of people)
    world.owners.assignments.set(`${person.id}:${id}`, {
      ...{ person_id: person.id, playlist_id: id, assigned_date: '2026-01-01T08:00:00.000Z' },
      due: { at: due.at, changed_at: '2026-01-01T08:00:00.000Z' },
    })
  return { id, title }
}

function escalate(
  manager: PersonSnapshot,
  people: readonly PersonSnapshot[],
  task: { id: string; title: string },
  eventId = newId(),
) {
  const ids = people.map(({ id }) => id)
  const data = { playlist_id: task.id, title: task.title, people: ids, recipient: manager.id, due }
  return world.publish('task.escalated', data, { id: eventId })
}

const messagesOf = async (person: PersonSnapshot) => {
  await world.untilGrouped()
  return (await world.list(person)).notifications.map(({ kind, message }) => `${kind}: ${message}`)
}
const mailsOf = (person: { id: string }) =>
  world.collection('mails').find({ recipient_id: person.id }).sort({ created_at: 1 }).toArray()
const receivedBy = ({ email }: { email: string }) => server.received.filter(({ address }) => address === email)
const untilWaiting = (person: { id: string }, tasks: number) =>
  eventually(async () => {
    const mail = (await mailsOf(person)).at(-1)
    expect(mail).toMatchObject({ kind: 'task_escalated', state: 'waiting' })
    expect(mail!.escalated_tasks).toHaveLength(tasks)
  })
const untilStates = (person: { id: string }, states: string[]) =>
  eventually(async () => expect((await mailsOf(person)).map(({ state }) => state)).toEqual(states))

/** Saves settings of reminders as an administrator. */
async function saveReminders(settings: object) {
  const admin = world.callAs(world.addPerson('admin'))
  const path = '/notifications/mail/reminders'
  const { version } = (await admin.get(path)).json
  expect((await admin.put(path, { ...settings, version })).status).toBe(200)
}

/** 08:00, the time at which digests come. */
function passToDigestTime() {
  const midnight = Math.floor(world.clock.now() / day) * day
  const next = midnight + 8 * hour
  world.clock.advance((next > world.clock.now() ? next : next + day) - world.clock.now())
}

test('the manager reads at once who has not completed which task, and since when', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  const eventId = newId()
  const task = addTask(team, 'Safety first')
  await escalate(manager, team, task, eventId)
  await untilWaiting(manager, 1)
  // The repeated event is consumed before that of another manager.
  await escalate(manager, team, task, eventId)
  const later = addTeam(['Trainee 2'])
  await escalate(later.manager, later.team, addTask(later.team, 'Ladders'))
  await untilWaiting(later.manager, 1)
  await eventually(async () =>
    expect(await messagesOf(manager)).toEqual([
      'task_escalated: Trainee 1 has not completed “Safety first”, which was due on 5 January 2026 at 17:00 (Europe/Berlin).',
    ]),
  )
  await untilWaiting(manager, 1)
})

test('a mail that is tried again gets no new tasks, so that they do not fail with it', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(manager, 1)
  const created_at = new Date(world.clock.now() - day)
  await world.collection('mails').updateOne({ recipient_id: manager.id }, { $set: { created_at, reason_id: newId() } })
  await escalate(manager, team, addTask(team, 'Ladders'))
  await escalate(manager, team, addTask(team, 'First aid'))
  await eventually(async () =>
    expect((await mailsOf(manager)).map(({ escalated_tasks }) => escalated_tasks.length)).toEqual([1, 2]),
  )
  passToDigestTime()
  await untilStates(manager, ['sent', 'sent'])
})

test('one mail at the time of the digests has all tasks of the day, each once', async () => {
  const { manager, team } = addTeam(['Trainee 1', 'Trainee 2'])
  const tasks = ['Safety', 'Ladders', 'First aid'].map(title => addTask(team, title))
  // Consumers of several replicas store the mail at the same time.
  const replica = createNotificationService(world.config, await world.otherPorts())
  await replica.start()
  world.running.push(replica)
  await Promise.all(tasks.map(task => escalate(manager, team, task)))
  await untilWaiting(manager, 6)
  expect(receivedBy(manager)).toEqual([])
  passToDigestTime()
  await untilStates(manager, ['sent'])
  const [mail] = receivedBy(manager)
  expect(mail!.header('Subject')).toBe('In your teams: 6 overdue tasks')
  expect(mail!.header('List-Unsubscribe')).toBeDefined()
  const text = decodeQuotedPrintable(mail!.content)
  for (const { title } of tasks)
    expect(text).toContain(`Trainee 2: “${title}” was due on 5 January 2026 at 16:00 (UTC)`)
  expect(text).toContain('http://watchline.example/dashboard?tab=analytics&view=at-risk')
  expect((await mailsOf(manager))[0]).not.toHaveProperty('escalated_tasks')

  // Tasks that are escalated after the mail are in that of the next day.
  await escalate(manager, [team[0]!], tasks[0]!)
  await untilWaiting(manager, 1)
  passToDigestTime()
  await untilStates(manager, ['sent', 'sent'])
  expect(receivedBy(manager)[1]!.header('Subject')).toBe('In your teams: 1 overdue task')
})

test('a task that was completed a moment before is told nowhere', async () => {
  const { manager, team } = addTeam(['Trainee 1', 'Trainee 2'])
  const task = addTask(team, 'Safety')
  world.owners.completions.add(`${team[0]!.id}:${task.id}`)
  await escalate(manager, team, task)
  await untilWaiting(manager, 1)
  expect(await messagesOf(manager)).toEqual([expect.stringContaining('Trainee 2 has not completed')])
})

test('a mail leaves out what was closed or moved meanwhile, and is not sent without a task', async () => {
  const { manager, team } = addTeam(['Trainee 1', 'Trainee 2', 'Trainee 3', 'Trainee 4', 'Trainee 5'])
  const [completed, exempt, moved, left, open] = team as [PersonSnapshot, ...PersonSnapshot[]] & PersonSnapshot[]
  const task = addTask(team, 'Safety')
  await escalate(manager, team, task)
  await untilWaiting(manager, 5)
  const at = '2026-01-09T08:00:00.000Z'
  world.owners.completions.add(`${completed.id}:${task.id}`)
  world.owners.assignments.get(`${exempt!.id}:${task.id}`)!.override = {
    ...{ value: { kind: 'exempt', by: 'supervisor', at, reason: 'On leave' }, changed_at: at },
  }
  await world.changeSupervisor(moved!, addTeam([]).supervisor.id)
  const gone = world.owners.changePerson(left!, { deactivated_at: at })
  await world.publish('user.deactivated', {
    ...{ person: gone, by: null, previous_supervisor_id: null, previous_manager_id: null },
  })
  await eventually(async () => {
    const people = world.collection('people')
    expect(await people.findOne({ _id: moved!.id as never })).not.toMatchObject({ supervisor_id: moved!.supervisor_id })
    expect(await people.findOne({ _id: left!.id as never })).toMatchObject({ deactivated_at: expect.anything() })
  })
  passToDigestTime()
  await untilStates(manager, ['sent'])
  const text = decodeQuotedPrintable(receivedBy(manager)[0]!.content)
  expect(text).toContain('1 overdue task')
  expect(text).toContain(`${open!.name}: `)
  for (const person of [completed, exempt, moved, left]) expect(text).not.toContain(person!.name)

  await escalate(manager, [open!], task)
  await untilWaiting(manager, 1)
  world.owners.completions.add(`${open!.id}:${task.id}`)
  passToDigestTime()
  await untilStates(manager, ['sent', 'cancelled'])
  expect((await mailsOf(manager))[1]!.explanation).toBe('No task of the teams is overdue any more.')
})

/** Gives the supervisor and the team to another manager, in auth only: the event is on its way. */
function moveTo(manager: PersonSnapshot, { team }: { team: readonly PersonSnapshot[] }) {
  const { supervisor_id } = world.owners.people.get(team[0]!.id)!
  world.owners.changePerson({ id: supervisor_id! }, { manager_id: manager.id })
}

test('people who changed their manager before the mail are in that of the new manager only, and are told there', async () => {
  const [former, present] = [addTeam(['Trainee 1', 'Trainee 2']), addTeam(['Trainee 3'])]
  const [moved, completed] = former.team as [PersonSnapshot, PersonSnapshot]
  const stays = addTeam(['Trainee 4'])
  world.owners.changePerson(stays.supervisor, { manager_id: former.manager.id })
  const task = addTask([...former.team, ...stays.team], 'Safety')
  await escalate(former.manager, [...former.team, ...stays.team], task)
  await untilWaiting(former.manager, 3)
  moveTo(present.manager, former)
  world.owners.completions.add(`${completed.id}:${task.id}`)
  passToDigestTime()
  await untilStates(former.manager, ['sent'])
  const text = decodeQuotedPrintable(receivedBy(former.manager)[0]!.content)
  expect(text).toContain('Trainee 4: “Safety”')
  expect(text).not.toMatch(/Trainee [12]/)
  await untilWaiting(present.manager, 1)
  expect(await messagesOf(present.manager)).toEqual([
    `task_escalated: ${moved.name} has not completed “Safety”, which was due on 5 January 2026 at 17:00 (Europe/Berlin).`,
  ])
  passToDigestTime()
  await untilStates(present.manager, ['sent'])
  const [mail, ...more] = receivedBy(present.manager)
  expect(more).toEqual([])
  expect(decodeQuotedPrintable(mail!.content)).toContain('Trainee 1: “Safety”')
  expect(receivedBy(former.manager)).toHaveLength(1)
})

test('a task of several days of escalation is told to the new manager once', async () => {
  const [former, present] = [addTeam(['Trainee 1']), addTeam([])]
  const task = addTask(former.team, 'Safety')
  await escalate(former.manager, former.team, task)
  await untilWaiting(former.manager, 1)
  await escalate(former.manager, former.team, task)
  await untilWaiting(former.manager, 2)
  moveTo(present.manager, former)
  passToDigestTime()
  await untilStates(former.manager, ['cancelled'])
  await untilWaiting(present.manager, 1)
  expect(await messagesOf(present.manager)).toEqual([
    `task_escalated: Trainee 1 has not completed “Safety”, which was due on 5 January 2026 at 17:00 (Europe/Berlin).`,
  ])
})

test('a time zone that is not known any more is that of the organisation', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  await world.callAs(manager).put('/notifications/mail/choices', { time_zone: 'Europe/Berlin' })
  const own = { _id: manager.id as never }
  await world.collection('mail_choices').updateOne(own, { $set: { time_zone: 'Mars/Base' } })
  await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(manager, 1)
  passToDigestTime()
  await untilStates(manager, ['sent'])
  expect(decodeQuotedPrintable(receivedBy(manager)[0]!.content)).toContain('was due on 5 January 2026 at 16:00 (UTC)')
})

test('an event that arrives after the change notifies the present manager, and nobody else', async () => {
  const [former, present, without] = [addTeam(['Trainee 1']), addTeam([]), addTeam(['Trainee 2'])]
  const task = addTask([...former.team, ...without.team], 'Safety')
  moveTo(present.manager, former)
  world.owners.changePerson(without.supervisor, { manager_id: null })
  await escalate(former.manager, [...former.team, ...without.team], task)
  await untilWaiting(present.manager, 1)
  expect(await messagesOf(present.manager)).toEqual([expect.stringContaining('Trainee 1 has not completed')])
  expect(await messagesOf(former.manager)).toEqual([])
  for (const { manager } of [former, without]) expect(await mailsOf(manager)).toEqual([])
})

test('all people move away: the former manager gets no mail, and two replicas tell the new one once', async () => {
  const replica = createNotificationService(world.config, await world.otherPorts())
  await replica.start()
  world.running.push(replica)
  const [former, present] = [addTeam(['Trainee 1', 'Trainee 2']), addTeam([])]
  await escalate(former.manager, former.team, addTask(former.team, 'Safety'))
  await untilWaiting(former.manager, 2)
  moveTo(present.manager, former)
  // A manager who is none any more passes the tasks on, too.
  world.owners.changePerson(former.manager, { role: 'supervisor' })
  passToDigestTime()
  await untilStates(former.manager, ['cancelled'])
  await untilWaiting(present.manager, 2)
  passToDigestTime()
  await untilStates(present.manager, ['sent'])
  expect(receivedBy(present.manager)[0]!.header('Subject')).toBe('In your teams: 2 overdue tasks')
  expect([receivedBy(former.manager), await messagesOf(present.manager)]).toEqual([[], [expect.any(String)]])
})

test('a person who leaves while the mail server is slow is not named, and is in the mail of the new manager', async () => {
  const [former, present] = [addTeam(['Trainee 1']), addTeam([])]
  const stays = addTeam(['Trainee 2'])
  world.owners.changePerson(stays.supervisor, { manager_id: former.manager.id })
  await escalate(former.manager, [...former.team, ...stays.team], addTask([...former.team, ...stays.team], 'Safety'))
  await untilWaiting(former.manager, 2)
  server.faults.set(former.manager.email, { isSlow: true })
  passToDigestTime()
  await eventually(() => expect(server.attempts(former.manager.email)).toBe(1))
  moveTo(present.manager, former)
  world.clock.advance(2_000)
  server.faults.clear()
  server.release()
  await untilStates(former.manager, ['sent'])
  const [mail, ...more] = receivedBy(former.manager)
  expect(more).toEqual([])
  expect(decodeQuotedPrintable(mail!.content)).not.toContain('Trainee 1')
  await untilWaiting(present.manager, 1)
})

test('while auth is away, the mail waits, and goes to the present manager afterwards', async () => {
  const [former, present] = [addTeam(['Trainee 1']), addTeam([])]
  await escalate(former.manager, former.team, addTask(former.team, 'Safety'))
  await untilWaiting(former.manager, 1)
  moveTo(present.manager, former)
  world.owners.unavailable = true
  passToDigestTime()
  await eventually(async () => {
    const [mail] = await mailsOf(former.manager)
    expect(mail!.state).toBe('waiting')
    expect(mail!.next_at.getTime()).toBeGreaterThan(world.clock.now())
  })
  world.owners.unavailable = false
  await eventually(async () => {
    const [mail] = await mailsOf(former.manager)
    // Longer than any pause; the last one may begin only now. An attempt under way would lose its
    // claim.
    if (mail!.state === 'waiting') world.clock.advance(60_000)
    expect(mail!.state).toBe('cancelled')
  })
  await untilWaiting(present.manager, 1)
})

test('the mail comes at the time of the digests in the manager’s own time zone, with due dates on its clocks', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  const zone = { time_zone: 'America/New_York' }
  expect((await world.callAs(manager).put('/notifications/mail/choices', zone)).status).toBe(200)
  await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(manager, 1)
  const sendAt = (await mailsOf(manager))[0]!.next_at as Date
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone.time_zone, timeStyle: 'short' })
  expect(clock.format(sendAt)).toBe('08:00')
  world.clock.advance(sendAt.getTime() - world.clock.now())
  await untilStates(manager, ['sent'])
  const text = decodeQuotedPrintable(receivedBy(manager)[0]!.content)
  expect(text).toContain('was due on 5 January 2026 at 11:00 (America/New_York)')
})

test('a manager who turned the mails off is told in the product only; a former manager gets no mail', async () => {
  const [silent, former] = [addTeam(['Trainee 1']), addTeam(['Trainee 2'])]
  const choices = (await world.callAs(silent.manager).get('/notifications/mail/choices')).json.kinds
  expect(choices).toContain('task_escalated')
  await world.callAs(silent.manager).put('/notifications/mail/choices', { kinds: [] })
  for (const { manager, team } of [silent, former]) await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(former.manager, 1)
  await eventually(async () => expect(await messagesOf(silent.manager)).toHaveLength(1))
  world.owners.changePerson(former.manager, { role: 'supervisor' })
  passToDigestTime()
  await untilStates(former.manager, ['cancelled'])
  await untilStates(silent.manager, ['cancelled'])
  expect(receivedBy(silent.manager)).toEqual([])
})

test('the tasks of a manager who turned the mails off are told to the next manager, too', async () => {
  const [former, present] = [addTeam(['Trainee 1']), addTeam([])]
  await world.callAs(former.manager).put('/notifications/mail/choices', { kinds: [] })
  await escalate(former.manager, former.team, addTask(former.team, 'Safety'))
  await untilWaiting(former.manager, 1)
  moveTo(present.manager, former)
  passToDigestTime()
  await untilStates(former.manager, ['cancelled'])
  await untilWaiting(present.manager, 1)
  expect(await messagesOf(present.manager)).toEqual([expect.stringContaining('Trainee 1 has not completed')])
})

test('quiet times hold the mail, and what is escalated meanwhile joins it', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(manager, 1)
  const dateIn = (days: number) => new Date(world.clock.now() + days * day).toISOString().slice(0, 10)
  await saveReminders({ ...defaultReminderSettings, quiet_dates: [0, 1, 2].map(dateIn) })
  passToDigestTime()
  // A mail that is held again, because the settings were still in memory, gets no more tasks
  // meanwhile.
  await eventually(async () => {
    const [mail] = await mailsOf(manager)
    expect(mail).toMatchObject({ state: 'waiting', held_until: expect.any(Date) })
    expect(mail!.next_at.getTime()).toBeGreaterThan(world.clock.now())
  })
  await escalate(manager, team, addTask(team, 'Ladders'))
  await untilWaiting(manager, 2)
  expect(await mailsOf(manager)).toHaveLength(1)
  world.clock.advance(3 * day)
  await untilStates(manager, ['sent'])
  expect(receivedBy(manager)[0]!.header('Subject')).toBe('In your teams: 2 overdue tasks')
  await saveReminders(defaultReminderSettings)
})

test('a mail that the server may have got gets no more tasks, also while quiet times hold it', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  await escalate(manager, team, addTask(team, 'Safety'))
  await untilWaiting(manager, 1)
  server.faults.set(manager.email, { cutsAfterContent: true })
  passToDigestTime()
  await untilStates(manager, ['unknown'])
  const dateIn = (days: number) => new Date(world.clock.now() + days * day).toISOString().slice(0, 10)
  await saveReminders({ ...defaultReminderSettings, quiet_dates: [0, 1].map(dateIn) })
  server.faults.clear()
  world.clock.advance(hour)
  await eventually(async () =>
    expect((await mailsOf(manager))[0]).toMatchObject({ state: 'waiting', held_until: expect.any(Date) }),
  )
  await escalate(manager, team, addTask(team, 'Ladders'))
  await eventually(async () =>
    expect((await mailsOf(manager)).map(mail => mail.escalated_tasks?.length)).toEqual([1, 1]),
  )
  await saveReminders(defaultReminderSettings)
  await untilStates(manager, ['sent', 'waiting'])
})

test('while an owner is away, the manager is told in the product, and the mail waits', async () => {
  const { manager, team } = addTeam(['Trainee 1'])
  const task = addTask(team, 'Safety')
  // The service knows the people, so that it needs auth for none of them.
  for (const person of [manager, ...team]) await world.callAs(person).get('/notifications/mail/choices')
  world.owners.unavailable = true
  await escalate(manager, team, task)
  await untilWaiting(manager, 1)
  expect(await messagesOf(manager)).toHaveLength(1)
})
