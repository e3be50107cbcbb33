import type { ChatMessage } from '@watchline/contracts/chat'
import { createTimeFormat } from '../../../ui/dates/time-format.ts'
import type { UnsentMessage } from '../outbox/chat-outbox.ts'

/** A line of a room's log, from top to bottom. */
export type TimelineItem =
  | { kind: 'day'; key: string /** The time of the day’s first message. */; time: string }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: ChatMessage; own: boolean; seen: boolean }
  | { kind: 'unsent'; key: string; unsent: UnsentMessage }

export interface TimelineInput {
  messages: readonly ChatMessage[]
  /** The unsent messages of this room, in the order they were written. */
  unsent: readonly UnsentMessage[]
  personId: string
  /** The sequence number up to which the partner has read. */
  otherReadSeq: number
  /** The divider of the new messages stands before the message with this sequence number. */
  newFrom: number | undefined
}

/**
 * The messages of a room, with a line for each local day and a divider before the new ones. The
 * latest own message that was seen has a mark. Unsent messages stand at the end until the server
 * has them.
 */
export function buildTimeline({ messages, unsent, personId, otherReadSeq, newFrom }: TimelineInput): TimelineItem[] {
  const items: TimelineItem[] = []
  const isOwn = (message: ChatMessage) => message.sender_id === personId
  const lastSeen = messages.findLast(message => isOwn(message) && message.seq <= otherReadSeq)
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
      // An own message keeps its key after sending, so that its element stays.
      key: (isOwn(message) && message.client_id) || message.id,
      message,
      own: isOwn(message),
      seen: message === lastSeen,
    })
  }
  const sent = new Set(messages.filter(isOwn).map(message => message.client_id))
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

const dateWithWeekday = createTimeFormat({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })

/** Today, Yesterday, then the date with its weekday. `now`: ms. */
export function dayName(time: string, now: number): string {
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  const day = localDay(time)
  if (day === localDay(new Date(now).toISOString())) return 'Today'
  if (day === localDay(yesterday.toISOString())) return 'Yesterday'
  return dateWithWeekday(Date.parse(time))
}

/** The sequence number of the partner's first unread message. */
export function findFirstUnread(
  messages: readonly ChatMessage[],
  personId: string,
  readSeq: number,
): number | undefined {
  return messages.find(message => message.seq > readSeq && message.sender_id !== personId)?.seq
}
