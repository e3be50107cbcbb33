import type { ChatMessage, ChatRoom, ChatType } from '@watchline/contracts/chat'
import type { Person } from '@watchline/identity/people'
import type { RoomListEntry } from '../actions/list-room-entries.ts'
import { mayWrite, relationOf } from '../rules/adjacency.ts'
import { clientIdOf, type Message } from '../rules/message.ts'
import { oppositeSide, roomIdOf, sideOf, sortPair } from '../rules/room.ts'
import type { Room } from '../store/room-model.ts'

export function presentMessage(userIds: readonly [string, string], message: Message): ChatMessage {
  return {
    id: message.id,
    seq: message.sequenceNumber,
    sender_id: userIds[message.senderSide - 1]!,
    message: message.text,
    timestamp: message.at.toISOString(),
    client_id: clientIdOf(message),
  }
}

/** An entry of the list, as the person sees it. */
export function presentRoomEntry(entry: RoomListEntry, person: Person): ChatRoom {
  return entry.room
    ? presentRoom(entry.room, person, entry.partner)
    : presentEmptyRoom(person, entry.partner, entry.relation)
}

function presentRoom(room: Room, person: Person, partner: Person | undefined): ChatRoom {
  const partnerId = room.userIds.find(id => id !== person.id)!
  const side = sideOf(person.id, partnerId)
  const partnerSide = oppositeSide(side)
  return {
    id: room.id,
    user1_id: room.userIds[0],
    user2_id: room.userIds[1],
    chat_type: (partner && relationOf(person, partner)) ?? room.chatType,
    unread_count_user1: room.unreadCounts[1],
    unread_count_user2: room.unreadCounts[2],
    other: presentPartner(partner, partnerId),
    open: partner !== undefined && mayWrite(person, partner, room.sentCounts[partnerSide]),
    last_message: presentMessage(room.userIds, room.lastMessage),
    read_seq: room.readUpTo[side],
    other_read_seq: room.readUpTo[partnerSide],
  }
}

function presentEmptyRoom(person: Person, partner: Person, chatType: ChatType): ChatRoom {
  const [user1_id, user2_id] = sortPair(person.id, partner.id)
  return {
    id: roomIdOf(person.id, partner.id),
    user1_id,
    user2_id,
    chat_type: chatType,
    unread_count_user1: 0,
    unread_count_user2: 0,
    other: presentPartner(partner, partner.id),
    open: true,
    last_message: null,
    read_seq: 0,
    other_read_seq: 0,
  }
}

function presentPartner(partner: Person | undefined, id: string): ChatRoom['other'] {
  if (!partner) return { id, name: 'Unknown', email: '', picture: null, role: 'user' }
  const { name, email, emailVerified, picture, role } = partner
  return { id, name, email, email_verified: emailVerified, picture, role }
}
