import type { ChatType } from '@watchline/contracts/chat'
import { otherSide, type Side } from '../rules/rooms.ts'
import type { Message } from './message-archive.ts'

/** One document a pair of people. */
export interface StoredRoom {
  _id: string
  user1_id: string
  user2_id: string
  chat_type: ChatType
  last_seq: number
  sent1: number
  sent2: number
  /** How many messages of the other one each has read, and how far. */
  read1: number
  read2: number
  read_seq1: number
  read_seq2: number
  unread1: number
  unread2: number
  updated_at: Date
  /** All up to here are among the older messages: the tail begins after it. */
  moved_seq: number
  /** As it was before the latest move, and the keys of what that one moved. */
  moved_before: number
  moved_keys: string[]
  /** The newest messages, oldest first; never empty. */
  tail: Message[]
}

/** A message on its way into its room. */
export interface Append {
  roomId: string
  user1Id: string
  user2Id: string
  chatType: ChatType
  id: string
  side: Side
  text: string
  at: Date
  key: string
  /** Whether it repeats one of those up to here was looked up in the collection of older messages. */
  lookedUpTo: number
}

/** One of the two has read so far. */
export interface ReadTo {
  roomId: string
  side: Side
  seq: number
  /** How many messages of the other one lie up to there. */
  others: number
}

/**
 * The whole effect of a send on its room, in one atomic step: the message takes the next place, its counters stand beside it, what the
 * other one has not read follows from them. Left as it is are a room that holds the message already, and one of which more was moved
 * to the older messages than the caller has looked through (those of the latest move are told by their keys).
 *
 * One statement is for as many rooms as have something to take, because MongoDB reads and prepares each statement anew; a room that
 * takes several is in as many, in their order.
 */
export function appendUpdates(appends: readonly Append[]) {
  const rounds: Append[][] = []
  const taken = new Map<string, number>()
  for (const append of appends) {
    const round = taken.get(append.roomId) ?? 0
    taken.set(append.roomId, round + 1)
    rounds[round] ??= []
    rounds[round].push(append)
  }
  return rounds.map(appendUpdate)
}

/** Each to a room of its own. What somebody wrote is a literal: none of it can be taken for a field. */
function appendUpdate(appends: readonly Append[]) {
  const ids = appends.map(({ roomId }) => roomId)
  const sent = appends.map(({ id, side, text, at, key, chatType, lookedUpTo }) => ({
    id,
    s: side,
    text,
    at,
    key,
    by1: side === 1 ? 1 : 0,
    by2: side === 2 ? 1 : 0,
    chatType,
    lookedUpTo,
  }))
  return { updateMany: { filter: { _id: { $in: ids } }, update: appendTheirs(ids, sent) } }
}

const sent1 = { $add: ['$sent1', '$$its.by1'] }
const sent2 = { $add: ['$sent2', '$$its.by2'] }
const seq = { $add: ['$last_seq', 1] }
// A room's times never run backwards, whichever replica's clock is ahead.
const at = { $max: ['$$its.at', '$updated_at'] }
const appended = {
  chat_type: '$$its.chatType',
  last_seq: seq,
  sent1,
  sent2,
  unread1: { $subtract: [sent2, '$read1'] },
  unread2: { $subtract: [sent1, '$read2'] },
  updated_at: at,
  tail: {
    $concatArrays: [
      '$tail',
      [{ id: '$$its.id', seq, s: '$$its.s', text: '$$its.text', at, key: '$$its.key', sent1, sent2 }],
    ],
  },
}
const movedMeanwhile = {
  $and: [
    { $gt: ['$moved_seq', '$$its.lookedUpTo'] },
    { $or: [{ $gt: ['$moved_before', '$$its.lookedUpTo'] }, { $in: ['$$its.key', '$moved_keys'] }] },
  ],
}
const refused = { $or: [{ $in: ['$$its.key', '$tail.key'] }, movedMeanwhile] }

function appendTheirs(ids: readonly string[], sent: readonly object[]) {
  const its = { $arrayElemAt: [{ $literal: sent }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] }
  const room = { $cond: [refused, '$$ROOT', { $mergeObjects: ['$$ROOT', appended] }] }
  return [{ $replaceWith: { $let: { vars: { its }, in: room } } }]
}

/** A room with its first message; one that is there stays as it is. */
export function openUpdate({ roomId, user1Id, user2Id, chatType, id, side, text, at, key }: Append) {
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

/** Reading never goes back, and what is unread is never counted: it is what the other one sent less what was read of it. */
export function readUpdate({ roomId, side, seq, others }: ReadTo) {
  return {
    updateOne: {
      filter: { _id: roomId, [`read_seq${side}`]: { $lt: seq } },
      update: [
        { $set: { [`read_seq${side}`]: seq, [`read${side}`]: others } },
        { $set: { [`unread${side}`]: { $subtract: [`$sent${otherSide(side)}`, `$read${side}`] } } },
      ],
    },
  }
}

/** Takes out of the tail what has been stored among the older messages up to a place. */
export function movedUpdate(roomId: string, upTo: number) {
  const moved = { $filter: { input: '$tail', cond: { $lte: ['$$this.seq', upTo] } } }
  return {
    updateOne: {
      filter: { _id: roomId, moved_seq: { $lt: upTo } },
      update: [
        {
          $set: {
            moved_before: '$moved_seq',
            moved_seq: upTo,
            moved_keys: { $map: { input: moved, in: '$$this.key' } },
            tail: { $filter: { input: '$tail', cond: { $gt: ['$$this.seq', upTo] } } },
          },
        },
      ],
    },
  }
}
