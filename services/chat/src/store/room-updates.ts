import type { ChatType } from '@watchline/contracts/chat'
import { otherSide, type Side } from '../rules/rooms.ts'

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

const orZero = (field: string) => ({ $ifNull: [`$${field}`, 0] })
const orNone = (field: string) => ({ $ifNull: [`$${field}`, []] })

/**
 * The whole effect of a send on its room, in one atomic step: the message takes the next place, its counters stand beside it, what the
 * other one has not read follows from them. Left as it is are a room that holds the message already, and one of which more was moved
 * to the older messages than the caller has looked through (those of the latest move are told by their keys).
 */
export function appendUpdate(append: Append) {
  const { id, side, key } = append
  const sent = (of: Side) => (of === side ? { $add: [orZero(`sent${of}`), 1] } : orZero(`sent${of}`))
  const known = { $concatArrays: [orNone('tail.key'), orNone('moved_keys')] }
  const message = {
    id: { $literal: id },
    seq: '$$seq',
    s: { $literal: side },
    text: { $literal: append.text },
    at: '$$at',
    key: { $literal: key },
    sent1: '$$sent1',
    sent2: '$$sent2',
  }
  const next = {
    _id: '$_id',
    user1_id: { $literal: append.user1Id },
    user2_id: { $literal: append.user2Id },
    chat_type: { $literal: append.chatType },
    last_seq: '$$seq',
    sent1: '$$sent1',
    sent2: '$$sent2',
    read1: orZero('read1'),
    read2: orZero('read2'),
    read_seq1: orZero('read_seq1'),
    read_seq2: orZero('read_seq2'),
    unread1: { $subtract: ['$$sent2', orZero('read1')] },
    unread2: { $subtract: ['$$sent1', orZero('read2')] },
    updated_at: '$$at',
    last: '$$message',
    moved_seq: orZero('moved_seq'),
    moved_before: orZero('moved_before'),
    moved_keys: orNone('moved_keys'),
    tail: { $concatArrays: [orNone('tail'), ['$$message']] },
  }
  // A room's times never run backwards, whichever replica's clock is ahead.
  const counted = {
    seq: { $add: [orZero('last_seq'), 1] },
    sent1: sent(1),
    sent2: sent(2),
    at: { $max: [append.at, '$updated_at'] },
  }
  const appended = { $let: { vars: counted, in: { $let: { vars: { message }, in: next } } } }
  const refused = {
    $or: [{ $gt: [orZero('moved_before'), append.lookedUpTo] }, { $in: [{ $literal: key }, known] }],
  }
  return {
    updateOne: {
      filter: { _id: append.roomId },
      update: [{ $replaceWith: { $cond: [refused, '$$ROOT', appended] } }],
      upsert: true,
    },
  }
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
