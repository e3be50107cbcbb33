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

/** Creates two people of every role: one chain of superiors, and strangers without superiors. */
function createOrganisation() {
  const director = world.addPerson('director')
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const user = world.addPerson('user', { supervisor_id: supervisor.id })
  const admin = world.addPerson('admin')
  const own = { user, supervisor, manager, director, admin }
  const strangers = Object.fromEntries(roles.map(role => [role, world.addPerson(role)])) as typeof own
  return { own, strangers }
}

// The relation of a person of the chain to another one of the chain, and to a stranger.
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
    const { own, strangers } = createOrganisation()
    for (const [partner, expected] of [
      [own[to], table[from][to][0]],
      [strangers[to], table[from][to][1]],
    ] as const) {
      const me = own[from]
      if (me.id === partner.id) continue
      for (const type of types.filter(candidate => candidate !== expected)) {
        const answer = await world.send(me, partner, 'wrong', { type })
        expect([type, answer.status]).toEqual([type, expected ? 422 : 403])
      }
      expect(await world.collection('rooms').countDocuments({ _id: roomIdOf(me.id, partner.id) })).toBe(0)
      if (expected) {
        const answer = await world.send(me, partner, 'right', { type: expected })
        expect(answer.status).toBe(200)
        const [room] = await world.listRooms(partner)
        expect(room).toMatchObject({
          id: roomIdOf(me.id, partner.id),
          chat_type: expected,
          open: true,
          other: { id: me.id },
        })
        expect((await world.send(partner, me, 'answer', { type: expected })).status).toBe(200)
        expect(textsOf(await world.listMessages(me, room!.id))).toEqual(['right', 'answer'])
      }
    }
  })
})

describe('a room', () => {
  test('can be read, marked and exported only by its two people', async () => {
    const { own, strangers } = createOrganisation()
    await world.send(own.user, own.supervisor, 'Between us')
    const roomId = roomIdOf(own.user.id, own.supervisor.id)
    for (const stranger of [own.manager, own.director, own.admin, ...Object.values(strangers)]) {
      await world.send(stranger, own.user, 'x', { type: 'admin' })
      for (const answer of [
        await world.callAs(stranger).get(`/chat/messages/${roomId}`),
        await world.callAs(stranger).get(`/chat/rooms/${roomId}/export`),
        await world.markRead(stranger, roomId),
      ])
        expect([stranger.role, answer.status, answer.json.code]).toEqual([stranger.role, 404, 'not_found'])
    }
    expect(await world.countUnread(own.supervisor)).toBe(1)
  })

  test('between people without a relation answers 404', async () => {
    const { own, strangers } = createOrganisation()
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
      expect([id, (await world.callAs(own.user).get(`/chat/messages/${id}`)).status]).toEqual([id, 404])
      expect([id, (await world.callAs(own.user).get(`/chat/rooms/${id}/export`)).status]).toEqual([id, 404])
    }
    expect((await world.markRead(own.user, ids[0]!)).status).toBe(404)
    expect((await world.markRead(own.user, '')).status).toBe(422)
  })

  test('without messages is empty, and marking it as read changes nothing', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.publishPeople(trainee, supervisor)
    expect(await world.listMessages(trainee, roomId)).toEqual([])
    expect((await world.markRead(trainee, roomId)).status).toBe(200)
    const text = (await world.callAs(trainee).get(`/chat/rooms/${roomId}/export`)).text
    expect(text).toBe(`Chat between ${trainee.name} and ${supervisor.name}\n`)
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(0)
  })
})

describe('moved people', () => {
  test('keep their former room, closed: both may read it and neither may write', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const newSupervisor = world.addPerson('supervisor')
    await world.send(trainee, supervisor, 'Before')
    await world.send(supervisor, trainee, 'Also before')
    await world.changeSupervisor(trainee, newSupervisor.id)
    for (const [me, partner] of [
      [trainee, supervisor],
      [supervisor, trainee],
    ] as const) {
      await eventually(async () => expect((await world.send(me, partner, 'After')).status).toBe(403))
      await world.resetRateLimit(me)
      expect((await world.callAs(me).post('/chat/typing', { recipient_id: partner.id })).status).toBe(403)
      expect(textsOf(await world.listMessages(me, roomId))).toEqual(['Before', 'Also before'])
      expect((await world.listRooms(me)).find(({ id }) => id === roomId)).toMatchObject({
        open: false,
        chat_type: 'user_supervisor',
      })
      expect((await world.markRead(me, roomId)).status).toBe(200)
      expect(await world.countUnread(me)).toBe(0)
    }
    expect((await world.send(trainee, newSupervisor, 'Hello')).status).toBe(200)
  })

  test('may write to their new supervisor before an event arrives', async () => {
    const { trainee, supervisor } = world.createPair()
    await world.send(trainee, supervisor, 'Known')
    const newSupervisor = world.addPerson('supervisor')
    await world.publishPeople(newSupervisor)
    world.changePerson(trainee, { supervisor_id: newSupervisor.id })
    expect((await world.send(newSupervisor, trainee, 'Welcome')).status).toBe(200)
    // The service now has auth's answer, so it refuses the former supervisor.
    expect((await world.send(supervisor, trainee, 'Good luck')).status).toBe(403)
  })

  test('are refused also while auth is unavailable', async () => {
    const { trainee } = world.createPair()
    const stranger = world.addPerson('supervisor')
    await world.publishPeople(trainee, stranger)
    world.setAuthUnavailable(true)
    try {
      expect((await world.send(trainee, stranger, 'x')).status).toBe(403)
      expect((await world.send(trainee, world.addPerson('supervisor'), 'x')).status).toBe(503)
    } finally {
      world.setAuthUnavailable(false)
    }
  })

  test('receive nothing while they are deactivated, and nobody can choose them', async () => {
    const director = world.addPerson('director')
    const manager = world.addPerson('manager')
    await world.publishPeople(director, manager)
    const deactivated = world.changePerson(manager, { deactivated_at: '2026-01-05T09:00:00.000Z' })
    await world.publish('user.deactivated', {
      person: deactivated,
      by: null,
      previous_supervisor_id: null,
      previous_manager_id: null,
    })
    await eventually(async () =>
      expect((await world.send(director, manager, 'x', { type: 'manager_director' })).status).toBe(403),
    )
    expect((await world.listRooms(director)).map(({ other }: { other: { id: string } }) => other.id)).not.toContain(
      manager.id,
    )
    await world.publish('user.reactivated', {
      person: world.changePerson(deactivated, { deactivated_at: undefined }),
      by: null,
    })
    await eventually(async () =>
      expect((await world.send(director, manager, 'x', { type: 'manager_director' })).status).toBe(200),
    )
  })

  test('with a new role keep their room with a new relation', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.send(trainee, supervisor, 'As a trainee')
    const manager: PersonSnapshot = world.changePerson(supervisor, { role: 'manager' })
    const promoted = world.changePerson(trainee, { role: 'supervisor', supervisor_id: null, manager_id: manager.id })
    await world.publish('user.role_changed', { person: manager, by: null, previous_role: 'supervisor' })
    await world.publish('user.role_changed', { person: promoted, by: null, previous_role: 'user' })
    await eventually(async () => {
      const answer = await world.send(promoted, manager, 'As a supervisor', {
        type: 'supervisor_manager',
        clientId: 'c',
      })
      expect(answer.status).toBe(200)
    })
    expect(textsOf(await world.listMessages(manager, roomId))).toEqual(['As a trainee', 'As a supervisor'])
    const [room] = await world.listRooms(manager)
    expect(room).toMatchObject({ id: roomId, chat_type: 'supervisor_manager', open: true })
  })
})
