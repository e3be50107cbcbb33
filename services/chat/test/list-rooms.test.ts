import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChatRoom } from '@watchline/contracts/chat'
import { listChatRecords } from '@watchline/contracts/internal-operations'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { eventually } from '@watchline/testing/harness'
import { type ChatWorld, startChat } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ noRateLimit: true })
})
afterAll(() => world.stop())

const partnerNames = (rooms: readonly ChatRoom[]) => rooms.map(room => room.other.name)

async function fetchPage(person: PersonSnapshot, query: string) {
  const answer = await world.callAs(person).get(`/chat/rooms${query}`)
  expect(answer.status).toBe(200)
  return {
    rooms: answer.json as ChatRoom[],
    total: Number(answer.headers.get('x-total-count')),
    nextCursor: answer.headers.get('x-next-cursor'),
  }
}

/** Reads all pages of `limit` rooms. */
async function readAllPages(person: PersonSnapshot, limit: number, search = '') {
  const rooms: ChatRoom[] = []
  let cursor: string | null = null
  do {
    const query: string = `?limit=${limit}${search && `&search=${encodeURIComponent(search)}`}${cursor ? `&cursor=${cursor}` : ''}`
    const page = await fetchPage(person, query)
    expect(page.rooms.length).toBeLessThanOrEqual(limit)
    rooms.push(...page.rooms)
    cursor = page.nextCursor
  } while (cursor)
  return rooms
}

describe('the list', () => {
  test('of a user is their supervisor, without a stored room', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.publishPeople(trainee, supervisor)
    const [first, second] = [trainee.id, supervisor.id].sort()
    expect(await world.listRooms(trainee)).toEqual([
      {
        id: roomId,
        user1_id: first,
        user2_id: second,
        chat_type: 'user_supervisor',
        unread_count_user1: 0,
        unread_count_user2: 0,
        other: {
          id: supervisor.id,
          name: supervisor.name,
          email: supervisor.email,
          picture: null,
          role: 'supervisor',
        },
        open: true,
        last_message: null,
        read_seq: 0,
        other_read_seq: 0,
      },
    ])
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(0)
  })

  test('of a user without a supervisor is empty', async () => {
    const user = world.addPerson('user')
    expect(await world.listRooms(user)).toEqual([])
    expect((await fetchPage(user, '')).total).toBe(0)
  })

  test('of a supervisor: latest rooms first, then team and manager by name, ignoring case and accents', async () => {
    const manager = world.addPerson('manager', { name: 'Émile' })
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const team = ['Zoe', 'adam', 'Bert', 'Ève', 'Eva'].map(name =>
      world.addPerson('user', { name, supervisor_id: supervisor.id }),
    )
    const outsider = world.addPerson('user', { name: 'Outside the team', supervisor_id: 'other' })
    await world.publishPeople(manager, supervisor, ...team, outsider)
    expect(partnerNames(await world.listRooms(supervisor))).toEqual(['adam', 'Bert', 'Émile', 'Eva', 'Ève', 'Zoe'])
    await world.send(supervisor, team[0]!, 'Hello')
    world.clock.advance(1_000)
    await world.send(team[2]!, supervisor, 'Hello')
    expect(partnerNames(await world.listRooms(supervisor))).toEqual(['Bert', 'Zoe', 'adam', 'Émile', 'Eva', 'Ève'])
    world.clock.advance(1_000)
    await world.send(supervisor, team[0]!, 'Again')
    expect(partnerNames(await world.listRooms(supervisor))).toEqual(['Zoe', 'Bert', 'adam', 'Émile', 'Eva', 'Ève'])
    expect((await fetchPage(supervisor, '')).total).toBe(6)
    for (const limit of [1, 2, 3, 5, 6])
      expect(partnerNames(await readAllPages(supervisor, limit))).toEqual([
        'Zoe',
        'Bert',
        'adam',
        'Émile',
        'Eva',
        'Ève',
      ])
    expect((await fetchPage(supervisor, '?limit=6')).nextCursor).toBeNull()
  })

  test('of a manager has own supervisors and all directors, of a director all managers, of an administrator rooms only', async () => {
    const ownWorld = await startChat()
    try {
      const manager = ownWorld.addPerson('manager', { name: 'Manager One' })
      const secondManager = ownWorld.addPerson('manager', { name: 'Manager Two' })
      const supervisors = ['M Supervisor', 'A Supervisor'].map(name =>
        ownWorld.addPerson('supervisor', { name, manager_id: manager.id }),
      )
      const user = ownWorld.addPerson('user', { supervisor_id: supervisors[0]!.id })
      const directors = ['K Director', 'Z Director'].map(name => ownWorld.addPerson('director', { name }))
      const admin = ownWorld.addPerson('admin', { name: 'Admin' })
      await ownWorld.publishPeople(manager, secondManager, ...supervisors, user, ...directors, admin)
      const listNames = async (person: PersonSnapshot) => partnerNames(await ownWorld.listRooms(person))
      expect(await listNames(manager)).toEqual(['A Supervisor', 'K Director', 'M Supervisor', 'Z Director'])
      expect(await listNames(secondManager)).toEqual(['K Director', 'Z Director'])
      expect(await listNames(directors[0]!)).toEqual(['Manager One', 'Manager Two'])
      expect(await listNames(admin)).toEqual([])
      await ownWorld.send(admin, user, 'Hello', { type: 'admin' })
      expect(await listNames(admin)).toEqual([user.name])
      expect(await listNames(user)).toEqual(['Admin', 'M Supervisor'])
      await ownWorld.send(directors[0]!, secondManager, 'Hello', { type: 'manager_director' })
      const answer = await ownWorld.callAs(directors[0]!).get('/chat/rooms?limit=1')
      expect(partnerNames(answer.json)).toEqual(['Manager Two'])
      expect(answer.headers.get('x-total-count')).toBe('2')
    } finally {
      await ownWorld.stop()
    }
  })

  test('of a director pages 130 managers with and without rooms, each once', async () => {
    const director = world.addPerson('director')
    const namePrefix = 'Paged'
    const managers = Array.from({ length: 130 }, (_, index) =>
      world.addPerson('manager', { name: `${namePrefix} ${String(index % 100).padStart(2, '0')}` }),
    )
    await world.publishPeople(director, ...managers)
    const contacted = managers.filter((_, index) => index % 9 === 0)
    for (const manager of contacted) {
      world.clock.advance(10)
      await world.send(director, manager, 'Hello', { type: 'manager_director' })
    }
    const expected = [
      ...[...contacted].reverse(),
      ...managers
        .filter(manager => !contacted.includes(manager))
        .sort((left, right) => (left.name + left.id < right.name + right.id ? -1 : 1)),
    ].map(({ id }) => id)
    for (const limit of [7, 50, 500])
      expect((await readAllPages(director, limit, namePrefix)).map(room => room.other.id)).toEqual(expected)
    expect((await fetchPage(director, `?limit=1&search=${namePrefix}`)).total).toBe(130)
    const ninety = managers.filter(({ name }) => name === 'Paged 90' || name === 'Paged 09')
    expect((await readAllPages(director, 10, 'PAGED 09')).map(room => room.other.id).sort()).toEqual(
      ninety
        .filter(({ name }) => name === 'Paged 09')
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('is searched by name, closed rooms included', async () => {
    const { trainee, supervisor } = world.createPair()
    const former = world.addPerson('user', { name: 'Ángel (former) $.*', supervisor_id: supervisor.id })
    await world.publishPeople(trainee, supervisor, former)
    await world.send(former, supervisor, 'Goodbye')
    await world.changeSupervisor(former, null)
    await eventually(async () => {
      const page = await fetchPage(supervisor, `?search=${encodeURIComponent('angel (FORMER) $.*')}`)
      expect(page.rooms.map(room => [room.other.id, room.open])).toEqual([[former.id, false]])
      expect(page.total).toBe(1)
    })
    expect(await fetchPage(supervisor, '?search=unknown-name')).toEqual({ rooms: [], total: 0, nextCursor: null })
  })

  test('scans a thousand rooms for a page and continues on the next', async () => {
    const admin = world.addPerson('admin')
    const people = Array.from({ length: 1_200 }, (_, index) =>
      world.addPerson('user', { name: index === 1_100 ? 'Needle' : `Hay ${index}` }),
    )
    await world.publishPeople(admin, ...people)
    const now = world.clock.now()
    await world.collection('rooms').insertMany(
      people.map((person, index) => {
        const [user1_id, user2_id] = [admin.id, person.id].sort() as [string, string]
        const last = {
          id: `m${index}`,
          seq: 1,
          s: 1,
          text: 'Hello',
          at: new Date(now - index),
          key: '1:#x',
          sent1: 1,
          sent2: 0,
        }
        const zeros = Object.fromEntries(
          ['sent2', 'read1', 'read2', 'read_seq1', 'read_seq2', 'unread1', 'moved_seq', 'moved_before'].map(key => [
            key,
            0,
          ]),
        )
        return {
          _id: `${user1_id}-${user2_id}`,
          user1_id,
          user2_id,
          chat_type: 'admin',
          ...zeros,
          last_seq: 1,
          sent1: 1,
          unread2: 1,
          updated_at: last.at,
          moved_keys: [],
          tail: [last],
        }
      }),
    )
    const first = await fetchPage(admin, '?search=needle')
    expect([first.rooms, first.total, typeof first.nextCursor]).toEqual([[], 0, 'string'])
    const second = await fetchPage(admin, `?search=needle&cursor=${first.nextCursor}`)
    expect([partnerNames(second.rooms), second.nextCursor]).toEqual([['Needle'], null])
    expect((await fetchPage(admin, '?limit=500')).total).toBe(1_000)
    expect(await readAllPages(admin, 500)).toHaveLength(1_200)
  })

  test('refuses a cursor of another list and an invalid limit', async () => {
    const { trainee } = world.createPair()
    for (const query of [
      '?cursor=abc',
      '?limit=0',
      '?limit=501',
      `?search=${'x'.repeat(121)}`,
      '?cursor=eyJiZWZvcmUiOjF9',
    ])
      expect([query, (await world.callAs(trainee).get(`/chat/rooms${query}`)).status]).toEqual([query, 422])
  })
})

test('a person reads how many messages are stored of their conversations', async () => {
  const { trainee, supervisor } = world.createPair()
  const colleague = world.addPerson('user', { supervisor_id: supervisor.id })
  await world.publishPeople(trainee, supervisor, colleague)
  const countOf = async (person: PersonSnapshot) => (await world.callAs(person).get('/chat/record')).json
  expect(await countOf(supervisor)).toEqual({ rooms: 0, sent: 0, received: 0 })
  await world.send(supervisor, trainee, 'Good morning')
  await world.send(trainee, supervisor, 'Good morning')
  await world.send(trainee, supervisor, 'How are you?')
  await world.send(colleague, supervisor, 'Hello')
  expect(await countOf(supervisor)).toEqual({ rooms: 2, sent: 1, received: 3 })
  expect(await countOf(trainee)).toEqual({ rooms: 1, sent: 2, received: 1 })
})

test('a message is a record of both people, and of nobody else', async () => {
  const { trainee, supervisor } = world.createPair()
  const client = createInternalClient({ url: world.urls[0]!, credentials: world.credentialsOf('auth') })
  const recordsOf = async (personId: string) => (await client.call(listChatRecords, { params: { personId } })).records
  expect(await recordsOf(supervisor.id)).toEqual([])
  expect((await world.send(trainee, supervisor, 'Hello')).status).toBe(200)
  for (const { id } of [trainee, supervisor]) expect(await recordsOf(id)).toEqual(['messages'])
})
