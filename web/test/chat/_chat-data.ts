import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'

let count = 0

/**
 * Makes message `seq` of a room, one second after message `seq - 1`, within the last hour and
 * today.
 */
export function makeMessage(changes: Partial<ChatMessage> & { seq: number }): ChatMessage {
  const time = new Date(Math.max(Date.now() - 60 * 60_000, new Date().setHours(0, 0, 0, 0)) + changes.seq * 1_000)
  return {
    id: `message-${changes.seq}`,
    sender_id: 'other',
    message: `Message ${changes.seq}`,
    timestamp: time.toISOString(),
    client_id: null,
    ...changes,
  }
}

/** Makes the partner's messages number `from` to `to`, inclusive. */
export function makeMessages(from: number, to: number): ChatMessage[] {
  return Array.from({ length: to - from + 1 }, (_, index) => makeMessage({ seq: from + index }))
}

/** Makes a room of `me` and a partner, without messages. */
export function makeRoom(partner: Partial<ChatRoom['other']> = {}, changes: Partial<ChatRoom> = {}): ChatRoom {
  count += 1
  const { id = `other-${count}`, name = `Other ${count}`, role = 'supervisor' } = partner
  const [user1_id, user2_id] = ['me', id].sort() as [string, string]
  return {
    id: `${user1_id}-${user2_id}`,
    user1_id,
    user2_id,
    chat_type: 'user_supervisor',
    unread_count_user1: 0,
    unread_count_user2: 0,
    other: { email: `${id}@example.org`, picture: null, ...partner, id, name, role },
    open: true,
    last_message: null,
    read_seq: 0,
    other_read_seq: 0,
    ...changes,
  }
}
