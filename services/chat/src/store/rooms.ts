import type { ChatType } from '@watchline/contracts/chat'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, Schema } from 'mongoose'
import type { Side } from '../rules/rooms.ts'
import type { Message } from './message-archive.ts'
import {
  type Append,
  appendUpdates,
  movedUpdate,
  openUpdate,
  type ReadTo,
  readUpdate,
  type StoredRoom,
} from './room-updates.ts'

/** What a list of rooms tells of one: its counters and its newest message. */
export interface Room {
  id: string
  userIds: readonly [string, string]
  /** What the two were to each other when one of them wrote last. */
  chatType: ChatType
  lastSeq: number
  sent: Record<Side, number>
  readSeq: Record<Side, number>
  unread: Record<Side, number>
  updatedAt: Date
  last: Message
}

export type Mark = Pick<Message, 'seq' | 'sent1' | 'sent2'>

/** A room with its tail, without the texts. */
export interface MarkedRoom extends Pick<Room, 'id' | 'userIds' | 'lastSeq' | 'readSeq'> {
  tail: Mark[]
}

export interface NewestOfRoom {
  /** All up to here are among the older messages. */
  movedSeq: number
  tail: Message[]
}

export interface FullRoom extends Room {
  /** The newest messages, oldest first; all below are among the older messages. */
  tail: Message[]
}

/** Where a page of the list ended. */
export interface Place {
  at: number
  id: string
}

const newestOnly = { moved_keys: 0, tail: { $slice: -1 } }
const marks = {
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

/** Rooms: one document a pair, with counters and the newest messages. */
export function createRoomStore(connection: Connection) {
  const message = {
    id: String,
    seq: Number,
    s: Number,
    text: String,
    at: Date,
    key: String,
    sent1: Number,
    sent2: Number,
  }
  const schema = new Schema<StoredRoom>(
    {
      _id: String,
      user1_id: String,
      user2_id: String,
      chat_type: String,
      last_seq: Number,
      sent1: Number,
      sent2: Number,
      read1: Number,
      read2: Number,
      read_seq1: Number,
      read_seq2: Number,
      unread1: Number,
      unread2: Number,
      updated_at: Date,
      moved_seq: Number,
      moved_before: Number,
      moved_keys: [String],
      tail: [message],
    },
    { versionKey: false, collection: 'rooms' },
  )
  schema.index({ user1_id: 1, updated_at: -1, _id: -1 })
  schema.index({ user2_id: 1, updated_at: -1, _id: -1 })
  schema.index({ user1_id: 1, unread1: 1 }, { partialFilterExpression: { unread1: { $gt: 0 } }, name: 'unread1' })
  schema.index({ user2_id: 1, unread2: 1 }, { partialFilterExpression: { unread2: { $gt: 0 } }, name: 'unread2' })
  connection.model<StoredRoom>('Room', schema)
  const stored = () => connection.db!.collection<StoredRoom>('rooms')

  const unreadOf = async (side: Side, personId: string): Promise<number> => {
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
    get: async (id: string): Promise<Room | undefined> => {
      const row = await stored().findOne({ _id: id }, { projection: newestOnly })
      return row ? present(row) : undefined
    },

    /** With its tail. What is below the tail is read after it: a message is moved before it leaves the tail. */
    full: async (id: string): Promise<FullRoom | undefined> => {
      const row = await stored().findOne({ _id: id }, { projection: { moved_keys: 0 } })
      return row ? { ...present(row), tail: row.tail } : undefined
    },

    fullOf: async (ids: readonly string[]): Promise<FullRoom[]> => {
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: { moved_keys: 0 } })
        .toArray()
      return rows.map(row => ({ ...present(row), tail: row.tail }))
    },

    marked: async (ids: readonly string[]): Promise<Map<string, MarkedRoom>> => {
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: marks })
        .toArray()
      return new Map(rows.map(row => [row._id, presentMarks(row)]))
    },

    /** The newest messages of each, at most so many. */
    newest: async (ids: readonly string[], count: number): Promise<Map<string, NewestOfRoom>> => {
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: { moved_seq: 1, tail: { $slice: ['$tail', -count] } } })
        .toArray()
      return new Map(rows.map(row => [row._id, { movedSeq: row.moved_seq, tail: row.tail }]))
    },

    /** Up to where each has been moved; rooms that are not there have none. */
    movedSeqs: async (ids: readonly string[]): Promise<Map<string, number>> => {
      if (ids.length === 0) return new Map()
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: { moved_seq: 1 } })
        .toArray()
      return new Map(rows.map(row => [row._id, row.moved_seq]))
    },

    existing: async (ids: readonly string[]): Promise<Set<string>> => {
      if (ids.length === 0) return new Set()
      const rows = await stored()
        .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
        .toArray()
      return new Set(rows.map(row => row._id))
    },

    /** What became of each is in the room afterwards. */
    append: async (appends: readonly Append[]): Promise<void> => {
      if (appends.length > 0) await stored().bulkWrite(appendUpdates(appends))
    },

    /** Of several first messages of a room one is taken, which is to be seen afterwards. */
    open: async (firsts: readonly Append[]): Promise<void> => {
      if (firsts.length === 0) return
      await stored()
        .bulkWrite(firsts.map(openUpdate), { ordered: false })
        .catch(error => {
          if (!isDuplicateKey(error)) throw error
        })
    },

    read: async (reads: readonly ReadTo[]): Promise<void> => {
      if (reads.length > 0) await stored().bulkWrite(reads.map(readUpdate), { ordered: false })
    },

    /** Only what is stored among the older messages by now. */
    takeOut: async (moved: readonly { roomId: string; upTo: number }[]): Promise<void> => {
      const updates = moved.map(({ roomId, upTo }) => movedUpdate(roomId, upTo))
      if (updates.length > 0) await stored().bulkWrite(updates, { ordered: false })
    },

    /** A person's rooms, latest first. */
    page: async (personId: string, { limit, after }: { limit: number; after?: Place | undefined }): Promise<Room[]> => {
      const at = after && new Date(after.at)
      const of = (field: 'user1_id' | 'user2_id') =>
        after && at
          ? [
              { [field]: personId, updated_at: { $lt: at } },
              { [field]: personId, updated_at: at, _id: { $lt: after.id } },
            ]
          : [{ [field]: personId }]
      const rows = await stored()
        .find({ $or: [...of('user1_id'), ...of('user2_id')] }, { projection: newestOnly })
        .sort({ updated_at: -1, _id: -1 })
        .limit(limit)
        .toArray()
      return rows.map(present)
    },

    /** The ids of a person's rooms, at most so many; from the index alone. */
    idsOf: async (personId: string, limit: number): Promise<string[]> => {
      const of = (field: 'user1_id' | 'user2_id') =>
        stored()
          .find({ [field]: personId }, { projection: { _id: 1 } })
          .hint({ [field]: 1, updated_at: -1, _id: -1 })
          .limit(limit)
          .toArray()
      const [first, second] = await Promise.all([of('user1_id'), of('user2_id')])
      return [...first, ...second].slice(0, limit).map(row => row._id)
    },

    /** Counted to a bound, by the index alone. */
    count: async (personId: string, most: number): Promise<number> => {
      const of = (field: 'user1_id' | 'user2_id') =>
        stored().countDocuments({ [field]: personId }, { limit: most, hint: { [field]: 1, updated_at: -1, _id: -1 } })
      const [first, second] = await Promise.all([of('user1_id'), of('user2_id')])
      return Math.min(most, first + second)
    },

    unreadCount: async (personId: string): Promise<number> => {
      const [first, second] = await Promise.all([unreadOf(1, personId), unreadOf(2, personId)])
      return first + second
    },
  }
}

function present(row: StoredRoom): Room {
  return {
    id: row._id,
    userIds: [row.user1_id, row.user2_id],
    chatType: row.chat_type,
    lastSeq: row.last_seq,
    sent: { 1: row.sent1, 2: row.sent2 },
    readSeq: { 1: row.read_seq1, 2: row.read_seq2 },
    unread: { 1: row.unread1, 2: row.unread2 },
    updatedAt: row.updated_at,
    last: row.tail.at(-1)!,
  }
}

function presentMarks(row: StoredRoom): MarkedRoom {
  return {
    id: row._id,
    userIds: [row.user1_id, row.user2_id],
    lastSeq: row.last_seq,
    readSeq: { 1: row.read_seq1, 2: row.read_seq2 },
    tail: row.tail,
  }
}
