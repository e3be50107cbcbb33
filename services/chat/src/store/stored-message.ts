import type { Message } from '../rules/message.ts'
import type { Side } from '../rules/room.ts'

/** A message as MongoDB stores it, in its room and in the archive: `s` is the sender's side. */
export interface StoredMessage {
  id: string
  seq: number
  s: Side
  text: string
  at: Date
  key: string
  sent1: number
  sent2: number
}

export const storedMessageFields = {
  id: String,
  seq: Number,
  s: Number,
  text: String,
  at: Date,
  key: String,
  sent1: Number,
  sent2: Number,
}

export function fromStoredMessage({ id, seq, s, text, at, key, sent1, sent2 }: StoredMessage): Message {
  return { id, sequenceNumber: seq, senderSide: s, text, at, key, sentCounts: { 1: sent1, 2: sent2 } }
}

export function toStoredMessage(message: Message): StoredMessage {
  const { id, sequenceNumber, senderSide, text, at, key, sentCounts } = message
  return { id, seq: sequenceNumber, s: senderSide, text, at, key, sent1: sentCounts[1], sent2: sentCounts[2] }
}
