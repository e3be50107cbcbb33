import { describe, expect, test } from '@jest/globals'
import type { ChatMessage } from '@watchline/contracts/chat'
import { makePersonSnapshot } from '@watchline/testing/harness'
import { compare, type Findings, noFindings } from '../../src/bench/chat-kill.ts'
import type { Said } from '../../src/bench/chat-senders.ts'

const person = makePersonSnapshot({ role: 'user' })
const ids = ['a', 'b', 'c', 'd']

const sent: Said[] = ids.map((clientId, at) => ({
  clientId,
  text: `Text ${clientId}`,
  due: 0,
  attempts: 1,
  told: { id: `id-${clientId}`, seq: at + 1 },
}))

/** The messages of those client_ids, in that order. */
const shown = (order: readonly string[], fields: Partial<ChatMessage> = {}): ChatMessage[] =>
  order.map(clientId => ({
    id: `id-${clientId}`,
    seq: ids.indexOf(clientId) + 1,
    sender_id: person.id,
    message: `Text ${clientId}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    client_id: clientId,
    ...fields,
  }))

function found(messages: readonly ChatMessage[], said = sent): Partial<Findings> {
  const findings = noFindings()
  compare({ person, sent: said }, messages, findings)
  return Object.fromEntries(Object.entries(findings).filter(([, times]) => times > 0))
}

describe('what was acknowledged against what is there', () => {
  test('finds nothing when all of it is there, among messages of the other one', () => {
    expect(found(shown(ids))).toEqual({ checked: 4 })
    expect(found([...shown(['x'], { sender_id: 'other' }), ...shown(ids)])).toEqual({ checked: 4 })
  })

  test.each([
    ['a message that is lost', shown(['a', 'b', 'd']), { lost: 1 }],
    ['one that is there twice', shown(['a', 'b', 'b', 'c', 'd']), { doubled: 1 }],
    ['one before an earlier one', shown(['a', 'c', 'b', 'd']), { outOfOrder: 1 }],
    ['one at another place than was told', [...shown(['a', 'b', 'c']), ...shown(['d'], { seq: 5 })], { different: 1 }],
    ['one with another id', [...shown(['a', 'b', 'c']), ...shown(['d'], { id: 'other' })], { different: 1 }],
    ['one with another text', [...shown(['a', 'b', 'c']), ...shown(['d'], { message: 'x' })], { different: 1 }],
    ['one that nobody sent', shown([...ids, 'x']), { unknown: 1 }],
  ])('finds %s', (_what, messages, findings) => {
    expect(found(messages)).toEqual({ checked: 4, ...findings })
  })

  test('asks nothing of what was not acknowledged, but that it is not there twice', () => {
    const { told: _never, ...last } = sent[3]!
    const said = [...sent.slice(0, 3), last]
    expect(found(shown(['a', 'b', 'c']), said)).toEqual({ checked: 3 })
    expect(found(shown(ids), said)).toEqual({ checked: 3 })
    expect(found(shown([...ids, 'd']), said)).toEqual({ checked: 3, doubled: 1 })
  })
})
