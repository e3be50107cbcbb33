import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ChatMessage } from '@watchline/contracts/chat'
import type { Answer } from '../../src/api/call-operation.ts'
import {
  type ChatOutbox,
  type ChatOutboxOptions,
  createChatOutbox,
  isClosedRoom,
  type UnsentMessage,
} from '../../src/features/chat/outbox/chat-outbox.ts'
import { createMessageStorage, type NewMessage } from '../../src/features/chat/outbox/unsent-messages.ts'
import { createTimers } from '../player/_answers.ts'
import { makeMessage } from './_chat.ts'

type Reply = Answer<{ message: ChatMessage }>
type Sent = NewMessage & { clientId: string }

let timers: ReturnType<typeof createTimers>
let posted: string[]
let sent: string[]
let reply: (unsent: Sent) => Reply | Promise<Reply>
let outboxes: ChatOutbox[]

const yes = (unsent: Sent): Reply => {
  const message = makeMessage({ seq: posted.length, message: unsent.message, client_id: unsent.clientId })
  return { ok: true, data: { message }, headers: new Headers() }
}
const no = (status: number, more: { retryAfter?: number; message?: string } = {}): Reply => ({
  ok: false,
  status,
  code: 'some',
  message: 'no',
  ...more,
})

beforeEach(() => {
  timers = createTimers()
  posted = []
  sent = []
  reply = yes
  outboxes = []
  window.localStorage.clear()
})
afterEach(() => {
  for (const outbox of outboxes) outbox.close()
})

function open({ personId = 'me', ...options }: Partial<ChatOutboxOptions> = {}) {
  const outbox = createChatOutbox({
    personId,
    request: async (call, { id }) => {
      posted.push(call.message)
      return reply({ ...call, clientId: id })
    },
    now: timers.now,
    random: () => 1,
    schedule: timers.schedule,
    ...options,
  })
  outbox.onAnswered(({ roomId }, answer) => {
    if (answer.ok) sent.push(`${roomId} ${answer.data.message.message}`)
  })
  outboxes.push(outbox)
  return outbox
}

const write = (outbox: ChatOutbox, message: string, roomId = 'a') =>
  outbox.add({ roomId, recipientId: `other in ${roomId}`, chatType: 'user_supervisor', message })
const words = (outbox: ChatOutbox) => outbox.entries.get().map(entry => `${entry.call.message} ${problemOf(entry)}`)
function problemOf({ problem }: UnsentMessage): string {
  if (problem?.kind === 'refused' && isClosedRoom(problem.failure)) return 'closed'
  return problem?.kind ?? 'waits'
}

describe('what is written', () => {
  test('are sent in order, each room independently', async () => {
    const outbox = open()
    const answers: (() => void)[] = []
    reply = unsent => new Promise(resolve => answers.push(() => resolve(yes(unsent))))
    write(outbox, 'one')
    write(outbox, 'two')
    write(outbox, 'elsewhere', 'b')
    await timers.pass(0)
    expect(posted).toEqual(['one', 'elsewhere'])
    expect(words(outbox)).toEqual(['one waits', 'two waits', 'elsewhere waits'])
    while (answers.length > 0) {
      answers.shift()!()
      await timers.pass(0)
    }
    expect(posted).toEqual(['one', 'elsewhere', 'two'])
    expect(sent).toEqual(['a one', 'b elsewhere', 'a two'])
    expect(outbox.entries.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })

  test('wait without a network, and are sent in order with the same ids, with growing waits, or at once on request', async () => {
    const outbox = open()
    reply = () => no(0)
    write(outbox, 'one')
    await timers.pass(0)
    write(outbox, 'two')
    expect(words(outbox)).toEqual(['one failed', 'two failed'])
    const [{ id: clientId }] = outbox.entries.get() as [UnsentMessage]
    await timers.pass(7_000)
    expect(posted).toEqual(['one', 'one', 'one', 'one'])
    const ids: string[] = []
    reply = unsent => {
      ids.push(unsent.clientId)
      return yes(unsent)
    }
    outbox.flush()
    await timers.pass(0)
    expect(posted.slice(4)).toEqual(['one', 'two'])
    expect(ids[0]).toBe(clientId)
    await timers.pass(100_000)
    expect(posted).toHaveLength(6)
  })

  test('is there after a reload, in its order, and not for another person', async () => {
    const before = open()
    reply = () => no(503)
    for (const message of ['one', 'two', 'three']) write(before, message)
    await timers.pass(0)
    before.close()
    expect(open({ personId: 'you' }).entries.get()).toEqual([])
    reply = yes
    posted = []
    const after = open()
    expect(words(after)).toEqual(['one waits', 'two waits', 'three waits'])
    await timers.pass(0)
    expect(posted).toEqual(['one', 'two', 'three'])
    expect(after.entries.get()).toEqual([])
  })

  test('is sent also where nothing can be kept', async () => {
    const outbox = open({ storage: { ...createMessageStorage('me'), add: () => false } })
    write(outbox, 'one')
    await timers.pass(0)
    expect(sent).toEqual(['a one'])
  })

  test('beyond the rate limit waits for exactly Retry-After', async () => {
    const outbox = open()
    reply = () => no(429, { retryAfter: 8 })
    write(outbox, 'one')
    await timers.pass(0)
    expect(outbox.entries.get()[0]?.problem).toEqual({ kind: 'limited', until: timers.now() + 8_000 })
    write(outbox, 'two')
    expect(words(outbox)).toEqual(['one limited', 'two limited'])
    reply = yes
    outbox.flush()
    await timers.pass(7_999)
    expect(posted).toEqual(['one'])
    await timers.pass(1)
    expect(sent).toEqual(['a one', 'a two'])
  })

  test('finally refused stays with the reason and delays nothing; the person retries it with the present chat type', async () => {
    const outbox = open()
    reply = ({ message }) =>
      message === 'one' ? no(403) : message === 'two' ? no(422, { message: 'why' }) : yes({} as Sent)
    for (const message of ['one', 'two', 'three']) write(outbox, message)
    await timers.pass(0)
    expect(words(outbox)).toEqual(['one closed', 'two refused'])
    expect(outbox.entries.get()[1]?.problem).toMatchObject({ kind: 'refused', failure: { message: 'why' } })
    outbox.flush()
    await timers.pass(100_000)
    expect(posted).toEqual(['one', 'two', 'three'])
    const types: string[] = []
    reply = unsent => {
      types.push(unsent.chatType)
      return yes(unsent)
    }
    const [first] = outbox.entries.get()
    outbox.retry(first!.id, { ...first!.call, chatType: 'admin' })
    await timers.pass(0)
    expect(types).toEqual(['admin'])
    outbox.remove(outbox.entries.get()[0]!.id)
    expect(outbox.entries.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })
})

test('messages stored by an earlier version are sent in order with their ids', async () => {
  const left = [
    { clientId: 'id-2', message: 'two', order: 1_002 },
    { clientId: 'id-1', message: 'one', order: 1_001 },
  ]
  for (const stored of left) {
    const message = {
      ...stored,
      roomId: 'a',
      recipientId: 'b',
      chatType: 'user_supervisor',
      at: '2026-01-01T10:00:00.000Z',
    }
    window.localStorage.setItem(`watchline.chat.unsent.me.a.${stored.clientId}`, JSON.stringify(message))
  }
  const ids: string[] = []
  reply = unsent => {
    ids.push(unsent.clientId)
    return yes(unsent)
  }
  const outbox = open()
  expect(words(outbox)).toEqual(['one waits', 'two waits'])
  expect(outbox.entries.get()[0]?.at).toBe(Date.parse('2026-01-01T10:00:00.000Z'))
  await timers.pass(0)
  expect(posted).toEqual(['one', 'two'])
  expect(ids).toEqual(['id-1', 'id-2'])
  expect(window.localStorage).toHaveLength(0)
})

describe('two tabs', () => {
  /** As navigator.locks: one at a time. */
  function oneLock() {
    let last: Promise<unknown> = Promise.resolve()
    const request = (_name: string, run: () => unknown) => {
      last = last.then(run)
      return last
    }
    return { request } as unknown as LockManager
  }
  const notifyOtherTab = () =>
    window.dispatchEvent(new StorageEvent('storage', { key: 'watchline.chat.unsent.me.a.x' }))

  test('send a message once, and both know', async () => {
    const locks = oneLock()
    const [one, other] = [open({ locks }), open({ locks })]
    reply = () => no(503)
    write(one, 'words')
    await timers.pass(0)
    notifyOtherTab()
    expect(words(other)).toEqual(['words waits'])
    reply = yes
    posted = []
    other.flush()
    one.flush()
    await timers.pass(2_000)
    notifyOtherTab()
    expect(sent).toEqual(['a words'])
    expect(one.entries.get()).toEqual([])
    expect(other.entries.get()).toEqual([])
  })

  test('delete for each other', async () => {
    const [one, other] = [open(), open()]
    reply = () => no(422)
    write(one, 'words')
    await timers.pass(0)
    notifyOtherTab()
    await timers.pass(0)
    other.remove(other.entries.get()[0]!.id)
    notifyOtherTab()
    expect(one.entries.get()).toEqual([])
  })
})
