import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import { createManualClock } from '@watchline/testing/manual-clock'
import { holdReminderIfQuiet } from '../../src/actions/hold-reminder.ts'
import { defaultReminderSettings } from '../../src/rules/quiet-times.ts'
import type { TestMailServer } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { due, list, openMails, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, remind, receivedBy, storedFor, untilState, eventually } = setUpMailTests(started => {
  ;({ world, server } = started)
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

  test('that last longer than the grace period make its reminder one of an overdue task', async () => {
    const trainees = [addTrainee(), addTrainee()] as const
    const remindUntil = (trainee: PersonSnapshot, days: number) => {
      const at = new Date(world.clock.now() + days * 24 * hour).toISOString()
      return world.publish('task.due', {
        ...{ playlist_id: list, title: 'Safety first', reason: 'overdue', people: [trainee.id], due },
        grace_until: { at, local: at.slice(0, 16), time_zone: 'UTC' },
      })
    }
    await save(quietDays(4))
    await remindUntil(trainees[0], 2)
    await remindUntil(trainees[1], 6)
    for (const trainee of trainees)
      await eventually(async () => expect(await storedFor(trainee)).toHaveProperty('held_until'))
    world.clock.advance(4 * 24 * hour)
    for (const trainee of trainees) await untilState(trainee, 'sent')
    const subjects = trainees.map(trainee => receivedBy(trainee).map(mail => mail.header('Subject')))
    expect(subjects).toEqual([['Task overdue: Safety first'], ['Task in its grace period: Safety first']])
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

const timeZoneConverterOf = (timeZone: string) => ({
  localTimeOf: (at: number) => localTimeOf(at, timeZone),
  instantOf: (local: string) => instantOf(local, timeZone),
})

test('a reminder looks for its time again if the settings are changed while it is being held', async () => {
  const createdAt = new Date('2027-01-30T09:00Z')
  const clock = createManualClock(createdAt.getTime())
  const { database, mails } = await openMails(world, 'holds', createdAt)
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
  const { database, mails } = await openMails(world, 'moves', createdAt)
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
