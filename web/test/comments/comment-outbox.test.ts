import '../player/_immediate.ts'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { IDBFactory } from 'fake-indexeddb'
import { openDB } from 'idb'
import { createCommentOutbox } from '../../src/features/comments/comment-outbox.ts'
import { createServer, createTimers, makeFailure, okAnswer, settleAll } from '../player/_answers.ts'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})

function openOutbox(server: ReturnType<typeof createServer>) {
  const timers = createTimers()
  return createCommentOutbox('trainee1', {
    request: (call, options) => server.api.send(call, options) as never,
    locks: undefined,
    now: timers.now,
    random: () => 1,
    schedule: timers.schedule,
    log: () => {},
  })
}

describe('comments', () => {
  const makeCall = (text: string) =>
    ({
      kind: 'comment',
      body: { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: text, client_id: crypto.randomUUID() },
    }) as const

  test('made without a network are listed, survive a reload, and arrive once, in order', async () => {
    const unavailableServer = createServer()
    unavailableServer.answerWith(() => makeFailure(0))
    const earlierOutbox = openOutbox(unavailableServer)
    const comments = ['one', 'two', 'three'].map(makeCall)
    for (const call of comments) earlierOutbox.add(call)
    await settleAll()
    earlierOutbox.close()

    const server = createServer()
    const outbox = openOutbox(server)
    const entryCounts = new Set<number>()
    outbox.entries.subscribe(() => entryCounts.add(outbox.entries.get().length))
    await settleAll()
    expect(server.received.map(call => call.body)).toEqual(comments.map(call => call.body))
    expect(server.received.map(call => call.options!.id)).toEqual(comments.map(call => call.body.client_id))
    expect(entryCounts.has(0)).toBe(true)
    expect(outbox.entries.get()).toEqual([])
  })

  test('are reported to listeners when the server accepts or refuses them', async () => {
    const server = createServer()
    let status = 200
    server.answerWith(() => (status === 200 ? okAnswer : makeFailure(status)))
    const outbox = openOutbox(server)
    const answers: [string, boolean][] = []
    outbox.onAnswered((call, answer) => answers.push([(call.body as { comment: string }).comment, answer.ok]))
    outbox.add(makeCall('fine'))
    await settleAll()
    status = 503
    outbox.add(makeCall('refused at once'))
    await settleAll()
    expect(answers).toEqual([
      ['fine', true],
      ['refused at once', false],
    ])
    status = 0
    outbox.add(makeCall('waited'))
    await settleAll()
    status = 503
    await outbox.flush()
    await settleAll()
    expect(answers).toHaveLength(2)
    expect(outbox.entries.get()).toHaveLength(1)
    status = 200
    await outbox.flush()
    expect(answers.at(-1)).toEqual(['waited', true])
  })

  test('of an earlier version of the page are sent', async () => {
    const { kind, body } = makeCall('still here')
    const database = await openDB('watchline-journal', 1, {
      upgrade(newDatabase) {
        newDatabase
          .createObjectStore('calls', { keyPath: 'order', autoIncrement: true })
          .createIndex('person', 'person')
      },
    })
    await database.add('calls', { kind, body, id: body.client_id, person: 'trainee1~comments', at: 1 })
    database.close()
    const server = createServer()
    const outbox = openOutbox(server)
    await settleAll()
    expect(server.received.map(call => [call.body, call.options!.id])).toEqual([[body, body.client_id]])
    expect(outbox.entries.get()).toEqual([])
  })
})
