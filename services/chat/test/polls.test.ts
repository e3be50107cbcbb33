import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { unavailableLiveStore } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands, recordLiveStoreCalls } from '@watchline/testing/mongo-commands'
import { type ChatWorld, startChat } from './_util.ts'

let world: ChatWorld
let url: string
/** Commands of one replica's own connection, change streams left out; and what it asked the live store. */
let commands: string[]
let asked: string[]
beforeAll(async () => {
  world = await startChat({ unbounded: true })
  commands = []
  asked = []
  // The relay of the outbox looks now and then.
  const note = ({ name, collection }: RecordedCommand) => collection !== 'outbox' && commands.push(name)
  const live = recordLiveStoreCalls(world.ports.live, call => asked.push(call))
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live } })
  url = (await recordCommands(world.config.mongoUrl, note, start)).url
})
afterAll(() => world.stop())

describe('an unchanged poll', () => {
  test.each([
    ['of the rooms', () => '/chat/rooms'],
    ['of a room’s messages', (roomId: string) => `/chat/messages/${roomId}`],
    ['of the unread count', () => '/chat/unread-count'],
  ])('%s is 304 without a MongoDB command, for one question to the live store', async (_what, pathOf) => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    await world.send(trainee, supervisor, 'Hello')
    const path = pathOf(roomId)
    const tag = await warm(supervisor, path)
    commands.length = 0
    asked.length = 0
    for (let poll = 0; poll < 20; poll += 1) {
      const answer = await world.as(supervisor, url).get(path, { 'if-none-match': tag })
      expect([answer.status, answer.text]).toEqual([304, ''])
    }
    expect(commands).toEqual([])
    expect(asked).toEqual(Array(20).fill('versions.get'))
  })

  test('is answered anew after a message, after reading, after a change of people, and in time by itself', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    await world.send(trainee, supervisor, 'Hello')
    const paths = ['/chat/rooms', `/chat/messages/${roomId}`, '/chat/unread-count']
    const tags = async () => Promise.all(paths.map(path => warm(supervisor, path)))
    const fresh = async (before: string[]) =>
      Promise.all(
        paths.map(async (path, at) => {
          const answer = await world.as(supervisor, url).get(path, { 'if-none-match': before[at]! })
          return answer.status
        }),
      )
    let before = await tags()
    expect(await fresh(before)).toEqual([304, 304, 304])
    await world.send(trainee, supervisor, 'Again')
    expect(await fresh(before)).toEqual([200, 200, 200])
    before = await tags()
    await world.read(supervisor, roomId)
    expect(await fresh(before)).toEqual([200, 304, 200])
    before = await tags()
    await world.introduce(world.person('user', { supervisor_id: supervisor.id }))
    expect(await fresh(before)).toEqual([200, 304, 304])
    before = await tags()
    world.clock.advance(30_000)
    expect(await fresh(before)).toEqual([200, 200, 200])
  })

  test('of somebody else is theirs: the tag of one is not the other’s', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.send(trainee, supervisor, 'Hello')
    const tag = await warm(supervisor, `/chat/messages/${roomId}`)
    const path = `/chat/messages/${roomId}`
    expect((await world.as(trainee, url).get(path, { 'if-none-match': tag })).status).toBe(200)
    const stranger = world.person('user')
    expect((await world.as(stranger, url).get(path, { 'if-none-match': tag })).status).toBe(404)
  })
})

describe('sending', () => {
  test('400 messages in 200 rooms at once cost at most 100 commands', async () => {
    const pairs = Array.from({ length: 200 }, () => world.pair())
    await world.introduce(...pairs.flatMap(each => [each.trainee, each.supervisor]))
    const send = (at: number) => {
      const { trainee, supervisor } = pairs[at % pairs.length]!
      const [from, to] = at % 400 < pairs.length ? [trainee, supervisor] : [supervisor, trainee]
      const body = { recipient_id: to.id, message: `Message ${at}`, chat_type: 'user_supervisor', client_id: `c-${at}` }
      return world.as(from, url).post('/chat/send', body)
    }
    await eventually(async () => {
      // Everybody is known, and every room is there.
      await Promise.all(Array.from({ length: 400 }, (_, at) => send(at)))
      commands.length = 0
      expect((await send(0)).status).toBe(200)
      expect(commands.filter(each => each !== 'update').length).toBeLessThanOrEqual(2)
    })
    commands.length = 0
    const answers = await Promise.all(Array.from({ length: 400 }, (_, at) => send(400 + at)))
    expect(answers.map(each => each.status)).toEqual(Array(400).fill(200))
    expect(commands).toContain('update')
    expect(commands.length).toBeLessThanOrEqual(100)
    expect(await world.rows('rooms').countDocuments({ sent1: 2, sent2: 2, last_seq: 4 })).toBe(200)
  })
})

describe('while the live store is away', () => {
  test('messages are sent, read and counted all the same', async () => {
    const away = (await world.start({ ports: { live: unavailableLiveStore() } })).url
    const { trainee, supervisor, roomId } = world.pair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    expect((await world.as(trainee, away).post('/chat/send', body)).status).toBe(200)
    expect((await world.as(trainee, away).post('/chat/typing', { recipient_id: supervisor.id })).status).toBe(200)
    const me = world.as(supervisor, away)
    expect((await me.get(`/chat/messages/${roomId}`)).json).toHaveLength(1)
    expect((await me.get('/chat/unread-count')).json).toEqual({ unread_count: 1 })
    expect((await me.get('/chat/rooms')).json).toHaveLength(1)
    expect((await me.post(`/chat/mark-read?room_id=${roomId}`)).status).toBe(200)
    expect((await me.get('/chat/unread-count')).json).toEqual({ unread_count: 0 })
  })
})

/** Asks until caches are filled and two answers in a row have one tag. */
async function warm(who: Parameters<ChatWorld['as']>[0], path: string): Promise<string> {
  return eventually(async () => {
    const first = await world.as(who, url).get(path)
    const second = await world.as(who, url).get(path)
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).toBe(second.headers.get('etag'))
    const tag = second.headers.get('etag')!
    commands.length = 0
    expect((await world.as(who, url).get(path, { 'if-none-match': tag })).status).toBe(304)
    expect(commands).toEqual([])
    return tag
  })
}
