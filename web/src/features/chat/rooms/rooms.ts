import type { ChatRoom } from '@watchline/contracts/chat'

/** How many messages of a room a person has not read. */
export function unreadIn(room: ChatRoom, personId: string): number {
  return room.user1_id === personId ? room.unread_count_user1 : room.unread_count_user2
}

/** There is one room a pair: its id is made of theirs, the smaller first. */
export function roomIdOf(one: string, other: string): string {
  return one < other ? `${one}-${other}` : `${other}-${one}`
}

/** The seq of the latest message of the other one, by room; 0 where one wrote last oneself, or nobody did. */
export type LatestHeard = ReadonlyMap<string, number>

export function latestHeard(rooms: readonly ChatRoom[], personId: string): LatestHeard {
  return new Map(
    rooms.map(({ id, last_message: last }) => [id, last && last.sender_id !== personId ? last.seq : 0] as const),
  )
}

/** The rooms where the other one has written since. A room that was not in sight before has come up by its new message. */
export function heardSince(rooms: readonly ChatRoom[], personId: string, before: LatestHeard): ChatRoom[] {
  const now = latestHeard(rooms, personId)
  return rooms.filter(room => now.get(room.id)! > (before.get(room.id) ?? 0) && unreadIn(room, personId) > 0)
}
