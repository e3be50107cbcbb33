import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChatType } from '@watchline/contracts/chat'
import { type PersonSnapshot, roles } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { roomIdOf } from '../src/rules/room.ts'
import { type ChatWorld, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat()
})
afterAll(() => world.stop())

/** Two people of every role: a chain of superiors, and strangers without any. */
function anOrganisation() {
  const director = world.person('director')
  const manager = world.person('manager')
  const supervisor = world.person('supervisor', { manager_id: manager.id })
  const user = world.person('user', { supervisor_id: supervisor.id })
  const admin = world.person('admin')
  const own = { user, supervisor, manager, director, admin }
  const strangers = Object.fromEntries(roles.map(role => [role, world.person(role)])) as typeof own
  return { own, strangers }
}

// The relation from a person of the chain to another of it, and to a stranger.
const table: Record<
  (typeof roles)[number],
  Record<(typeof roles)[number], [own: ChatType | null, stranger: ChatType | null]>
> = {
  user: {
    user: [null, null],
    supervisor: ['user_supervisor', null],
    manager: [null, null],
    director: [null, null],
    admin: [null, null],
  },
  supervisor: {
    user: ['user_supervisor', null],
    supervisor: [null, null],
    manager: ['supervisor_manager', null],
    director: [null, null],
    admin: [null, null],
  },
  manager: {
    user: [null, null],
    supervisor: ['supervisor_manager', null],
    manager: [null, null],
    director: ['manager_director', 'manager_director'],
    admin: [null, null],
  },
  director: {
    user: [null, null],
    supervisor: [null, null],
    manager: ['manager_director', 'manager_director'],
    director: [null, null],
    admin: [null, null],
  },
  admin: {
    user: ['admin', 'admin'],
    supervisor: ['admin', 'admin'],
    manager: ['admin', 'admin'],
    director: ['admin', 'admin'],
    admin: [null, 'admin'],
  },
}

const types: ChatType[] = ['user_supervisor', 'supervisor_manager', 'manager_director', 'admin']

describe.each(roles)('a %s', from => {
  test.each(roles)('may write to a %s as the table says', async to => {
    const { own, strangers } = anOrganisation()
    for (const [other, expected] of [
      [own[to], table[from][to][0]],
      [strangers[to], table[from][to][1]],
    ] as const) {
      const me = own[from]
      if (me.id === other.id) continue
      for (const type of types.filter(candidate => candidate !== expected)) {
        const answer = await world.send(me, other, 'wrong', { type })
        expect([type, answer.status]).toEqual([type, expected ? 422 : 403])
      }
      expect(await world.rows('rooms').countDocuments({ _id: roomIdOf(me.id, other.id) })).toBe(0)
      if (expected) {
        const answer = await world.send(me, other, 'right', { type: expected })
        expect(answer.status).toBe(200)
        const [room] = await world.rooms(other)
        expect(room).toMatchObject({
          id: roomIdOf(me.id, other.id),
          chat_type: expected,
          open: true,
          other: { id: me.id },
        })
        expect((await world.send(other, me, 'answer', { type: expected })).status).toBe(200)
        expect(textsOf(await world.messages(me, room!.id))).toEqual(['right', 'answer'])
      }
    }
  })
})

describe('a room', () => {
  test('is read, marked and exported by its two people alone', async () => {
    const { own, strangers } = anOrganisation()
    await world.send(own.user, own.supervisor, 'Between us')
    const roomId = roomIdOf(own.user.id, own.supervisor.id)
    for (const stranger of [own.manager, own.director, own.admin, ...Object.values(strangers)]) {
      await world.send(stranger, own.user, 'x', { type: 'admin' })
      for (const answer of [
        await world.as(stranger).get(`/chat/messages/${roomId}`),
        await world.as(stranger).get(`/chat/rooms/${roomId}/export`),
        await world.read(stranger, roomId),
      ])
        expect([stranger.role, answer.status, answer.json.code]).toEqual([stranger.role, 404, 'not_found'])
    }
    expect(await world.unread(own.supervisor)).toBe(1)
  })

  test('that cannot exist is 404', async () => {
    const { own, strangers } = anOrganisation()
    await world.send(own.user, strangers.supervisor, 'x')
    const ids = [
      roomIdOf(own.user.id, strangers.supervisor.id),
      `${own.user.id}-${own.user.id}`,
      `${own.user.id}-nobody`,
      'nonsense',
      encodeURIComponent('../rooms'),
      'x'.repeat(400),
    ]
    for (const id of ids) {
      expect([id, (await world.as(own.user).get(`/chat/messages/${id}`)).status]).toEqual([id, 404])
      expect([id, (await world.as(own.user).get(`/chat/rooms/${id}/export`)).status]).toEqual([id, 404])
    }
    expect((await world.read(own.user, ids[0]!)).status).toBe(404)
    expect((await world.read(own.user, '')).status).toBe(422)
  })

  test('without messages is empty, and marking it read is harmless', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    expect(await world.messages(trainee, roomId)).toEqual([])
    expect((await world.read(trainee, roomId)).status).toBe(200)
    const text = (await world.as(trainee).get(`/chat/rooms/${roomId}/export`)).text
    expect(text).toBe(`Chat between ${trainee.name} and ${supervisor.name}\n`)
    expect(await world.rows('rooms').countDocuments({ _id: roomId })).toBe(0)
  })
})

describe('people who are moved', () => {
  test('keep their former room, closed: both may read it and neither may write', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    const next = world.person('supervisor')
    await world.send(trainee, supervisor, 'Before')
    await world.send(supervisor, trainee, 'Also before')
    await world.changeSupervisor(trainee, next.id)
    for (const [me, other] of [
      [trainee, supervisor],
      [supervisor, trainee],
    ] as const) {
      await eventually(async () => expect((await world.send(me, other, 'After')).status).toBe(403))
      await world.resetRateLimit(me)
      expect((await world.as(me).post('/chat/typing', { recipient_id: other.id })).status).toBe(403)
      expect(textsOf(await world.messages(me, roomId))).toEqual(['Before', 'Also before'])
      expect((await world.rooms(me)).find(({ id }) => id === roomId)).toMatchObject({
        open: false,
        chat_type: 'user_supervisor',
      })
      expect((await world.read(me, roomId)).status).toBe(200)
      expect(await world.unread(me)).toBe(0)
    }
    expect((await world.send(trainee, next, 'Hello')).status).toBe(200)
  })

  test('may write to their new supervisor before an event arrives', async () => {
    const { trainee, supervisor } = world.pair()
    await world.send(trainee, supervisor, 'Known')
    const next = world.person('supervisor')
    await world.introduce(next)
    world.change(trainee, { supervisor_id: next.id })
    expect((await world.send(next, trainee, 'Welcome')).status).toBe(200)
    // The service asked auth, so it now refuses the former supervisor.
    expect((await world.send(supervisor, trainee, 'Good luck')).status).toBe(403)
  })

  test('are refused also while auth is away', async () => {
    const { trainee } = world.pair()
    const stranger = world.person('supervisor')
    await world.introduce(trainee, stranger)
    world.setAuthAway(true)
    try {
      expect((await world.send(trainee, stranger, 'x')).status).toBe(403)
      expect((await world.send(trainee, world.person('supervisor'), 'x')).status).toBe(503)
    } finally {
      world.setAuthAway(false)
    }
  })

  test('into another role keep their room with a new relation', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.send(trainee, supervisor, 'As a trainee')
    const manager: PersonSnapshot = world.change(supervisor, { role: 'manager' })
    const promoted = world.change(trainee, { role: 'supervisor', supervisor_id: null, manager_id: manager.id })
    await world.publish('user.role_changed', { person: manager, by: null, previous_role: 'supervisor' })
    await world.publish('user.role_changed', { person: promoted, by: null, previous_role: 'user' })
    await eventually(async () => {
      const answer = await world.send(promoted, manager, 'As a supervisor', {
        type: 'supervisor_manager',
        clientId: 'c',
      })
      expect(answer.status).toBe(200)
    })
    expect(textsOf(await world.messages(manager, roomId))).toEqual(['As a trainee', 'As a supervisor'])
    const [room] = await world.rooms(manager)
    expect(room).toMatchObject({ id: roomId, chat_type: 'supervisor_manager', open: true })
  })
})
