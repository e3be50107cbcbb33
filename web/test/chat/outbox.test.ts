import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ChatMessage } from '@watchline/contracts/chat'
import type { Answer } from '../../src/api/call-operation.ts'
import { createOutbox, type Outbox } from '../../src/features/chat/outbox.ts'
import { openUnsentStore, type Unsent } from '../../src/features/chat/unsent.ts'
import { createTimers } from '../player/_answers.ts'
import { aMessage } from './_chat.ts'

type Reply = Answer<{ message: ChatMessage }>

let timers: ReturnType<typeof createTimers>
let posted: string[]
let sent: string[]
let reply: (unsent: Unsent) => Reply | Promise<Reply>
let outboxes: Outbox[]

const yes = (unsent: Unsent): Reply => {
  const message = aMessage({ seq: posted.length, message: unsent.message, client_id: unsent.clientId })
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

function open(options: Partial<Parameters<typeof createOutbox>[0]> = {}) {
  const outbox = createOutbox({
    personId: 'me',
    store: openUnsentStore('me'),
    post: async unsent => {
      posted.push(unsent.message)
      return reply(unsent)
    },
    onSent: (roomId, { message }) => sent.push(`${roomId} ${message}`),
    now: timers.now,
    random: () => 1,
    schedule: timers.schedule,
    ...options,
  })
  outboxes.push(outbox)
  return outbox
}

const write = (outbox: Outbox, message: string, roomId = 'a') =>
  outbox.send({ roomId, recipientId: `other in ${roomId}`, chatType: 'user_supervisor', message })
const words = (outbox: Outbox) => outbox.unsent.get().map(each => `${each.message} ${each.trouble?.kind ?? 'waits'}`)

describe('what is written', () => {
  test('goes one after the other, each room by itself', async () => {
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
    expect(outbox.unsent.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })

  test('waits while nothing is reached, and goes in order with the same ids, ever later, or at once when told', async () => {
    const outbox = open()
    reply = () => no(0)
    write(outbox, 'one')
    await timers.pass(0)
    write(outbox, 'two')
    expect(words(outbox)).toEqual(['one failed', 'two failed'])
    const [{ clientId }] = outbox.unsent.get() as [Unsent]
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
    expect(open({ personId: 'you', store: openUnsentStore('you') }).unsent.get()).toEqual([])
    reply = yes
    posted = []
    const after = open()
    expect(words(after)).toEqual(['one waits', 'two waits', 'three waits'])
    await timers.pass(0)
    expect(posted).toEqual(['one', 'two', 'three'])
    expect(after.unsent.get()).toEqual([])
  })

  test('is sent also where nothing can be kept', async () => {
    const outbox = open({ store: { ...openUnsentStore('me'), keep: () => false } })
    write(outbox, 'one')
    await timers.pass(0)
    expect(sent).toEqual(['a one'])
  })

  test('too fast waits as long as it is told to', async () => {
    const outbox = open()
    reply = () => no(429, { retryAfter: 8 })
    write(outbox, 'one')
    await timers.pass(0)
    expect(outbox.unsent.get()[0]?.trouble).toEqual({ kind: 'limited', until: timers.now() + 8_000 })
    write(outbox, 'two')
    expect(words(outbox)).toEqual(['one limited', 'two limited'])
    reply = yes
    outbox.flush()
    await timers.pass(7_999)
    expect(posted).toEqual(['one'])
    await timers.pass(1)
    expect(sent).toEqual(['a one', 'a two'])
  })

  test('refused for good stays, with the reason, and holds up nothing; a hand tries again with what the two are now', async () => {
    const outbox = open()
    reply = ({ message }) =>
      message === 'one' ? no(403) : message === 'two' ? no(422, { message: 'why' }) : yes({} as Unsent)
    for (const message of ['one', 'two', 'three']) write(outbox, message)
    await timers.pass(0)
    expect(words(outbox)).toEqual(['one closed', 'two refused'])
    expect(outbox.unsent.get()[1]?.trouble).toEqual({ kind: 'refused', detail: 'why' })
    outbox.flush()
    await timers.pass(100_000)
    expect(posted).toEqual(['one', 'two', 'three'])
    const types: string[] = []
    reply = unsent => {
      types.push(unsent.chatType)
      return yes(unsent)
    }
    outbox.retry(outbox.unsent.get()[0]!.clientId, 'admin')
    await timers.pass(0)
    expect(types).toEqual(['admin'])
    outbox.remove(outbox.unsent.get()[0]!.clientId)
    expect(outbox.unsent.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })
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
  const told = () => window.dispatchEvent(new StorageEvent('storage', { key: 'watchline.chat.unsent.me.a.x' }))

  test('send a message once, and both know', async () => {
    const locks = oneLock()
    const [one, other] = [open({ locks }), open({ locks })]
    reply = () => no(503)
    write(one, 'words')
    await timers.pass(0)
    told()
    expect(words(other)).toEqual(['words waits'])
    reply = yes
    posted = []
    other.flush()
    one.flush()
    await timers.pass(2_000)
    told()
    expect(sent).toEqual(['a words'])
    expect(one.unsent.get()).toEqual([])
    expect(other.unsent.get()).toEqual([])
  })

  test('delete for each other', async () => {
    const [one, other] = [open(), open()]
    reply = () => no(422)
    write(one, 'words')
    await timers.pass(0)
    told()
    await timers.pass(0)
    other.remove(other.unsent.get()[0]!.clientId)
    told()
    expect(one.unsent.get()).toEqual([])
  })
})
