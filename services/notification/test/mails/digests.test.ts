import { beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import { defaultReminderSettings } from '../../src/rules/quiet-times.ts'
import { createNotificationService, type NotificationService } from '../../src/service.ts'
import { decodeQuotedPrintable } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
const { receivedBy, storedFor, untilState, eventually } = setUpMailTests(started => {
  world = started.world
})

describe('a digest', () => {
  const day = 24 * 3_600_000
  const task = { playlist_id: list, playlist_title: 'Safety first', due: '2026-01-31T16:00:00.000Z' }
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
      'Trainee 1: “Safety first” was due on 31 January 2026 at 16:00 (UTC)',
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
      'was due on 1 February 2026 at 01:00 (Asia/Tokyo)',
    )
    next -= 7 * day - 9 * 3_600_000
    await world.callAs(east).put('/notifications/mail/choices', { time_zone: null })
    await queueAll()
    await untilState(home, 'sent')
    expect([receivedBy(east).length, receivedBy(home).length]).toEqual([1, 1])
  })

  test('comes also if quiet times are saved after its time, and not if its own time is changed to an earlier one', async () => {
    const admin = world.addPerson('admin')
    const path = '/notifications/mail/reminders'
    const save = async (settings: object) => {
      const { version } = (await world.callAs(admin).get(path)).json
      expect((await world.callAs(admin).put(path, { ...settings, version })).status).toBe(200)
    }
    const supervisor = await addSupervisor()
    const dueAt = next
    world.clock.advance(dueAt - world.clock.now() + 60_000)
    const quiet = { ...defaultReminderSettings, hours: { from: '07:00', until: '19:00' } }
    await save(quiet)
    await save({ ...quiet, quiet_weekdays: [7] })
    next = world.clock.now()
    await queueAll()
    await untilState(supervisor, 'sent')

    next = dueAt + 7 * day + 3_600_000
    world.clock.advance(next - world.clock.now())
    await save({ ...quiet, digest: { weekdays: [1], time: '08:30' } })
    await save({ ...quiet, digest: { weekdays: [1], time: '08:30' }, quiet_weekdays: [6] })
    await queueAll()
    expect(await world.collection('mails').countDocuments({ recipient_id: supervisor.id })).toBe(1)
    await save(defaultReminderSettings)
    next = dueAt + 14 * day
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
