import type { ChatMessage, ChatRoom, ChatType } from '@watchline/contracts/chat'
import type { Person } from '@watchline/identity/people'
import { mayWrite, relationOf } from '../rules/adjacency.ts'
import { otherSide, pairOf, roomIdOf, type Side, sideOf } from '../rules/rooms.ts'
import { clientIdOf, type Message } from '../store/message-archive.ts'
import type { Room } from '../store/rooms.ts'

export function presentMessage(userIds: readonly [string, string], message: Message): ChatMessage {
  return {
    id: message.id,
    seq: message.seq,
    sender_id: userIds[message.s - 1]!,
    message: message.text,
    timestamp: message.at.toISOString(),
    client_id: clientIdOf(message),
  }
}

/** A room as one of its two sees it; `other` is absent for somebody this service has not heard of. */
export function presentRoom(room: Room, person: Person, other: Person | undefined): ChatRoom {
  const otherId = room.userIds.find(id => id !== person.id)!
  const side: Side = sideOf(person.id, otherId)
  return {
    id: room.id,
    user1_id: room.userIds[0],
    user2_id: room.userIds[1],
    chat_type: (other && relationOf(person, other)) ?? room.chatType,
    unread_count_user1: room.unread[1],
    unread_count_user2: room.unread[2],
    other: presentOther(other, otherId),
    open: other !== undefined && mayWrite(person, other, room.sent[otherSide(side)]),
    last_message: presentMessage(room.userIds, room.last),
    read_seq: room.readSeq[side],
    other_read_seq: room.readSeq[otherSide(side)],
  }
}

/** The room of two who have not written yet. */
export function presentEmptyRoom(person: Person, other: Person, chatType: ChatType): ChatRoom {
  const [user1_id, user2_id] = pairOf(person.id, other.id)
  return {
    id: roomIdOf(person.id, other.id),
    user1_id,
    user2_id,
    chat_type: chatType,
    unread_count_user1: 0,
    unread_count_user2: 0,
    other: presentOther(other, other.id),
    open: true,
    last_message: null,
    read_seq: 0,
    other_read_seq: 0,
  }
}

function presentOther(other: Person | undefined, id: string): ChatRoom['other'] {
  if (!other) return { id, name: 'Unknown', email: '', picture: null, role: 'user' }
  const { name, email, picture, role } = other
  return { id, name, email, picture, role }
}
