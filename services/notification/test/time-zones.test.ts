import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createNotificationService } from '../src/service.ts'
import { type NotificationWorld, startNotifications } from './_util.ts'

let world: NotificationWorld
let trainee: PersonSnapshot
beforeEach(async () => {
  world = await startNotifications({ replicas: 2 })
  trainee = world.addPerson('user')
})
afterEach(() => world.stop())

const path = '/notifications/mail/choices'
const choose = (body: object, replica = 0) => world.callAs(trainee, replica).put(path, body)
const eventsOf = async ({ id }: { id: string }) =>
  (await world.publishedEvents())
    .filter(({ type, data }) => type === 'person.time_zone_changed' && data.person_id === id)
    .map(({ data }) => data as { time_zone: string | null; changed_at: string })
/** Two replicas, whose jobs run at the same time. */
async function startPublishers() {
  const replicas = await Promise.all(
    [0, 1].map(async () => createNotificationService(world.config, await world.otherPorts())),
  )
  for (const replica of replicas) await replica.start()
  world.running.push(...replicas)
  return () => Promise.all(replicas.map(replica => replica.publishEarlierTimeZonesOnce()))
}
const zonesOf = async (person: { id: string }) => (await eventsOf(person)).map(({ time_zone }) => time_zone)

describe('the time zone of a person', () => {
  test('is published when it changes, and never by a call that leaves it', async () => {
    expect((await choose({ kinds: [] })).status).toBe(200)
    expect((await choose({ time_zone: null })).status).toBe(200)
    expect(await eventsOf(trainee)).toEqual([])
    for (const time_zone of ['Asia/Tokyo', 'Asia/Tokyo', null, null, 'Europe/Berlin'])
      expect((await choose({ time_zone })).status).toBe(200)
    expect((await choose({ kinds: ['task_assigned'] })).status).toBe(200)
    const events = await eventsOf(trainee)
    expect(events.map(({ time_zone }) => time_zone)).toEqual(['Asia/Tokyo', null, 'Europe/Berlin'])
    // Later changes have later times, although the clock stands still.
    const times = events.map(({ changed_at }) => changed_at)
    expect(times).toEqual([...new Set(times)].sort())
  })

  test('is published once by equal calls to two replicas at the same time, also as the first choice', async () => {
    const answers = await Promise.all([0, 1, 0, 1].map(replica => choose({ time_zone: 'Asia/Tokyo' }, replica)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await zonesOf(trainee)).toEqual(['Asia/Tokyo'])
  })

  test('that is unknown is refused with its field, and changes nothing', async () => {
    await choose({ time_zone: 'Asia/Tokyo' })
    for (const time_zone of ['Atlantis/Capital', '', 'x'.repeat(65), 7]) {
      const { status, json } = await choose({ time_zone, kinds: [] })
      expect([status, json.errors[0].path]).toEqual([422, 'time_zone'])
    }
    expect(await zonesOf(trainee)).toEqual(['Asia/Tokyo'])
    expect((await world.callAs(trainee).get(path)).json.time_zone).toBe('Asia/Tokyo')
  })

  test('of an earlier version is published once by the replicas of this one; an unknown one as none', async () => {
    const [unknown, none] = [world.addPerson('user'), world.addPerson('user')]
    const earlier = { [trainee.id]: 'Asia/Tokyo', [unknown.id]: 'Atlantis/Capital', [none.id]: null }
    await world
      .collection('mail_choices')
      .insertMany(Object.entries(earlier).map(([id, time_zone]) => ({ _id: id as never, kinds: {}, time_zone })))
    const publish = await startPublishers()
    await publish()
    await publish()
    expect(await zonesOf(trainee)).toEqual(['Asia/Tokyo'])
    expect(await zonesOf(unknown)).toEqual([null])
    expect(await zonesOf(none)).toEqual([])
    await choose({ time_zone: 'Europe/Berlin' })
    expect(await zonesOf(trainee)).toEqual(['Asia/Tokyo', 'Europe/Berlin'])
  })

  test('that a replica of an earlier version changes later is published by the job, or by the next choice', async () => {
    const changeInEarlierVersion = (time_zone: string | null) =>
      world.collection('mail_choices').updateOne({ _id: trainee.id as never }, { $set: { time_zone } })
    const publish = await startPublishers()
    await choose({ time_zone: 'Asia/Tokyo' })
    await changeInEarlierVersion('America/New_York')
    await publish()
    await changeInEarlierVersion(null)
    await publish()
    await changeInEarlierVersion('Europe/Berlin')
    await choose({ time_zone: 'Europe/Berlin' })
    await publish()
    const events = await eventsOf(trainee)
    expect(events.map(({ time_zone }) => time_zone)).toEqual(['Asia/Tokyo', 'America/New_York', null, 'Europe/Berlin'])
    const times = events.map(({ changed_at }) => changed_at)
    expect(times).toEqual([...new Set(times)].sort())
  })

  test('is published again, also if it is none, after an operator has removed the mark', async () => {
    const other = world.addPerson('user')
    await choose({ time_zone: 'Asia/Tokyo' })
    await world.callAs(other).put(path, { kinds: [] })
    // As docs/operations.md says.
    await world.collection('mail_choices').updateMany({}, { $set: { published_time_zone: '' } })
    const publish = await startPublishers()
    await publish()
    expect(await zonesOf(trainee)).toEqual(['Asia/Tokyo', 'Asia/Tokyo'])
    expect(await zonesOf(other)).toEqual([null])
  })
})
