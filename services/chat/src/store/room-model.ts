import type { ChatType } from '@watchline/contracts/chat'
import { type Connection, Schema } from 'mongoose'
import type { Message } from '../rules/message.ts'
import type { Side } from '../rules/room.ts'
import { fromStoredMessage, type StoredMessage, storedMessageFields } from './stored-message.ts'

/** The one document of a pair of people. */
export interface StoredRoom {
  _id: string
  user1_id: string
  user2_id: string
  chat_type: ChatType
  last_seq: number
  sent1: number
  sent2: number
  /** How many messages of the partner each side has read, and up to which sequence number. */
  read1: number
  read2: number
  read_seq1: number
  read_seq2: number
  unread1: number
  unread2: number
  updated_at: Date
  /** All messages up to here are archived: `tail` begins after it. */
  moved_seq: number
  /** `moved_seq` before the latest archiving, and the keys of the messages that one archived. */
  moved_before: number
  moved_keys: string[]
  /** The recent messages, oldest first; never empty. */
  tail: StoredMessage[]
}

/** A room as a list shows it: its counters and its newest message. */
export interface Room {
  id: string
  userIds: readonly [string, string]
  /** The relation of the two when one of them wrote last. */
  chatType: ChatType
  lastNumber: number
  sentCounts: Record<Side, number>
  readUpTo: Record<Side, number>
  unreadCounts: Record<Side, number>
  updatedAt: Date
  lastMessage: Message
}

/** Leaves out what {@link toRoom} does not need. */
export const roomOnly = { moved_keys: 0, tail: { $slice: -1 } }

export function defineRoomModel(connection: Connection): void {
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
      tail: [storedMessageFields],
    },
    { versionKey: false, collection: 'rooms' },
  )
  schema.index({ user1_id: 1, updated_at: -1, _id: -1 })
  schema.index({ user2_id: 1, updated_at: -1, _id: -1 })
  schema.index({ user1_id: 1, unread1: 1 }, { partialFilterExpression: { unread1: { $gt: 0 } }, name: 'unread1' })
  schema.index({ user2_id: 1, unread2: 1 }, { partialFilterExpression: { unread2: { $gt: 0 } }, name: 'unread2' })
  connection.model<StoredRoom>('Room', schema)
}

export function roomCollection(connection: Connection) {
  return connection.db!.collection<StoredRoom>('rooms')
}

export function toRoom(row: StoredRoom): Room {
  return {
    id: row._id,
    userIds: [row.user1_id, row.user2_id],
    chatType: row.chat_type,
    lastNumber: row.last_seq,
    sentCounts: { 1: row.sent1, 2: row.sent2 },
    readUpTo: { 1: row.read_seq1, 2: row.read_seq2 },
    unreadCounts: { 1: row.unread1, 2: row.unread2 },
    updatedAt: row.updated_at,
    lastMessage: fromStoredMessage(row.tail.at(-1)!),
  }
}
