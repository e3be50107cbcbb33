import type { ChatRoom } from '@watchline/contracts/chat'

/** The number of messages of a room that a person has not read. */
export function countUnread(room: ChatRoom, personId: string): number {
  return room.user1_id === personId ? room.unread_count_user1 : room.unread_count_user2
}

/** A pair of people has one room. Its id consists of their ids, the smaller first. */
export function roomIdOf(personId: string, partnerId: string): string {
  return personId < partnerId ? `${personId}-${partnerId}` : `${partnerId}-${personId}`
}

/** By room, the sequence number of its last message if the partner wrote it, else 0. */
export type PartnerSeqs = ReadonlyMap<string, number>

export function readPartnerSeqs(rooms: readonly ChatRoom[], personId: string): PartnerSeqs {
  return new Map(
    rooms.map(
      ({ id, last_message: lastMessage }) =>
        [id, lastMessage && lastMessage.sender_id !== personId ? lastMessage.seq : 0] as const,
    ),
  )
}

/**
 * The rooms in which the partner has written since. A room that was not loaded before counts as 0.
 */
export function findRoomsWithNewMessages(
  rooms: readonly ChatRoom[],
  personId: string,
  before: PartnerSeqs,
): ChatRoom[] {
  const current = readPartnerSeqs(rooms, personId)
  return rooms.filter(room => current.get(room.id)! > (before.get(room.id) ?? 0) && countUnread(room, personId) > 0)
}
