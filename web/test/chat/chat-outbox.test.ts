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
import { makeMessage } from './_chat-data.ts'

type Reply = Answer<{ message: ChatMessage }>
type SentMessage = NewMessage & { clientId: string }

let timers: ReturnType<typeof createTimers>
let postedTexts: string[]
let acceptedTexts: string[]
let reply: (unsent: SentMessage) => Reply | Promise<Reply>
let outboxes: ChatOutbox[]

const acceptMessage = (unsent: SentMessage): Reply => {
  const message = makeMessage({ seq: postedTexts.length, message: unsent.message, client_id: unsent.clientId })
  return { ok: true, data: { message }, headers: new Headers() }
}
const makeFailure = (status: number, details: { retryAfter?: number; message?: string } = {}): Reply => ({
  ok: false,
  status,
  code: 'some',
  message: 'no',
  ...details,
})

beforeEach(() => {
  timers = createTimers()
  postedTexts = []
  acceptedTexts = []
  reply = acceptMessage
  outboxes = []
  window.localStorage.clear()
})
afterEach(() => {
  for (const outbox of outboxes) outbox.close()
})

function openOutbox({ personId = 'me', ...options }: Partial<ChatOutboxOptions> = {}) {
  const outbox = createChatOutbox({
    personId,
    request: async (call, { id }) => {
      postedTexts.push(call.message)
      return reply({ ...call, clientId: id })
    },
    now: timers.now,
    random: () => 1,
    schedule: timers.schedule,
    ...options,
  })
  outbox.onAnswered(({ roomId }, answer) => {
    if (answer.ok) acceptedTexts.push(`${roomId} ${answer.data.message.message}`)
  })
  outboxes.push(outbox)
  return outbox
}

const addMessage = (outbox: ChatOutbox, message: string, roomId = 'a') =>
  outbox.add({ roomId, recipientId: `other in ${roomId}`, chatType: 'user_supervisor', message })
const describeEntries = (outbox: ChatOutbox) =>
  outbox.entries.get().map(entry => `${entry.call.message} ${problemName(entry)}`)
function problemName({ problem }: UnsentMessage): string {
  if (problem?.kind === 'refused' && isClosedRoom(problem.failure)) return 'closed'
  return problem?.kind ?? 'waits'
}

describe('the outbox of unsent messages', () => {
  test('sends in order, each room independently', async () => {
    const outbox = openOutbox()
    const answers: (() => void)[] = []
    reply = unsent => new Promise(resolve => answers.push(() => resolve(acceptMessage(unsent))))
    addMessage(outbox, 'one')
    addMessage(outbox, 'two')
    addMessage(outbox, 'elsewhere', 'b')
    await timers.pass(0)
    expect(postedTexts).toEqual(['one', 'elsewhere'])
    expect(describeEntries(outbox)).toEqual(['one waits', 'two waits', 'elsewhere waits'])
    while (answers.length > 0) {
      answers.shift()!()
      await timers.pass(0)
    }
    expect(postedTexts).toEqual(['one', 'elsewhere', 'two'])
    expect(acceptedTexts).toEqual(['a one', 'b elsewhere', 'a two'])
    expect(outbox.entries.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })

  test('retries without a network in order, with the same ids and growing waits, or at once on request', async () => {
    const outbox = openOutbox()
    reply = () => makeFailure(0)
    addMessage(outbox, 'one')
    await timers.pass(0)
    addMessage(outbox, 'two')
    expect(describeEntries(outbox)).toEqual(['one failed', 'two failed'])
    const [{ id: clientId }] = outbox.entries.get() as [UnsentMessage]
    await timers.pass(7_000)
    expect(postedTexts).toEqual(['one', 'one', 'one', 'one'])
    const ids: string[] = []
    reply = unsent => {
      ids.push(unsent.clientId)
      return acceptMessage(unsent)
    }
    outbox.flush()
    await timers.pass(0)
    expect(postedTexts.slice(4)).toEqual(['one', 'two'])
    expect(ids[0]).toBe(clientId)
    await timers.pass(100_000)
    expect(postedTexts).toHaveLength(6)
  })

  test('restores its messages in order after a reload, for the same person only', async () => {
    const earlierOutbox = openOutbox()
    reply = () => makeFailure(503)
    for (const message of ['one', 'two', 'three']) addMessage(earlierOutbox, message)
    await timers.pass(0)
    earlierOutbox.close()
    expect(openOutbox({ personId: 'you' }).entries.get()).toEqual([])
    reply = acceptMessage
    postedTexts = []
    const laterOutbox = openOutbox()
    expect(describeEntries(laterOutbox)).toEqual(['one waits', 'two waits', 'three waits'])
    await timers.pass(0)
    expect(postedTexts).toEqual(['one', 'two', 'three'])
    expect(laterOutbox.entries.get()).toEqual([])
  })

  test('sends even if it cannot store a message', async () => {
    const outbox = openOutbox({ storage: { ...createMessageStorage('me'), add: () => false } })
    addMessage(outbox, 'one')
    await timers.pass(0)
    expect(acceptedTexts).toEqual(['a one'])
  })

  test('waits for exactly Retry-After beyond the rate limit', async () => {
    const outbox = openOutbox()
    reply = () => makeFailure(429, { retryAfter: 8 })
    addMessage(outbox, 'one')
    await timers.pass(0)
    expect(outbox.entries.get()[0]?.problem).toEqual({ kind: 'limited', until: timers.now() + 8_000 })
    addMessage(outbox, 'two')
    expect(describeEntries(outbox)).toEqual(['one limited', 'two limited'])
    reply = acceptMessage
    outbox.flush()
    await timers.pass(7_999)
    expect(postedTexts).toEqual(['one'])
    await timers.pass(1)
    expect(acceptedTexts).toEqual(['a one', 'a two'])
  })

  test('keeps a refused message with its reason, sends the others, and retries with the current chat type', async () => {
    const outbox = openOutbox()
    reply = ({ message }) =>
      message === 'one'
        ? makeFailure(403)
        : message === 'two'
          ? makeFailure(422, { message: 'why' })
          : acceptMessage({} as SentMessage)
    for (const message of ['one', 'two', 'three']) addMessage(outbox, message)
    await timers.pass(0)
    expect(describeEntries(outbox)).toEqual(['one closed', 'two refused'])
    expect(outbox.entries.get()[1]?.problem).toMatchObject({ kind: 'refused', failure: { message: 'why' } })
    outbox.flush()
    await timers.pass(100_000)
    expect(postedTexts).toEqual(['one', 'two', 'three'])
    const chatTypes: string[] = []
    reply = unsent => {
      chatTypes.push(unsent.chatType)
      return acceptMessage(unsent)
    }
    const [refusedEntry] = outbox.entries.get()
    outbox.retry(refusedEntry!.id, { ...refusedEntry!.call, chatType: 'admin' })
    await timers.pass(0)
    expect(chatTypes).toEqual(['admin'])
    outbox.remove(outbox.entries.get()[0]!.id)
    expect(outbox.entries.get()).toEqual([])
    expect(window.localStorage).toHaveLength(0)
  })
})

test('messages stored by an earlier version are sent in order with their ids', async () => {
  const storedMessages = [
    { clientId: 'id-2', message: 'two', order: 1_002 },
    { clientId: 'id-1', message: 'one', order: 1_001 },
  ]
  for (const fields of storedMessages) {
    const message = {
      ...fields,
      roomId: 'a',
      recipientId: 'b',
      chatType: 'user_supervisor',
      at: '2026-01-01T10:00:00.000Z',
    }
    window.localStorage.setItem(`watchline.chat.unsent.me.a.${fields.clientId}`, JSON.stringify(message))
  }
  const ids: string[] = []
  reply = unsent => {
    ids.push(unsent.clientId)
    return acceptMessage(unsent)
  }
  const outbox = openOutbox()
  expect(describeEntries(outbox)).toEqual(['one waits', 'two waits'])
  expect(outbox.entries.get()[0]?.at).toBe(Date.parse('2026-01-01T10:00:00.000Z'))
  await timers.pass(0)
  expect(postedTexts).toEqual(['one', 'two'])
  expect(ids).toEqual(['id-1', 'id-2'])
  expect(window.localStorage).toHaveLength(0)
})

describe('two tabs', () => {
  /** Locks like navigator.locks: one holder at a time. */
  function createExclusiveLock() {
    let previous: Promise<unknown> = Promise.resolve()
    const request = (_name: string, run: () => unknown) => {
      previous = previous.then(run)
      return previous
    }
    return { request } as unknown as LockManager
  }
  const notifyOtherTab = () =>
    window.dispatchEvent(new StorageEvent('storage', { key: 'watchline.chat.unsent.me.a.x' }))

  test('send a message once and remove it in both', async () => {
    const locks = createExclusiveLock()
    const [firstTab, secondTab] = [openOutbox({ locks }), openOutbox({ locks })]
    reply = () => makeFailure(503)
    addMessage(firstTab, 'words')
    await timers.pass(0)
    notifyOtherTab()
    expect(describeEntries(secondTab)).toEqual(['words waits'])
    reply = acceptMessage
    postedTexts = []
    secondTab.flush()
    firstTab.flush()
    await timers.pass(2_000)
    notifyOtherTab()
    expect(acceptedTexts).toEqual(['a words'])
    expect(firstTab.entries.get()).toEqual([])
    expect(secondTab.entries.get()).toEqual([])
  })

  test('remove a deleted message in both', async () => {
    const [firstTab, secondTab] = [openOutbox(), openOutbox()]
    reply = () => makeFailure(422)
    addMessage(firstTab, 'words')
    await timers.pass(0)
    notifyOtherTab()
    await timers.pass(0)
    secondTab.remove(secondTab.entries.get()[0]!.id)
    notifyOtherTab()
    expect(firstTab.entries.get()).toEqual([])
  })
})
