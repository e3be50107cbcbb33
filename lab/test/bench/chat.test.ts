import { describe, expect, test } from '@jest/globals'
import type { ChatMessage } from '@watchline/contracts/chat'
import { makePersonSnapshot } from '@watchline/testing/harness'
import { checkSender, createFindings, type Findings } from '../../src/bench/chat/findings.ts'
import type { SentMessage } from '../../src/bench/chat/senders.ts'

const person = makePersonSnapshot({ role: 'user' })
const clientIds = ['a', 'b', 'c', 'd']

const sentMessages: SentMessage[] = clientIds.map((clientId, index) => ({
  clientId,
  text: `Text ${clientId}`,
  dueAt: 0,
  attempts: 1,
  acknowledged: { id: `id-${clientId}`, seq: index + 1 },
}))

/** The messages with these client ids, in this order. */
const makeMessages = (order: readonly string[], fields: Partial<ChatMessage> = {}): ChatMessage[] =>
  order.map(clientId => ({
    id: `id-${clientId}`,
    seq: clientIds.indexOf(clientId) + 1,
    sender_id: person.id,
    message: `Text ${clientId}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    client_id: clientId,
    ...fields,
  }))

function check(messages: readonly ChatMessage[], sent = sentMessages): Partial<Findings> {
  const findings = createFindings()
  checkSender({ person, sent }, messages, findings)
  return Object.fromEntries(Object.entries(findings).filter(([, times]) => times > 0))
}

describe('acknowledged messages against the visible ones', () => {
  test('no fault if all are visible, among messages of the other person', () => {
    expect(check(makeMessages(clientIds))).toEqual({ checked: 4 })
    expect(check([...makeMessages(['x'], { sender_id: 'other' }), ...makeMessages(clientIds)])).toEqual({ checked: 4 })
  })

  test.each([
    ['a lost message', makeMessages(['a', 'b', 'd']), { lost: 1 }],
    ['a doubled message', makeMessages(['a', 'b', 'b', 'c', 'd']), { doubled: 1 }],
    ['a message before an earlier one', makeMessages(['a', 'c', 'b', 'd']), { outOfOrder: 1 }],
    [
      'another sequence number than acknowledged',
      [...makeMessages(['a', 'b', 'c']), ...makeMessages(['d'], { seq: 5 })],
      { different: 1 },
    ],
    ['another id', [...makeMessages(['a', 'b', 'c']), ...makeMessages(['d'], { id: 'other' })], { different: 1 }],
    ['another text', [...makeMessages(['a', 'b', 'c']), ...makeMessages(['d'], { message: 'x' })], { different: 1 }],
    ['a message that nobody sent', makeMessages([...clientIds, 'x']), { unknown: 1 }],
  ])('finds %s', (_what, messages, findings) => {
    expect(check(messages)).toEqual({ checked: 4, ...findings })
  })

  test('an unacknowledged message may be missing, but not doubled', () => {
    const { acknowledged: _removed, ...last } = sentMessages[3]!
    const sent = [...sentMessages.slice(0, 3), last]
    expect(check(makeMessages(['a', 'b', 'c']), sent)).toEqual({ checked: 3 })
    expect(check(makeMessages(clientIds), sent)).toEqual({ checked: 3 })
    expect(check(makeMessages([...clientIds, 'd']), sent)).toEqual({ checked: 3, doubled: 1 })
  })
})
