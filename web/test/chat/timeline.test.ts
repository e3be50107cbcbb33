import { describe, expect, test } from '@jest/globals'
import type { UnsentMessage } from '../../src/features/chat/outbox/chat-outbox.ts'
import {
  buildTimeline,
  dayName,
  findFirstUnread,
  type TimelineInput,
  type TimelineItem,
} from '../../src/features/chat/window/timeline.ts'
import { makeMessage, makeMessages } from './_chat-data.ts'

const isoTime = (local: string) => new Date(local).toISOString()

function describeTimeline(input: Partial<TimelineInput>): string[] {
  const items = buildTimeline({
    messages: [],
    unsent: [],
    personId: 'me',
    otherReadSeq: 0,
    newFrom: undefined,
    ...input,
  })
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
  return items.map(describeItem)
}

function describeItem(item: TimelineItem): string {
  if (item.kind === 'day') return `-- ${new Date(item.time).getDate()}`
  if (item.kind === 'new') return '-- new'
  if (item.kind === 'unsent') return `unsent ${item.unsent.call.message}`
  return `${item.own ? 'me' : 'other'} ${item.message.seq}${item.seen ? ' seen' : ''}`
}

function makeUnsentMessage(): UnsentMessage {
  return {
    id: 'mine',
    at: Date.parse('2026-11-04T09:00'),
    call: { roomId: 'me-other', recipientId: 'other', chatType: 'user_supervisor', message: 'words' },
  }
}

describe('the timeline of a room', () => {
  test('has a heading for each local day, also between the last message and unsent ones', () => {
    const list = [
      makeMessage({ seq: 1, timestamp: isoTime('2026-11-02T23:59') }),
      makeMessage({ seq: 2, timestamp: isoTime('2026-11-03T00:00') }),
      makeMessage({ seq: 3, timestamp: isoTime('2026-11-03T12:00') }),
    ]
    expect(describeTimeline({ messages: list, unsent: [makeUnsentMessage()] })).toEqual([
      '-- 2',
      'other 1',
      '-- 3',
      'other 2',
      'other 3',
      '-- 4',
      'unsent words',
    ])
  })

  test('has a divider before the new messages', () => {
    expect(describeTimeline({ messages: makeMessages(4, 6), newFrom: 5 }).slice(1)).toEqual([
      'other 4',
      '-- new',
      'other 5',
      'other 6',
    ])
  })

  test('marks the latest own message that the partner has seen', () => {
    const makeOwnMessage = (seq: number) => makeMessage({ seq, sender_id: 'me' })
    const list = [makeOwnMessage(1), makeOwnMessage(2), makeMessage({ seq: 3 }), makeOwnMessage(4)]
    expect(describeTimeline({ messages: list, otherReadSeq: 3 }).slice(1)).toEqual([
      'me 1',
      'me 2 seen',
      'other 3',
      'me 4',
    ])
    expect(describeTimeline({ messages: list, otherReadSeq: 4 }).slice(1)).toEqual([
      'me 1',
      'me 2',
      'other 3',
      'me 4 seen',
    ])
  })

  test('shows an accepted message once, at the server’s position, with the key of the unsent one', () => {
    const acceptedMessage = makeMessage({ seq: 1, sender_id: 'me', client_id: 'mine' })
    const input = { personId: 'me', otherReadSeq: 0, newFrom: undefined }
    const itemsBefore = buildTimeline({ messages: [], unsent: [makeUnsentMessage()], ...input })
    const itemsAfter = buildTimeline({ messages: [acceptedMessage], unsent: [makeUnsentMessage()], ...input })
    expect(itemsAfter.map(describeItem).slice(1)).toEqual(['me 1'])
    expect(itemsAfter.at(-1)?.key).toBe(itemsBefore.at(-1)?.key)
  })

  test('does not take a partner’s client id for the person’s own', () => {
    const partnerMessage = makeMessage({ seq: 1, client_id: 'mine' })
    expect(describeTimeline({ messages: [partnerMessage], unsent: [makeUnsentMessage()] }).slice(1)).toEqual([
      'other 1',
      '-- 4',
      'unsent words',
    ])
  })
})

test('recent days have names', () => {
  const now = Date.parse(isoTime('2026-11-03T00:30'))
  expect(dayName(isoTime('2026-11-03T00:10'), now)).toBe('Today')
  expect(dayName(isoTime('2026-11-02T23:50'), now)).toBe('Yesterday')
  expect(dayName(isoTime('2026-10-30T12:00'), now)).toMatch(/Friday.*30/)
})

test('the first unread message is the partner’s', () => {
  const list = [
    makeMessage({ seq: 1 }),
    makeMessage({ seq: 2, sender_id: 'me' }),
    makeMessage({ seq: 3 }),
    makeMessage({ seq: 4 }),
  ]
  expect(findFirstUnread(list, 'me', 1)).toBe(3)
  expect(findFirstUnread(list, 'me', 4)).toBeUndefined()
})
