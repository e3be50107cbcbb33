import type { Connection } from 'mongoose'
import type { Side } from '../rules/room.ts'
import { type Room, roomCollection, roomOnly, toRoom } from './room-model.ts'

/** The end of a page of rooms: when its last room was updated, in ms, and its id. */
export interface RoomPageEnd {
  at: number
  id: string
}

export type RoomListStore = ReturnType<typeof createRoomListStore>

type MemberField = 'user1_id' | 'user2_id'

/** The rooms of a person. They are on two indexes, because the person may be on either side. */
export function createRoomListStore(connection: Connection) {
  const stored = () => roomCollection(connection)

  const sumUnread = async (side: Side, personId: string): Promise<number> => {
    const unread = `unread${side}`
    const [sum] = await stored()
      .aggregate<{ total: number }>(
        [
          { $match: { [`user${side}_id`]: personId, [unread]: { $gt: 0 } } },
          { $group: { _id: null, total: { $sum: `$${unread}` } } },
        ],
        { hint: unread },
      )
      .toArray()
    return sum?.total ?? 0
  }

  return {
    /** Latest first. */
    listPage: async (
      personId: string,
      { limit, after }: { limit: number; after?: RoomPageEnd | undefined },
    ): Promise<Room[]> => {
      const at = after && new Date(after.at)
      const filtersFor = (field: MemberField) =>
        after && at
          ? [
              { [field]: personId, updated_at: { $lt: at } },
              { [field]: personId, updated_at: at, _id: { $lt: after.id } },
            ]
          : [{ [field]: personId }]
      const rows = await stored()
        .find({ $or: [...filtersFor('user1_id'), ...filtersFor('user2_id')] }, { projection: roomOnly })
        .sort({ updated_at: -1, _id: -1 })
        .limit(limit)
        .toArray()
      return rows.map(toRoom)
    },

    /** At most `limit` ids, read from the indexes alone. */
    listIds: async (personId: string, limit: number): Promise<string[]> => {
      const listFor = (field: MemberField) =>
        stored()
          .find({ [field]: personId }, { projection: { _id: 1 } })
          .hint({ [field]: 1, updated_at: -1, _id: -1 })
          .limit(limit)
          .toArray()
      const [first, second] = await Promise.all([listFor('user1_id'), listFor('user2_id')])
      return [...first, ...second].slice(0, limit).map(row => row._id)
    },

    /** Counts up to `max`, from the indexes alone. */
    count: async (personId: string, max: number): Promise<number> => {
      const countFor = (field: MemberField) =>
        stored().countDocuments({ [field]: personId }, { limit: max, hint: { [field]: 1, updated_at: -1, _id: -1 } })
      const [first, second] = await Promise.all([countFor('user1_id'), countFor('user2_id')])
      return Math.min(max, first + second)
    },

    /** The ids among these that are stored. */
    findExisting: async (ids: readonly string[]): Promise<Set<string>> => {
      if (ids.length === 0) return new Set()
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
        .toArray()
      return new Set(rows.map(row => row._id))
    },

    /** The person's rooms, and the messages in them that they sent and received. */
    countMessages: async (personId: string): Promise<{ rooms: number; sent: number; received: number }> => {
      const countFor = async (side: Side) => {
        const partner = side === 1 ? 2 : 1
        const [sums] = await stored()
          .aggregate<{ rooms: number; sent: number; received: number }>([
            { $match: { [`user${side}_id`]: personId } },
            {
              $group: {
                _id: null,
                rooms: { $sum: 1 },
                sent: { $sum: `$sent${side}` },
                received: { $sum: `$sent${partner}` },
              },
            },
            { $project: { _id: 0 } },
          ])
          .toArray()
        return sums ?? { rooms: 0, sent: 0, received: 0 }
      }
      const [first, second] = await Promise.all([countFor(1), countFor(2)])
      return {
        rooms: first.rooms + second.rooms,
        sent: first.sent + second.sent,
        received: first.received + second.received,
      }
    },

    countUnread: async (personId: string): Promise<number> => {
      const [first, second] = await Promise.all([sumUnread(1, personId), sumUnread(2, personId)])
      return first + second
    },
  }
}
