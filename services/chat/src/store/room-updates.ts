import type { ChatType } from '@watchline/contracts/chat'
import { oppositeSide, type Side } from '../rules/room.ts'
import type { StoredRoom } from './room-model.ts'

/** A message on its way into its room. */
export interface NewMessage {
  roomId: string
  user1Id: string
  user2Id: string
  chatType: ChatType
  id: string
  side: Side
  text: string
  at: Date
  key: string
  /** The sender searched the archive for a repetition up to here. */
  searchedUpTo: number
}

/** One side has read up to a message. */
export interface ReadPosition {
  roomId: string
  side: Side
  sequenceNumber: number
  /** Messages of the partner up to there. */
  partnerCount: number
}

/**
 * Appends messages to their rooms. Each append is one atomic step: the message gets the next
 * sequence number and its counters, and the partner's unread count follows from them. A room stays
 * as it is
 * - when it holds the message already, or
 * - when more was archived than the sender searched. The keys of the latest archiving are an
 *   exception: the room still holds them, and compares them.
 *
 * One statement serves all rooms, because MongoDB parses and plans each statement anew. A room with
 * several messages is in as many statements, in order.
 */
export function appendUpdates(messages: readonly NewMessage[]) {
  const statements: NewMessage[][] = []
  const statementCounts = new Map<string, number>()
  for (const message of messages) {
    const index = statementCounts.get(message.roomId) ?? 0
    statementCounts.set(message.roomId, index + 1)
    statements[index] ??= []
    statements[index].push(message)
  }
  return statements.map(appendUpdate)
}

/** One message a room. `$literal` keeps a person's text from being read as a field. */
function appendUpdate(messages: readonly NewMessage[]) {
  const ids = messages.map(({ roomId }) => roomId)
  const inputs = messages.map(({ id, side, text, at, key, chatType, searchedUpTo }) => ({
    id,
    s: side,
    text,
    at,
    key,
    by1: side === 1 ? 1 : 0,
    by2: side === 2 ? 1 : 0,
    chatType,
    searchedUpTo,
  }))
  const input = { $arrayElemAt: [{ $literal: inputs }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] }
  const room = { $cond: [isRefused, '$$ROOT', { $mergeObjects: ['$$ROOT', appendedFields] }] }
  const update = [{ $replaceWith: { $let: { vars: { input }, in: room } } }]
  return { updateMany: { filter: { _id: { $in: ids } }, update } }
}

const sent1 = { $add: ['$sent1', '$$input.by1'] }
const sent2 = { $add: ['$sent2', '$$input.by2'] }
const seq = { $add: ['$last_seq', 1] }
// The times of a room never run backwards, even if the clocks of replicas differ.
const at = { $max: ['$$input.at', '$updated_at'] }
const appendedFields = {
  chat_type: '$$input.chatType',
  last_seq: seq,
  sent1,
  sent2,
  unread1: { $subtract: [sent2, '$read1'] },
  unread2: { $subtract: [sent1, '$read2'] },
  updated_at: at,
  tail: {
    $concatArrays: [
      '$tail',
      [{ id: '$$input.id', seq, s: '$$input.s', text: '$$input.text', at, key: '$$input.key', sent1, sent2 }],
    ],
  },
}
const isArchiveUnsearched = {
  $and: [
    { $gt: ['$moved_seq', '$$input.searchedUpTo'] },
    { $or: [{ $gt: ['$moved_before', '$$input.searchedUpTo'] }, { $in: ['$$input.key', '$moved_keys'] }] },
  ],
}
const isRefused = { $or: [{ $in: ['$$input.key', '$tail.key'] }, isArchiveUnsearched] }

/** Stores a room with its first message; leaves a stored room as it is. */
export function openUpdate({ roomId, user1Id, user2Id, chatType, id, side, text, at, key }: NewMessage) {
  const sent = { sent1: side === 1 ? 1 : 0, sent2: side === 2 ? 1 : 0 }
  const room: StoredRoom = {
    _id: roomId,
    user1_id: user1Id,
    user2_id: user2Id,
    chat_type: chatType,
    last_seq: 1,
    ...sent,
    read1: 0,
    read2: 0,
    read_seq1: 0,
    read_seq2: 0,
    unread1: sent.sent2,
    unread2: sent.sent1,
    updated_at: at,
    moved_seq: 0,
    moved_before: 0,
    moved_keys: [],
    tail: [{ id, seq: 1, s: side, text, at, key, ...sent }],
  }
  return { updateOne: { filter: { _id: roomId }, update: { $setOnInsert: room }, upsert: true } }
}

/** A read position never goes back. Unread is what the partner sent minus what was read. */
export function readUpdate({ roomId, side, sequenceNumber, partnerCount }: ReadPosition) {
  return {
    updateOne: {
      filter: { _id: roomId, [`read_seq${side}`]: { $lt: sequenceNumber } },
      update: [
        { $set: { [`read_seq${side}`]: sequenceNumber, [`read${side}`]: partnerCount } },
        { $set: { [`unread${side}`]: { $subtract: [`$sent${oppositeSide(side)}`, `$read${side}`] } } },
      ],
    },
  }
}

/** Removes the messages up to a sequence number from the room, and remembers their keys. */
export function archiveUpdate(roomId: string, upTo: number) {
  const archived = { $filter: { input: '$tail', cond: { $lte: ['$$this.seq', upTo] } } }
  return {
    updateOne: {
      filter: { _id: roomId, moved_seq: { $lt: upTo } },
      update: [
        {
          $set: {
            moved_before: '$moved_seq',
            moved_seq: upTo,
            moved_keys: { $map: { input: archived, in: '$$this.key' } },
            tail: { $filter: { input: '$tail', cond: { $gt: ['$$this.seq', upTo] } } },
          },
        },
      ],
    },
  }
}
