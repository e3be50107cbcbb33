import type { ChatMessage } from '@watchline/contracts/chat'

/** The loaded messages of a room, in the order of their sequence numbers. */
export interface KnownMessages {
  messages: ChatMessage[]
  /** The cursor of the page before the oldest message; absent at the start of the room. */
  olderCursor?: string | undefined
}

/** The sequence number up to which no message is missing; 0 without messages. */
export function findCompleteUpTo({ messages }: KnownMessages): number {
  let seq = messages[0]?.seq ?? 0
  for (const message of messages) {
    if (message.seq > seq + 1) break
    seq = message.seq
  }
  return seq
}

/** Adds the newest messages. If a gap stays between them and the known ones, these are dropped. */
export function addNewest(known: KnownMessages, newest: KnownMessages): KnownMessages {
  const first = newest.messages[0]
  const hasGap = first !== undefined && first.seq > findCompleteUpTo(known) + 1
  if (hasGap || known.messages.length === 0) return newest
  // A message that was sent before the first read does not tell what is older.
  const isOlderPartKnown = known.olderCursor !== undefined || known.messages[0]!.seq === 1
  const retained =
    isOlderPartKnown || first === undefined ? known.messages : known.messages.filter(({ seq }) => seq >= first.seq)
  const messages = mergeMessages(retained, newest.messages)
  const goesFurther = isOlderPartKnown && (first === undefined || known.messages[0]!.seq <= first.seq)
  const { olderCursor } = goesFurther ? known : newest
  if (messages === known.messages && olderCursor === known.olderCursor) return known
  return { messages, olderCursor }
}

/** Adds the page before the oldest known. */
export function addOlder(known: KnownMessages, older: KnownMessages): KnownMessages {
  const first = known.messages[0]?.seq ?? Number.POSITIVE_INFINITY
  const olderFirst = older.messages[0]?.seq ?? 0
  if (olderFirst >= first) return known
  return { messages: mergeMessages(older.messages, known.messages), olderCursor: older.olderCursor }
}

/** Adds a message that the server has just accepted. */
export function addSent(known: KnownMessages, message: ChatMessage): KnownMessages {
  return { ...known, messages: mergeMessages(known.messages, [message]) }
}

/** In order and without repeats. Answers the same array if nothing is added. */
function mergeMessages(messages: ChatMessage[], further: readonly ChatMessage[]): ChatMessage[] {
  const known = new Set(messages.map(({ seq }) => seq))
  const added = further.filter(({ seq }) => !known.has(seq))
  return added.length === 0 ? messages : [...messages, ...added].sort((a, b) => a.seq - b.seq)
}
