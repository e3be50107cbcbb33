import { afterEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { Notification } from '@watchline/contracts/notification'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { makeCompletion, type NotificationWorld, startNotifications } from './_util.ts'

let world: NotificationWorld
afterEach(() => world.stop())

function createTeam(size: number) {
  const supervisor = world.addPerson('supervisor')
  const trainees = Array.from({ length: size }, (_, index) =>
    world.addPerson('user', { name: `Trainee ${index + 1}`, supervisor_id: supervisor.id }),
  )
  return { supervisor, trainees }
}

const countsByKind = (notifications: readonly Notification[]) =>
  Object.fromEntries(notifications.map(({ kind, count }) => [kind, count]))

describe('many activities', () => {
  test('of ten trainees become three notifications, on two replicas, with repeated events', async () => {
    world = await startNotifications({ bus: 'rabbitmq', live: 'redis', replicas: 2 })
    const { supervisor, trainees } = createTeam(10)
    const publishing: Promise<void>[] = []
    for (const trainee of trainees) {
      for (let index = 0; index < 50; index += 1) {
        const completion = makeCompletion(trainee, { video_id: `film-${index}`, video_title: `Film ${index}` })
        const integrity = { ...completion, notes: [{ code: 'skipped' as const, times: 2 }] }
        const id = newId()
        publishing.push(world.publish('video.completed', completion, { id: `done-${id}` }))
        publishing.push(world.publish('integrity.noted', integrity, { id: `noted-${id}` }))
        publishing.push(world.publish('video.completed', completion, { id: `done-${id}` }))
      }
      publishing.push(
        world.publish('playlist.completed', {
          person_id: trainee.id,
          playlist_id: 'list-1',
          completed_at: new Date().toISOString(),
        }),
      )
    }
    await Promise.all(publishing)
    const { notifications, unread_count } = await eventually(async () => {
      const list = await world.list(supervisor, '/notifications', 1)
      expect(countsByKind(list.notifications)).toEqual({
        video_completed: 500,
        integrity: 1_000,
        playlist_completed: 10,
      })
      return list
    })
    expect([notifications.length, unread_count]).toEqual([3, 3])
    const completed = notifications.find(({ kind }) => kind === 'video_completed')!
    expect(completed.message).toMatch(/^Trainee \d+, Trainee \d+ and 8 others completed 500 videos\.$/)
    expect([completed.user_id, completed.video_id, completed.playlist_id]).toEqual([null, null, 'list-1'])
  })
})

describe('grouping', () => {
  test('separates kinds and recipients, and ends five minutes after the first activity', async () => {
    world = await startNotifications()
    const { supervisor, trainees } = createTeam(1)
    const otherTeam = createTeam(1)
    const completeVideo = async (trainee = trainees[0]!) => {
      await world.publish('video.completed', makeCompletion(trainee))
      await world.untilGrouped()
    }
    const countsOf = async (person: typeof supervisor) =>
      (await world.list(person)).notifications.map(({ count }) => count)
    await completeVideo()
    world.clock.advance(limits.notificationGroupingMs - 1)
    await completeVideo()
    await completeVideo(otherTeam.trainees[0]!)
    expect(await countsOf(supervisor)).toEqual([2])
    expect(await countsOf(otherTeam.supervisor)).toEqual([1])
    world.clock.advance(1)
    await completeVideo()
    expect(await countsOf(supervisor)).toEqual([1, 2])
  })

  test('makes a read notification unread again', async () => {
    world = await startNotifications()
    const { supervisor, trainees } = createTeam(1)
    await world.publish('video.completed', makeCompletion(trainees[0]!))
    await world.untilGrouped()
    await world.callAs(supervisor).post('/notifications/read-all')
    expect((await world.list(supervisor)).unread_count).toBe(0)
    await world.publish('video.completed', makeCompletion(trainees[0]!))
    await world.untilGrouped()
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 1, notifications: [{ count: 2 }] })
  })

  test('continues with activities that a process stored before it died', async () => {
    world = await startNotifications()
    const { supervisor, trainees } = createTeam(1)
    await world.collection('happenings').insertOne({
      _id: newId() as never,
      recipient_id: supervisor.id,
      kind: 'video_completed',
      facts: {
        kind: 'video_completed',
        people: [{ id: trainees[0]!.id, name: 'Trainee 1' }],
        count: 1,
        happenings: 1,
      },
      at: new Date(world.clock.now() - 60_000),
    })
    await eventually(async () => expect((await world.list(supervisor)).notifications).toHaveLength(1))
    expect(await world.collection('happenings').countDocuments()).toBe(0)
  })
})
