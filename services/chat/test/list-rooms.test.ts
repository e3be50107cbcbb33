import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChatRoom } from '@watchline/contracts/chat'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { type ChatWorld, startChat } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ noRateLimit: true })
})
afterAll(() => world.stop())

const names = (rooms: readonly ChatRoom[]) => rooms.map(room => room.other.name)

async function page(who: PersonSnapshot, query: string) {
  const answer = await world.as(who).get(`/chat/rooms${query}`)
  expect(answer.status).toBe(200)
  return {
    rooms: answer.json as ChatRoom[],
    total: Number(answer.headers.get('x-total-count')),
    next: answer.headers.get('x-next-cursor'),
  }
}

/** All pages of `limit` rooms. */
async function walk(who: PersonSnapshot, limit: number, search = '') {
  const rooms: ChatRoom[] = []
  let cursor: string | null = null
  do {
    const query: string = `?limit=${limit}${search && `&search=${encodeURIComponent(search)}`}${cursor ? `&cursor=${cursor}` : ''}`
    const found = await page(who, query)
    expect(found.rooms.length).toBeLessThanOrEqual(limit)
    rooms.push(...found.rooms)
    cursor = found.next
  } while (cursor)
  return rooms
}

describe('the list', () => {
  test('of a user is their supervisor, without a stored room', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    const [first, second] = [trainee.id, supervisor.id].sort()
    expect(await world.rooms(trainee)).toEqual([
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
    expect(await world.rows('rooms').countDocuments({ _id: roomId })).toBe(0)
  })

  test('of a user without a supervisor is empty', async () => {
    const user = world.person('user')
    expect(await world.rooms(user)).toEqual([])
    expect((await page(user, '')).total).toBe(0)
  })

  test('of a supervisor: rooms latest first, then team and manager by name, without regard to case and accents', async () => {
    const manager = world.person('manager', { name: 'Émile' })
    const supervisor = world.person('supervisor', { manager_id: manager.id })
    const team = ['Zoe', 'adam', 'Bert', 'Ève', 'Eva'].map(name =>
      world.person('user', { name, supervisor_id: supervisor.id }),
    )
    const elsewhere = world.person('user', { name: 'Nobody of mine', supervisor_id: 'other' })
    await world.introduce(manager, supervisor, ...team, elsewhere)
    expect(names(await world.rooms(supervisor))).toEqual(['adam', 'Bert', 'Émile', 'Eva', 'Ève', 'Zoe'])
    await world.send(supervisor, team[0]!, 'Hello')
    world.clock.advance(1_000)
    await world.send(team[2]!, supervisor, 'Hello')
    expect(names(await world.rooms(supervisor))).toEqual(['Bert', 'Zoe', 'adam', 'Émile', 'Eva', 'Ève'])
    world.clock.advance(1_000)
    await world.send(supervisor, team[0]!, 'Again')
    expect(names(await world.rooms(supervisor))).toEqual(['Zoe', 'Bert', 'adam', 'Émile', 'Eva', 'Ève'])
    expect((await page(supervisor, '')).total).toBe(6)
    for (const limit of [1, 2, 3, 5, 6])
      expect(names(await walk(supervisor, limit))).toEqual(['Zoe', 'Bert', 'adam', 'Émile', 'Eva', 'Ève'])
    expect((await page(supervisor, '?limit=6')).next).toBeNull()
  })

  test('of a manager: own supervisors and every director, together by name; of a director every manager; of an administrator rooms only', async () => {
    const own = await startChat()
    try {
      const manager = own.person('manager', { name: 'Manager One' })
      const other = own.person('manager', { name: 'Manager Two' })
      const supervisors = ['M Supervisor', 'A Supervisor'].map(name =>
        own.person('supervisor', { name, manager_id: manager.id }),
      )
      const user = own.person('user', { supervisor_id: supervisors[0]!.id })
      const directors = ['K Director', 'Z Director'].map(name => own.person('director', { name }))
      const admin = own.person('admin', { name: 'Admin' })
      await own.introduce(manager, other, ...supervisors, user, ...directors, admin)
      const listed = async (who: PersonSnapshot) => names(await own.rooms(who))
      expect(await listed(manager)).toEqual(['A Supervisor', 'K Director', 'M Supervisor', 'Z Director'])
      expect(await listed(other)).toEqual(['K Director', 'Z Director'])
      expect(await listed(directors[0]!)).toEqual(['Manager One', 'Manager Two'])
      expect(await listed(admin)).toEqual([])
      await own.send(admin, user, 'Hello', { type: 'admin' })
      expect(await listed(admin)).toEqual([user.name])
      expect(await listed(user)).toEqual(['Admin', 'M Supervisor'])
      await own.send(directors[0]!, other, 'Hello', { type: 'manager_director' })
      const answer = await own.as(directors[0]!).get('/chat/rooms?limit=1')
      expect(names(answer.json)).toEqual(['Manager Two'])
      expect(answer.headers.get('x-total-count')).toBe('2')
    } finally {
      await own.stop()
    }
  })

  test('of a director pages 130 managers, with and without rooms, each once', async () => {
    const director = world.person('director')
    const mark = 'Paged'
    const managers = Array.from({ length: 130 }, (_, at) =>
      world.person('manager', { name: `${mark} ${String(at % 100).padStart(2, '0')}` }),
    )
    await world.introduce(director, ...managers)
    const contacted = managers.filter((_, at) => at % 9 === 0)
    for (const manager of contacted) {
      world.clock.advance(10)
      await world.send(director, manager, 'Hello', { type: 'manager_director' })
    }
    const expected = [
      ...[...contacted].reverse(),
      ...managers
        .filter(manager => !contacted.includes(manager))
        .sort((one, other) => (one.name + one.id < other.name + other.id ? -1 : 1)),
    ].map(({ id }) => id)
    for (const limit of [7, 50, 500])
      expect((await walk(director, limit, mark)).map(room => room.other.id)).toEqual(expected)
    expect((await page(director, `?limit=1&search=${mark}`)).total).toBe(130)
    const ninety = managers.filter(({ name }) => name === 'Paged 90' || name === 'Paged 09')
    expect((await walk(director, 10, 'PAGED 09')).map(room => room.other.id).sort()).toEqual(
      ninety
        .filter(({ name }) => name === 'Paged 09')
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('is searched by name, closed rooms included', async () => {
    const { trainee, supervisor } = world.pair()
    const former = world.person('user', { name: 'Ángel (former) $.*', supervisor_id: supervisor.id })
    await world.introduce(trainee, supervisor, former)
    await world.send(former, supervisor, 'Goodbye')
    await world.changeSupervisor(former, null)
    await eventually(async () => {
      const found = await page(supervisor, `?search=${encodeURIComponent('angel (FORMER) $.*')}`)
      expect(found.rooms.map(room => [room.other.id, room.open])).toEqual([[former.id, false]])
      expect(found.total).toBe(1)
    })
    expect(await page(supervisor, '?search=nobody-is-called-so')).toEqual({ rooms: [], total: 0, next: null })
  })

  test('scans a thousand rooms for a page and continues on the next', async () => {
    const admin = world.person('admin')
    const many = Array.from({ length: 1_200 }, (_, at) =>
      world.person('user', { name: at === 1_100 ? 'Needle' : `Hay ${at}` }),
    )
    await world.introduce(admin, ...many)
    const at = world.clock.now()
    await world.rows('rooms').insertMany(
      many.map((other, index) => {
        const [user1_id, user2_id] = [admin.id, other.id].sort() as [string, string]
        const last = {
          id: `m${index}`,
          seq: 1,
          s: 1,
          text: 'Hello',
          at: new Date(at - index),
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
    const first = await page(admin, '?search=needle')
    expect([first.rooms, first.total, typeof first.next]).toEqual([[], 0, 'string'])
    const second = await page(admin, `?search=needle&cursor=${first.next}`)
    expect([names(second.rooms), second.next]).toEqual([['Needle'], null])
    expect((await page(admin, '?limit=500')).total).toBe(1_000)
    expect(await walk(admin, 500)).toHaveLength(1_200)
  })

  test('refuses a cursor of another list and an invalid limit', async () => {
    const { trainee } = world.pair()
    for (const query of [
      '?cursor=abc',
      '?limit=0',
      '?limit=501',
      `?search=${'x'.repeat(121)}`,
      '?cursor=eyJiZWZvcmUiOjF9',
    ])
      expect([query, (await world.as(trainee).get(`/chat/rooms${query}`)).status]).toEqual([query, 422])
  })
})
