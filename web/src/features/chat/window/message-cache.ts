import type { ChatMessage } from '@watchline/contracts/chat'

/** What is known of a room’s messages: all of them from the oldest known on, by seq. */
export interface KnownMessages {
  messages: ChatMessage[]
  /** To the page before the oldest; absent at the start of the room. */
  olderCursor?: string | undefined
}

/** Up to where nothing is missing, by seq; 0 when nothing is known. */
export function completeUpTo({ messages }: KnownMessages): number {
  let seq = messages[0]?.seq ?? 0
  for (const each of messages) {
    if (each.seq > seq + 1) break
    seq = each.seq
  }
  return seq
}

/** Adds the newest messages to those known. A hole between them, which nobody filled, is not kept: what is older is forgotten. */
export function withNewest(known: KnownMessages, newest: KnownMessages): KnownMessages {
  const first = newest.messages[0]
  const hole = first !== undefined && first.seq > completeUpTo(known) + 1
  if (hole || known.messages.length === 0) return newest
  // A message that was sent before anything was read says nothing of what is older.
  const rooted = known.olderCursor !== undefined || known.messages[0]!.seq === 1
  const kept = rooted || first === undefined ? known.messages : known.messages.filter(each => each.seq >= first.seq)
  const messages = merged(kept, newest.messages)
  const goesFurther = rooted && (first === undefined || known.messages[0]!.seq <= first.seq)
  const { olderCursor } = goesFurther ? known : newest
  if (messages === known.messages && olderCursor === known.olderCursor) return known
  return { messages, olderCursor }
}

/** Adds the page before the oldest known. */
export function withOlder(known: KnownMessages, older: KnownMessages): KnownMessages {
  const first = known.messages[0]?.seq ?? Number.POSITIVE_INFINITY
  const before = older.messages[0]?.seq ?? 0
  if (before >= first) return known
  return { messages: merged(older.messages, known.messages), olderCursor: older.olderCursor }
}

/** A message that the server has just taken, at once where its room is shown. */
export function withSent(known: KnownMessages, message: ChatMessage): KnownMessages {
  return { ...known, messages: merged(known.messages, [message]) }
}

/** By seq, each once; the same array when nothing is added. */
function merged(some: ChatMessage[], more: readonly ChatMessage[]): ChatMessage[] {
  const known = new Set(some.map(each => each.seq))
  const added = more.filter(each => !known.has(each.seq))
  return added.length === 0 ? some : [...some, ...added].sort((one, other) => one.seq - other.seq)
}
