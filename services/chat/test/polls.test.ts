import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { unavailableLiveStore } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands, recordLiveStoreCalls } from '@watchline/testing/mongo-commands'
import { type ChatWorld, startChat } from './_util.ts'

let world: ChatWorld
let url: string
/** Commands of one replica on the collections that its routes read. */
let commands: string[]
/** Live store calls of the same replica. */
let liveCalls: string[]
beforeAll(async () => {
  world = await startChat({ noRateLimit: true })
  commands = []
  liveCalls = []
  // Background jobs (relay, rebuild of projections, stalled transactions) use other collections.
  const routeCollections: readonly unknown[] = ['rooms', 'messages', 'people']
  const recordCommand = ({ name, collection }: RecordedCommand) =>
    routeCollections.includes(collection) && commands.push(name)
  const live = recordLiveStoreCalls(world.ports.live, call => liveCalls.push(call))
  // Only full batches are sent, so their number does not depend on the speed of the machine.
  const sending = { windowMs: 600_000, quietMs: 600_000, maxBatch: 200 }
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live }, sending })
  url = (await recordCommands(world.config.mongoUrl, recordCommand, start)).url
})
afterAll(() => world.stop())

describe('an unchanged poll', () => {
  test.each([
    ['of the rooms', () => '/chat/rooms'],
    ['of a room’s messages', (roomId: string) => `/chat/messages/${roomId}`],
    ['of the unread count', () => '/chat/unread-count'],
  ])('%s answers 304 with one live store call and no MongoDB command', async (_name, pathOf) => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.publishPeople(trainee, supervisor)
    await world.send(trainee, supervisor, 'Hello')
    const path = pathOf(roomId)
    const etag = await fetchStableEtag(supervisor, path)
    // A change stream may report the new people late, and then they are read once more.
    await eventually(async () => {
      commands.length = 0
      liveCalls.length = 0
      for (let poll = 0; poll < 20; poll += 1) {
        const answer = await world.callAs(supervisor, url).get(path, { 'if-none-match': etag })
        expect([answer.status, answer.text]).toEqual([304, ''])
      }
      expect(commands).toEqual([])
      expect(liveCalls).toEqual(Array(20).fill('versions.get'))
    })
  })

  test('changes after a message, a read, a change of people and its maximum age', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.publishPeople(trainee, supervisor)
    await world.send(trainee, supervisor, 'Hello')
    const paths = ['/chat/rooms', `/chat/messages/${roomId}`, '/chat/unread-count']
    const fetchEtags = async () => Promise.all(paths.map(path => fetchStableEtag(supervisor, path)))
    const poll = async (etags: string[]) =>
      Promise.all(
        paths.map(async (path, index) => {
          const answer = await world.callAs(supervisor, url).get(path, { 'if-none-match': etags[index]! })
          return answer.status
        }),
      )
    let before = await fetchEtags()
    expect(await poll(before)).toEqual([304, 304, 304])
    await world.send(trainee, supervisor, 'Again')
    expect(await poll(before)).toEqual([200, 200, 200])
    before = await fetchEtags()
    await world.markRead(supervisor, roomId)
    expect(await poll(before)).toEqual([200, 304, 200])
    before = await fetchEtags()
    await world.publishPeople(world.addPerson('user', { supervisor_id: supervisor.id }))
    await world.untilRelayed()
    expect(await poll(before)).toEqual([200, 304, 304])
    before = await fetchEtags()
    world.clock.advance(30_000)
    expect(await poll(before)).toEqual([200, 200, 200])
  })

  test('of one person never matches the ETag of another', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.send(trainee, supervisor, 'Hello')
    const etag = await fetchStableEtag(supervisor, `/chat/messages/${roomId}`)
    const path = `/chat/messages/${roomId}`
    expect((await world.callAs(trainee, url).get(path, { 'if-none-match': etag })).status).toBe(200)
    const stranger = world.addPerson('user')
    expect((await world.callAs(stranger, url).get(path, { 'if-none-match': etag })).status).toBe(404)
  })
})

describe('sending', () => {
  test('400 concurrent messages in 200 rooms cost at most 100 commands', async () => {
    const pairs = Array.from({ length: 200 }, () => world.createPair())
    await world.publishPeople(...pairs.flatMap(({ trainee, supervisor }) => [trainee, supervisor]))
    /** Both people of every room send one message each. */
    const sendInAllRooms = (round: number) =>
      Promise.all(
        pairs.flatMap(({ trainee, supervisor }) =>
          [[trainee, supervisor] as const, [supervisor, trainee] as const].map(([from, to]) =>
            world.callAs(from, url).post('/chat/send', {
              recipient_id: to.id,
              message: `Message ${round}`,
              chat_type: 'user_supervisor',
              client_id: `c-${round}`,
            }),
          ),
        ),
      )
    // The first rounds open the rooms and fill the caches.
    let rounds = 0
    await eventually(async () => {
      commands.length = 0
      const responses = await sendInAllRooms(rounds)
      rounds += 1
      expect(responses.map(({ status }) => status)).toEqual(Array(400).fill(200))
      expect(rounds).toBeGreaterThan(1)
      expect(commands).toContain('update')
      expect(commands.length).toBeLessThanOrEqual(100)
    })
    expect(await world.collection('rooms').countDocuments({ sent1: rounds, sent2: rounds, last_seq: 2 * rounds })).toBe(
      200,
    )
  })
})

describe('an unavailable live store', () => {
  test('prevents neither sending nor reading nor counting', async () => {
    const brokenUrl = (await world.start({ ports: { live: unavailableLiveStore() } })).url
    const { trainee, supervisor, roomId } = world.createPair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    expect((await world.callAs(trainee, brokenUrl).post('/chat/send', body)).status).toBe(200)
    expect((await world.callAs(trainee, brokenUrl).post('/chat/typing', { recipient_id: supervisor.id })).status).toBe(
      200,
    )
    const me = world.callAs(supervisor, brokenUrl)
    expect((await me.get(`/chat/messages/${roomId}`)).json).toHaveLength(1)
    expect((await me.get('/chat/unread-count')).json).toEqual({ unread_count: 1 })
    expect((await me.get('/chat/rooms')).json).toHaveLength(1)
    expect((await me.post(`/chat/mark-read?room_id=${roomId}`)).status).toBe(200)
    expect((await me.get('/chat/unread-count')).json).toEqual({ unread_count: 0 })
  })
})

/** Polls until the caches are filled and the ETag is stable. */
async function fetchStableEtag(person: Parameters<ChatWorld['callAs']>[0], path: string): Promise<string> {
  // A relay bumps versions once more after a commit.
  await world.untilRelayed()
  return eventually(async () => {
    const first = await world.callAs(person, url).get(path)
    const second = await world.callAs(person, url).get(path)
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).toBe(second.headers.get('etag'))
    const etag = second.headers.get('etag')!
    commands.length = 0
    expect((await world.callAs(person, url).get(path, { 'if-none-match': etag })).status).toBe(304)
    expect(commands).toEqual([])
    return etag
  })
}
