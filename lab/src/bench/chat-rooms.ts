import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'
import type { Call } from '../shared/load-generator.ts'
import { type BenchWorld, insert } from './bench-world.ts'

const insertAtOnce = 20_000
export const words = 'I did not understand why the valve has to be shut first.'

/** Two who may write to each other, in the order of their room. */
export interface Pair {
  roomId: string
  people: [PersonSnapshot, PersonSnapshot]
  tokens: [string, string]
}

export function aPair(world: BenchWorld): Pair {
  const supervisor = world.person('supervisor')
  const trainee = world.person('user', { supervisor_id: supervisor.id })
  const people = [supervisor, trainee].sort((one, other) => (one.id < other.id ? -1 : 1)) as Pair['people']
  return {
    roomId: people.map(each => each.id).join('-'),
    people,
    tokens: people.map(each => world.token(each)) as Pair['tokens'],
  }
}

export function sendIn(
  { people, tokens }: Pair,
  from: 0 | 1,
  { clientId = randomUUID(), text = words }: { clientId?: string; text?: string } = {},
): Call {
  return {
    method: 'POST',
    path: '/api/chat/send',
    token: tokens[from],
    body: JSON.stringify({
      recipient_id: people[from === 0 ? 1 : 0].id,
      message: text,
      chat_type: 'user_supervisor',
      client_id: clientId,
    }),
  }
}

/** Everybody in turn, in both directions. */
export function inTurn(pairs: readonly Pair[]): () => Call {
  let turn = 0
  return () => {
    const at = turn++
    return sendIn(pairs[at % pairs.length]!, (Math.floor(at / pairs.length) % 2) as 0 | 1)
  }
}

/** As the service stores a room in which the two took turns. */
export async function fillRoom(database: mongoose.mongo.Db, { roomId, people }: Pair, count: number, moved: boolean) {
  const now = Date.now()
  const messageAt = (seq: number) => {
    const s = (seq % 2) + 1
    return {
      id: newId(),
      seq,
      s,
      text: words,
      at: new Date(now - (count - seq) * 1_000),
      key: `${s}:${randomUUID()}`,
      sent1: Math.floor(seq / 2),
      sent2: Math.ceil(seq / 2),
    }
  }
  const all = Array.from({ length: moved ? 0 : count }, (_, index) => messageAt(index + 1))
  if (moved) {
    for (let from = 1; from <= count; from += insertAtOnce) {
      const rows = Array.from({ length: Math.min(insertAtOnce, count - from + 1) }, (_, index) => {
        const message = messageAt(from + index)
        const _id = `${roomId}:${String(message.seq).padStart(12, '0')}`
        return { ...message, _id, key: `${roomId}:${message.key}` }
      })
      await insert(database, 'messages', rows)
    }
  }
  const last = all.at(-1) ?? messageAt(count)
  await insert(database, 'rooms', [
    {
      ...emptyRoom(people),
      last_seq: count,
      sent1: last.sent1,
      sent2: last.sent2,
      unread1: last.sent2,
      unread2: last.sent1,
      updated_at: last.at,
      moved_seq: moved ? count - 1 : 0,
      moved_before: moved ? count - 32 : 0,
      tail: moved ? [last] : all,
    },
  ])
}

/** The administrator has written one message to each. */
export async function fillRooms(database: mongoose.mongo.Db, admin: PersonSnapshot, others: readonly PersonSnapshot[]) {
  const now = Date.now()
  const rows = others.map((other, index) => {
    const people = [admin, other].sort((one, another) => (one.id < another.id ? -1 : 1)) as Pair['people']
    const s = people[0] === other ? 1 : 2
    const at = new Date(now - index * 1_000)
    const sent = { sent1: s === 1 ? 1 : 0, sent2: s === 2 ? 1 : 0 }
    const last = { id: newId(), seq: 1, s, text: 'Hello', at, key: `${s}:${randomUUID()}`, ...sent }
    return {
      ...emptyRoom(people),
      chat_type: 'admin',
      last_seq: 1,
      ...sent,
      unread1: sent.sent2,
      unread2: sent.sent1,
      updated_at: at,
      tail: [last],
    }
  })
  await insert(database, 'rooms', rows)
}

function emptyRoom([user1, user2]: Pair['people']) {
  return {
    _id: `${user1.id}-${user2.id}`,
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
