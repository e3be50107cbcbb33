import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'
import { insertDocuments } from '../../shared/documents.ts'
import type { Call } from '../../shared/load-generator.ts'
import type { BenchWorld } from '../bench-world.ts'

const insertAtOnce = 20_000
export const messageText = 'I did not understand why the valve has to be shut first.'

/** The two people of a room, in the order of the room's id. */
export interface Pair {
  roomId: string
  people: [PersonSnapshot, PersonSnapshot]
  tokens: [string, string]
}

/** One side of a pair: an index of its people. */
export type Side = 0 | 1

/** A supervisor and a trainee. */
export function addPair(world: BenchWorld): Pair {
  const supervisor = world.addPerson('supervisor')
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const people = inRoomOrder(supervisor, trainee)
  return {
    roomId: roomIdOf(people),
    people,
    tokens: [world.signToken(people[0]), world.signToken(people[1])],
  }
}

function inRoomOrder(first: PersonSnapshot, second: PersonSnapshot): Pair['people'] {
  return first.id < second.id ? [first, second] : [second, first]
}

const roomIdOf = ([first, second]: Pair['people']) => `${first.id}-${second.id}`

/** The call that sends a message to the other side. */
export function makeSendCall(
  { people, tokens }: Pair,
  sender: Side,
  { clientId = randomUUID(), text = messageText }: { clientId?: string; text?: string } = {},
): Call {
  return {
    method: 'POST',
    path: '/api/chat/send',
    token: tokens[sender],
    body: JSON.stringify({
      recipient_id: people[sender === 0 ? 1 : 0].id,
      message: text,
      chat_type: 'user_supervisor',
      client_id: clientId,
    }),
  }
}

/** Calls that rotate over all pairs: a message of each first side, then one of each second side. */
export function rotateSendCalls(pairs: readonly Pair[]): () => Call {
  let callCount = 0
  return () => {
    const index = callCount++
    return makeSendCall(pairs[index % pairs.length]!, (Math.floor(index / pairs.length) % 2) as Side)
  }
}

/**
 * Inserts a room in which the two sides took turns, as the chat service stores it. With `archived`,
 * all messages but the last are in the archive.
 */
export async function insertRoom(
  database: mongoose.mongo.Db,
  { roomId, people }: Pair,
  { messageCount, archived }: { messageCount: number; archived: boolean },
) {
  const now = Date.now()
  const makeMessage = (seq: number) => {
    const s = (seq % 2) + 1
    return {
      id: newId(),
      seq,
      s,
      text: messageText,
      at: new Date(now - (messageCount - seq) * 1_000),
      key: `${s}:${randomUUID()}`,
      sent1: Math.floor(seq / 2),
      sent2: Math.ceil(seq / 2),
    }
  }
  if (archived) {
    for (let first = 1; first <= messageCount; first += insertAtOnce) {
      const count = Math.min(insertAtOnce, messageCount - first + 1)
      const documents = Array.from({ length: count }, (_, index) => {
        const message = makeMessage(first + index)
        const _id = `${roomId}:${String(message.seq).padStart(12, '0')}`
        return { ...message, _id, key: `${roomId}:${message.key}` }
      })
      await insertDocuments(database, 'messages', documents)
    }
  }
  const recentMessages = archived
    ? [makeMessage(messageCount)]
    : Array.from({ length: messageCount }, (_, index) => makeMessage(index + 1))
  const last = recentMessages.at(-1)!
  await insertDocuments(database, 'rooms', [
    {
      ...makeEmptyRoom(people),
      last_seq: messageCount,
      sent1: last.sent1,
      sent2: last.sent2,
      unread1: last.sent2,
      unread2: last.sent1,
      updated_at: last.at,
      moved_seq: archived ? messageCount - 1 : 0,
      moved_before: archived ? messageCount - 32 : 0,
      tail: recentMessages,
    },
  ])
}

/** Inserts the administrator's rooms: one message to each recipient. */
export async function insertAdminRooms(
  database: mongoose.mongo.Db,
  admin: PersonSnapshot,
  recipients: readonly PersonSnapshot[],
) {
  const now = Date.now()
  const rooms = recipients.map((recipient, index) => {
    const people = inRoomOrder(admin, recipient)
    const s = people[0] === recipient ? 1 : 2
    const at = new Date(now - index * 1_000)
    const sent = { sent1: s === 1 ? 1 : 0, sent2: s === 2 ? 1 : 0 }
    const message = { id: newId(), seq: 1, s, text: 'Hello', at, key: `${s}:${randomUUID()}`, ...sent }
    return {
      ...makeEmptyRoom(people),
      chat_type: 'admin',
      last_seq: 1,
      ...sent,
      unread1: sent.sent2,
      unread2: sent.sent1,
      updated_at: at,
      tail: [message],
    }
  })
  await insertDocuments(database, 'rooms', rooms)
}

function makeEmptyRoom(people: Pair['people']) {
  const [user1, user2] = people
  return {
    _id: roomIdOf(people),
    user1_id: user1.id,
    user2_id: user2.id,
    chat_type: 'user_supervisor',
    read1: 0,
    read2: 0,
    read_seq1: 0,
    read_seq2: 0,
    moved_seq: 0,
    moved_before: 0,
    moved_keys: [],
  }
}
