import '../player/_immediate.ts'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { IDBFactory } from 'fake-indexeddb'
import { openDB } from 'idb'
import { createCommentOutbox } from '../../src/features/comments/comment-outbox.ts'
import { createServer, createTimers, no, settleAll, yes } from '../player/_answers.ts'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})

function open(server: ReturnType<typeof createServer>) {
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
  const comment = (text: string) =>
    ({
      kind: 'comment',
      body: { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: text, client_id: crypto.randomUUID() },
    }) as const

  test('made without a network are listed, survive a reload, and arrive once, in order', async () => {
    const down = createServer()
    down.answerWith(() => no(0))
    const before = open(down)
    const comments = ['one', 'two', 'three'].map(comment)
    for (const call of comments) before.add(call)
    await settleAll()
    before.close()

    const server = createServer()
    const outbox = open(server)
    const listed = new Set<number>()
    outbox.entries.subscribe(() => listed.add(outbox.entries.get().length))
    await settleAll()
    expect(server.received.map(call => call.body)).toEqual(comments.map(call => call.body))
    expect(server.received.map(call => call.options!.id)).toEqual(comments.map(call => call.body.client_id))
    expect(listed.has(0)).toBe(true)
    expect(outbox.entries.get()).toEqual([])
  })

  test('reach the listeners when the server accepted or refused them', async () => {
    const server = createServer()
    let status = 200
    server.answerWith(() => (status === 200 ? yes : no(status)))
    const outbox = open(server)
    const answered: [string, boolean][] = []
    outbox.onAnswered((call, answer) => answered.push([(call.body as { comment: string }).comment, answer.ok]))
    outbox.add(comment('fine'))
    await settleAll()
    status = 503
    outbox.add(comment('refused at once'))
    await settleAll()
    expect(answered).toEqual([
      ['fine', true],
      ['refused at once', false],
    ])
    status = 0
    outbox.add(comment('waited'))
    await settleAll()
    status = 503
    await outbox.flush()
    await settleAll()
    expect(answered).toHaveLength(2)
    expect(outbox.entries.get()).toHaveLength(1)
    status = 200
    await outbox.flush()
    expect(answered.at(-1)).toEqual(['waited', true])
  })

  test('left by an earlier version of the page are sent', async () => {
    const { kind, body } = comment('still here')
    const database = await openDB('watchline-journal', 1, {
      upgrade(created) {
        created.createObjectStore('calls', { keyPath: 'order', autoIncrement: true }).createIndex('person', 'person')
      },
    })
    await database.add('calls', { kind, body, id: body.client_id, person: 'trainee1~comments', at: 1 })
    database.close()
    const server = createServer()
    const outbox = open(server)
    await settleAll()
    expect(server.received.map(call => [call.body, call.options!.id])).toEqual([[body, body.client_id]])
    expect(outbox.entries.get()).toEqual([])
  })
})
