import { afterEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { Notification } from '@watchline/contracts/notification'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { aCompletion, type NotificationWorld, startNotifications } from './_util.ts'

let world: NotificationWorld
afterEach(() => world.stop())

function aTeam(size: number) {
  const supervisor = world.person('supervisor')
  const team = Array.from({ length: size }, (_, index) =>
    world.person('user', { name: `Trainee ${index + 1}`, supervisor_id: supervisor.id }),
  )
  return { supervisor, team }
}

const countsOf = (all: readonly Notification[]) => Object.fromEntries(all.map(each => [each.kind, each.count]))

describe('a flood', () => {
  test('of ten trainees is three items whose counts add up, on two replicas, every event told twice', async () => {
    world = await startNotifications({ bus: 'rabbitmq', live: 'redis', replicas: 2 })
    const { supervisor, team } = aTeam(10)
    const telling: Promise<void>[] = []
    for (const trainee of team) {
      for (let index = 0; index < 50; index += 1) {
        const completion = aCompletion(trainee, { video_id: `film-${index}`, video_title: `Film ${index}` })
        const noted = { ...completion, notes: [{ code: 'skipped' as const, times: 2 }] }
        const id = newId()
        for (const again of [1, 2]) {
          telling.push(world.tell('video.completed', completion, { id: `done-${id}` }))
          if (again === 1) telling.push(world.tell('integrity.noted', noted, { id: `noted-${id}` }))
        }
      }
      telling.push(
        world.tell('playlist.completed', {
          person_id: trainee.id,
          playlist_id: 'list-1',
          completed_at: new Date().toISOString(),
        }),
      )
    }
    await Promise.all(telling)
    const { notifications, unread_count } = await eventually(async () => {
      const listed = await world.list(supervisor, '/notifications', 1)
      expect(countsOf(listed.notifications)).toEqual({ video_completed: 500, integrity: 1_000, playlist_completed: 10 })
      return listed
    }, 60_000)
    expect([notifications.length, unread_count]).toEqual([3, 3])
    const [done] = notifications.filter(each => each.kind === 'video_completed')
    expect(done!.message).toMatch(/^Trainee \d+, Trainee \d+ and 8 others completed 500 videos\.$/)
    expect([done!.user_id, done!.video_id, done!.playlist_id]).toEqual([null, null, 'list-1'])
  }, 120_000)
})

describe('folding', () => {
  test('ends five minutes after the first, and is by kind and recipient', async () => {
    world = await startNotifications()
    const { supervisor, team } = aTeam(1)
    const other = aTeam(1)
    const happens = async (trainee = team[0]!) => {
      await world.tell('video.completed', aCompletion(trainee))
      await world.settled()
    }
    await happens()
    world.clock.advance(limits.notificationFoldMs - 1)
    await happens()
    await happens(other.team[0]!)
    expect((await world.list(supervisor)).notifications.map(each => each.count)).toEqual([2])
    expect((await world.list(other.supervisor)).notifications.map(each => each.count)).toEqual([1])
    world.clock.advance(1)
    await happens()
    expect((await world.list(supervisor)).notifications.map(each => each.count)).toEqual([1, 2])
  })

  test('makes news of what was read', async () => {
    world = await startNotifications()
    const { supervisor, team } = aTeam(1)
    await world.tell('video.completed', aCompletion(team[0]!))
    await world.settled()
    await world.as(supervisor).post('/notifications/read-all')
    expect((await world.list(supervisor)).unread_count).toBe(0)
    await world.tell('video.completed', aCompletion(team[0]!))
    await world.settled()
    expect(await world.list(supervisor)).toMatchObject({ unread_count: 1, notifications: [{ count: 2 }] })
  })

  test('takes up what a process that died had only written down', async () => {
    world = await startNotifications()
    const { supervisor, team } = aTeam(1)
    const [trainee] = team
    await world.rows('happenings').insertOne({
      _id: newId() as never,
      recipient_id: supervisor.id,
      kind: 'video_completed',
      facts: {
        kind: 'video_completed',
        people: [{ id: trainee!.id, name: 'Trainee 1' }],
        count: 1,
        happenings: 1,
      },
      at: new Date(world.clock.now() - 60_000),
    })
    await eventually(async () => expect((await world.list(supervisor)).notifications).toHaveLength(1))
    expect(await world.rows('happenings').countDocuments()).toBe(0)
  })
})
