import type { ChatMessage } from '@watchline/contracts/chat'
import type { UnsentMessage } from '../outbox/chat-outbox.ts'

/** What a room shows, from top to bottom. */
export type TimelineItem =
  | { kind: 'day'; key: string /** Of the day’s first message. */; time: string }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: ChatMessage; own: boolean; seen: boolean }
  | { kind: 'unsent'; key: string; unsent: UnsentMessage }

export interface Timeline {
  messages: readonly ChatMessage[]
  /** Of this room, in the order they were written. */
  unsent: readonly UnsentMessage[]
  personId: string
  /** How far, by seq, the other one has read. */
  otherReadSeq: number
  /** Before the message with this seq stands the divider of what is new. */
  newFrom: number | undefined
}

/**
 * Messages of a room with a line for each local day, one where the new ones begin, and the mark on the latest own one that was
 * seen. What is not sent yet stands at the end; once the server has it, it stands only where the server put it.
 */
export function timelineOf({ messages, unsent, personId, otherReadSeq, newFrom }: Timeline): TimelineItem[] {
  const items: TimelineItem[] = []
  const isOwn = (message: ChatMessage) => message.sender_id === personId
  const lastSeen = messages.findLast(each => isOwn(each) && each.seq <= otherReadSeq)
  let day: string | undefined

  function beginDay(time: string) {
    const next = localDay(time)
    if (next === day) return
    day = next
    items.push({ kind: 'day', key: `day ${next}`, time })
  }

  for (const message of messages) {
    beginDay(message.timestamp)
    if (message.seq === newFrom) items.push({ kind: 'new', key: 'new' })
    items.push({
      kind: 'message',
      // An own one is the same before and after it was sent: its place on the page goes on.
      key: (isOwn(message) && message.client_id) || message.id,
      message,
      own: isOwn(message),
      seen: message === lastSeen,
    })
  }
  const sent = new Set(messages.filter(isOwn).map(each => each.client_id))
  for (const entry of unsent) {
    if (sent.has(entry.id)) continue
    beginDay(new Date(entry.at).toISOString())
    items.push({ kind: 'unsent', key: entry.id, unsent: entry })
  }
  return items
}

function localDay(time: string): string {
  const date = new Date(time)
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`
}

/** Today, Yesterday, then the date with its weekday. `now`: ms. */
export function dayName(time: string, now: number): string {
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  const day = localDay(time)
  if (day === localDay(new Date(now).toISOString())) return 'Today'
  if (day === localDay(yesterday.toISOString())) return 'Yesterday'
  return new Date(time).toLocaleDateString(undefined, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  })
}

/** The first message of the other one that has not been read. */
export function firstUnread(messages: readonly ChatMessage[], personId: string, readSeq: number): number | undefined {
  return messages.find(each => each.seq > readSeq && each.sender_id !== personId)?.seq
}
