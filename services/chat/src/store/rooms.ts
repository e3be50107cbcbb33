import { expiredMessage } from '@watchline/contracts/chat'
import { fullScan } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { Connection } from 'mongoose'
import type { Message } from '../rules/message.ts'
import { defineRoomModel, type Room, roomCollection, roomOnly, type StoredRoom, toRoom } from './room-model.ts'
import {
  appendUpdates,
  archiveUpdate,
  type NewMessage,
  openUpdate,
  type ReadPosition,
  readUpdate,
} from './room-updates.ts'
import { fromStoredMessage } from './stored-message.ts'

export interface RoomWithMessages extends Room {
  /** Oldest first. All messages below are archived. */
  recentMessages: Message[]
}

export type MessageCounters = Pick<Message, 'sequenceNumber' | 'sentCounts'>

/** The read positions of a room, with the counters of its recent messages. */
export interface RoomReadState extends Pick<Room, 'id' | 'userIds' | 'lastNumber' | 'readUpTo'> {
  recentMessages: MessageCounters[]
}

export interface NewestMessages {
  archivedUpTo: number
  /** Oldest first. */
  messages: Message[]
}

const readStateFields = {
  user1_id: 1,
  user2_id: 1,
  last_seq: 1,
  read_seq1: 1,
  read_seq2: 1,
  'tail.seq': 1,
  'tail.sent1': 1,
  'tail.sent2': 1,
}

export type RoomStore = ReturnType<typeof createRoomStore>

/** Rooms: one document a pair, with counters and the recent messages. */
export function createRoomStore(connection: Connection) {
  defineRoomModel(connection)
  const stored = () => roomCollection(connection)
  const findRows = (ids: readonly string[], projection: object) =>
    ids.length === 0
      ? []
      : stored()
          .find({ _id: { $in: [...ids] } }, { projection })
          .toArray()

  return {
    find: async (id: string): Promise<Room | undefined> => {
      const row = await stored().findOne({ _id: id }, { projection: roomOnly })
      return row ? toRoom(row) : undefined
    },

    /** Read the archive after this: a message is archived before it leaves its room. */
    findWithMessages: async (id: string): Promise<RoomWithMessages | undefined> => {
      const row = await stored().findOne({ _id: id }, { projection: { moved_keys: 0 } })
      return row ? toRoomWithMessages(row) : undefined
    },

    findManyWithMessages: async (ids: readonly string[]): Promise<RoomWithMessages[]> =>
      (await findRows(ids, { moved_keys: 0 })).map(toRoomWithMessages),

    findReadStates: async (ids: readonly string[]): Promise<Map<string, RoomReadState>> => {
      const rows = await findRows(ids, readStateFields)
      return new Map(rows.map(row => [row._id, toReadState(row)]))
    },

    /** At most `count` messages of each room. */
    findNewestMessages: async (ids: readonly string[], count: number): Promise<Map<string, NewestMessages>> => {
      const rows = await findRows(ids, { moved_seq: 1, tail: { $slice: ['$tail', -count] } })
      return new Map(
        rows.map(row => [row._id, { archivedUpTo: row.moved_seq, messages: row.tail.map(fromStoredMessage) }]),
      )
    },

    /** Rooms that are not stored are absent from the answer. */
    findArchivedUpTo: async (ids: readonly string[]): Promise<Map<string, number>> => {
      const rows = await findRows(ids, { moved_seq: 1 })
      return new Map(rows.map(row => [row._id, row.moved_seq]))
    },

    /** Does not report which messages it appended: read the rooms afterwards. */
    append: async (messages: readonly NewMessage[]): Promise<void> => {
      if (messages.length > 0) await stored().bulkWrite(appendUpdates(messages))
    },

    /** Stores only one of several first messages of a room. Read the rooms afterwards. */
    open: async (firstMessages: readonly NewMessage[]): Promise<void> => {
      if (firstMessages.length === 0) return
      await stored()
        .bulkWrite(firstMessages.map(openUpdate), { ordered: false })
        .catch(error => {
          if (!isDuplicateKey(error)) throw error
        })
    },

    saveReadPositions: async (positions: readonly ReadPosition[]): Promise<void> => {
      if (positions.length > 0) await stored().bulkWrite(positions.map(readUpdate), { ordered: false })
    },

    /**
     * Removes recent messages from before a time. The newest message of a room stays without its
     * text, because a room is never empty. It reads all rooms.
     */
    expireMessages: async (before: Date): Promise<void> => {
      const remaining = { $filter: { input: '$tail', cond: { $gte: ['$$this.at', before] } } }
      const newest = { $mergeObjects: [{ $last: '$tail' }, { text: expiredMessage }] }
      await stored().updateMany(
        {
          'tail.at': { $lt: before },
          $or: [{ 'tail.1': { $exists: true } }, { 'tail.0.text': { $ne: expiredMessage } }],
        },
        [{ $set: { tail: { $cond: [{ $eq: [remaining, []] }, [newest], remaining] } } }],
        { comment: fullScan.comment },
      )
    },

    /** The messages must be in the archive before. */
    removeArchived: async (archived: readonly { roomId: string; upTo: number }[]): Promise<void> => {
      const updates = archived.map(({ roomId, upTo }) => archiveUpdate(roomId, upTo))
      if (updates.length > 0) await stored().bulkWrite(updates, { ordered: false })
    },
  }
}

function toRoomWithMessages(row: StoredRoom): RoomWithMessages {
  return { ...toRoom(row), recentMessages: row.tail.map(fromStoredMessage) }
}

function toReadState(row: StoredRoom): RoomReadState {
  return {
    id: row._id,
    userIds: [row.user1_id, row.user2_id],
    lastNumber: row.last_seq,
    readUpTo: { 1: row.read_seq1, 2: row.read_seq2 },
    recentMessages: row.tail.map(({ seq, sent1, sent2 }) => ({
      sequenceNumber: seq,
      sentCounts: { 1: sent1, 2: sent2 },
    })),
  }
}
