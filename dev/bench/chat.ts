import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createRedisLiveStore } from '@watchline/kit/live-store-redis'
import { newId } from '@watchline/kit/mongo'
import type mongoose from 'mongoose'
import { type Plan, plansOf, planTable } from './dashboard.ts'
import { type Call, closedLoop, type Outcome, openLoop } from './load.ts'
import { createMeter, type Meter, quantile, type Spread, spreadOf, type Used, usedBetween } from './meter.ts'
import { comparePolls, type PollFigures, pollTables } from './polls.ts'
import { call, type Running, type World } from './world.ts'
import { type Asked, shown } from './writes.ts'

const rooms = 500
const ratePerS = 2_000
const warmUpS = 3
const million = 1_000_000
const few = 10
const manyRooms = 10_000
const connections = 8
const compareS = 3
const insertAtOnce = 20_000
/** Far more often than a window of the flood's bound fills. */
const clearFloodMs = 20

interface Pair {
  roomId: string
  people: [PersonSnapshot, PersonSnapshot]
  tokens: [string, string]
}

interface Sustained {
  seconds: number
  sent: number
  errors: number
  answers: Record<string, number>
  callsPerS: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** µs a message: both replicas together, MongoDB, Redis, the load itself. */
  cpu: Record<'chat' | 'mongod' | 'redis' | 'load', number>
  commandsPerCall: number
  /** What lies in the rooms afterwards. */
  stored: { messages: number; gaps: number; repeated: number; inTails: number }
}

type Row = Record<'callsPerS' | 'p50Ms' | 'p99Ms' | 'chatUs' | 'mongodUs' | 'commandsPerCall', number>

export interface ChatFigures {
  sustained: Sustained
  /** Absent when only the load was asked for. */
  rest?: Rest
}

interface Rest {
  sizes: { name: string; spread: Record<keyof Row, Spread>; errors: number }[]
  /** CPU of service and MongoDB in the long room ÷ in the short one, round by round. */
  sizeRatio: Spread
  plans: Plan[]
  polls: PollFigures
}

/** Chat on two replicas: a steady load, long rooms against short ones, the plan of every query, and what polls cost. */
export async function measureChat(
  world: World,
  { rounds, seconds, only, say, isInterrupted }: Asked & { rounds: number; seconds: number; only?: string | undefined },
): Promise<ChatFigures> {
  const database = world.client.db(`${world.prefix}-chat`)
  const pairs = Array.from({ length: rooms }, () => aPair(world))
  const [short, long] = [aPair(world), aPair(world)]
  const admin = world.person('admin')
  const others = Array.from({ length: manyRooms }, () => world.person('user'))
  const replicas: [Running, Running] = [
    await world.startService('chat', {}, 'chat-1'),
    await world.startService('chat', {}, 'chat-2'),
  ]
  const meter = createMeter(world.client.db('admin').admin(), {
    'chat-1': replicas[0].pid,
    'chat-2': replicas[1].pid,
    ...world.serverPids,
  })
  const asked = { say, isInterrupted }

  say(`— ${rooms} rooms, ${ratePerS} messages a second over two replicas, ${seconds} s`)
  const idle = await idleCommands(meter)
  const sustained = await measureSustained({ database, meter, replicas, pairs, seconds, idle })

  if (only === 'load') return { sustained }

  say(`— rooms of ${few} and of ${million} messages`)
  await fillRoom(database, short, few, false)
  await fillRoom(database, long, million, true)
  await fillRooms(database, admin, others)
  await world.client.db('admin').command({ fsync: 1 })
  const { sizes, sizeRatio } = await measureSizes(world, { ...asked, meter, replicas, short, long, rounds, idle })

  say('— plans')
  const plans = await measurePlans(database, replicas[0].url, { long, admin: world.token(admin) })

  say('— polls')
  const service = { ...replicas[0], name: 'chat' }
  const tokens = [long.tokens[0]]
  const polls = await comparePolls(
    world,
    [
      { name: '/chat/rooms, 100 of 10,000', service, path: '/api/chat/rooms', tokens: [world.token(admin)] },
      { name: '/chat/messages, 50 of a million', service, path: `/api/chat/messages/${long.roomId}`, tokens },
      { name: '/chat/unread-count', service, path: '/api/chat/unread-count', tokens },
    ],
    { ...asked, rounds },
  )
  return { sustained, rest: { sizes, sizeRatio, plans, polls } }
}

function aPair(world: World): Pair {
  const supervisor = world.person('supervisor')
  const trainee = world.person('user', { supervisor_id: supervisor.id })
  const people = [supervisor, trainee].sort((one, other) => (one.id < other.id ? -1 : 1)) as Pair['people']
  return {
    roomId: people.map(each => each.id).join('-'),
    people,
    tokens: people.map(each => world.token(each)) as Pair['tokens'],
  }
}

function sendIn({ people, tokens }: Pair, from: 0 | 1): Call {
  return {
    method: 'POST',
    path: '/api/chat/send',
    token: tokens[from],
    body: JSON.stringify({
      recipient_id: people[from === 0 ? 1 : 0].id,
      message: 'I did not understand why the valve has to be shut first.',
      chat_type: 'user_supervisor',
      client_id: randomUUID(),
    }),
  }
}

/** Everybody in turn, in both directions. */
function inTurn(pairs: readonly Pair[]): () => Call {
  let turn = 0
  return () => {
    const at = turn++
    return sendIn(pairs[at % pairs.length]!, (Math.floor(at / pairs.length) % 2) as 0 | 1)
  }
}

async function idleCommands(meter: Meter): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const before = await meter.read()
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const { commands, seconds } = usedBetween(before, await meter.read())
  return commands / seconds
}

async function measureSustained({
  database,
  meter,
  replicas,
  pairs,
  seconds,
  idle,
}: {
  database: mongoose.mongo.Db
  meter: Meter
  replicas: readonly Running[]
  pairs: readonly Pair[]
  seconds: number
  idle: number
}): Promise<Sustained> {
  // Each replica is given every message of one sender of a room and then of the other: nobody has a replica of their own.
  const nexts = replicas.map((_, index) => inTurn(index === 0 ? pairs : [...pairs].reverse()))
  const load = (lasting: number) =>
    Promise.all(
      replicas.map(({ url }, index) =>
        openLoop(url, nexts[index]!, { ratePerS: ratePerS / replicas.length, seconds: lasting, connections: 128 }),
      ),
    )
  const warm = await load(warmUpS)
  const before = await meter.read()
  const outcomes = await load(seconds)
  const used = usedBetween(before, await meter.read())
  const sent = total(outcomes, each => each.calls)
  const latencies = Float64Array.from(outcomes.flatMap(each => [...each.latenciesMs])).sort()
  const answers: Record<string, number> = {}
  for (const each of outcomes)
    for (const [answer, times] of Object.entries(each.answers)) answers[answer] = (answers[answer] ?? 0) + times
  const us = (name: string) => (used.cpu[name]! / sent) * 1e6
  const stored = await storedIn(database)
  const acknowledged = sent + total(warm, each => each.calls)
  if (stored.messages < acknowledged)
    throw new Error(`${acknowledged} were acknowledged, ${stored.messages} are stored`)
  return {
    seconds,
    sent,
    errors: total(outcomes, each => each.errors),
    answers,
    callsPerS: sent / used.seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1)!,
    cpu: { chat: us('chat-1') + us('chat-2'), mongod: us('mongod'), redis: us('redis'), load: us('load') },
    commandsPerCall: Math.max(0, used.commands - idle * used.seconds) / sent,
    stored,
  }
}

/** Every room's places are 1, 2, 3, … and every message is there once. */
async function storedIn(database: mongoose.mongo.Db): Promise<Sustained['stored']> {
  const stored = { messages: 0, gaps: 0, repeated: 0, inTails: 0 }
  const keys = new Set<string>()
  const olderOf = new Map<string, number>()
  const older = database.collection<{ _id: string; seq: number; key: string }>('messages')
  const waiting: { roomId: string; seq: number }[] = []
  for await (const { _id, seq, key } of older.find({}, { projection: { seq: 1, key: 1 } })) {
    const roomId = _id.slice(0, _id.indexOf(':'))
    olderOf.set(roomId, (olderOf.get(roomId) ?? 0) + 1)
    keys.add(key)
    waiting.push({ roomId, seq })
  }
  const movedSeqs = new Map<string, number>()
  for await (const room of database.collection('rooms').find({})) {
    const id = String(room._id)
    const tail: { seq: number; key: string }[] = room.tail
    movedSeqs.set(id, room.moved_seq)
    stored.messages += room.last_seq
    stored.inTails += tail.length
    for (const each of tail) keys.add(`${id}:${each.key}`)
    const inOrder = tail.every((each, index) => each.seq === room.moved_seq + 1 + index)
    if (!inOrder || room.moved_seq + tail.length !== room.last_seq) stored.gaps += 1
  }
  // What is just being moved lies in both.
  for (const { roomId, seq } of waiting) if (seq > movedSeqs.get(roomId)!) olderOf.set(roomId, olderOf.get(roomId)! - 1)
  for (const [id, moved] of movedSeqs) if ((olderOf.get(id) ?? 0) !== moved) stored.gaps += 1
  stored.repeated = stored.messages - keys.size
  return stored
}

async function measureSizes(
  world: World,
  {
    meter,
    replicas,
    short,
    long,
    rounds,
    idle,
    say,
    isInterrupted,
  }: Asked & {
    meter: Meter
    replicas: readonly [Running, Running]
    short: Pair
    long: Pair
    rounds: number
    idle: number
  },
) {
  const live = createRedisLiveStore({ url: world.redisUrl, prefix: `${world.prefix}:` })
  const everybody = [...short.people, ...long.people]
  // Nobody may send as much as this; here the bound is in the way.
  const clearing = setInterval(() => {
    for (const { id } of everybody) live.counters.clear(`chat-messages:${id}`).catch(() => {})
  }, clearFloodMs)
  const measured: { name: string; pair: Pair; rows: Row[]; errors: number }[] = [
    { name: `a room of ${few}`, pair: short, rows: [], errors: 0 },
    { name: `a room of ${million.toLocaleString('en')}`, pair: long, rows: [], errors: 0 },
  ]
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const own of round % 2 ? measured : [...measured].reverse()) {
        if (isInterrupted()) throw new Error('interrupted')
        const { url } = replicas[0]
        const next = inTurn([own.pair])
        const before = await meter.read()
        const outcome = await closedLoop(url, next, { connections, seconds: compareS })
        const row = rowOf(outcome, usedBetween(before, await meter.read()), idle)
        // The first round is for warming up.
        if (round > 0) own.rows.push(row)
        own.errors += outcome.errors
        say(`  ${round || 'warming up'}: ${own.name}: ${row.chatUs.toFixed(0)} + ${row.mongodUs.toFixed(0)} µs`)
      }
    }
  } finally {
    clearInterval(clearing)
    await live.close()
  }
  const fields = Object.keys(measured[0]!.rows[0]!) as (keyof Row)[]
  const sizes = measured.map(({ name, rows, errors }) => ({
    name,
    errors,
    spread: Object.fromEntries(fields.map(field => [field, spreadOf(rows.map(row => row[field]))])) as Record<
      keyof Row,
      Spread
    >,
  }))
  const cost = ({ chatUs, mongodUs }: Row) => chatUs + mongodUs
  const sizeRatio = spreadOf(measured[1]!.rows.map((row, round) => cost(row) / cost(measured[0]!.rows[round]!)))
  return { sizes, sizeRatio }
}

function rowOf(outcome: Outcome, used: Used, idle: number): Row {
  const us = (name: string) => (used.cpu[name]! / outcome.calls) * 1e6
  return {
    callsPerS: outcome.calls / outcome.seconds,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    chatUs: us('chat-1'),
    mongodUs: us('mongod'),
    commandsPerCall: Math.max(0, used.commands - idle * used.seconds) / outcome.calls,
  }
}

async function measurePlans(database: mongoose.mongo.Db, url: string, { long, admin }: { long: Pair; admin: string }) {
  const get = (path: string, token: string) => () => call(url, { method: 'GET', path: `/api/chat${path}`, token })
  const post = (path: string, token: string) => () =>
    call(url, { method: 'POST', path: `/api/chat${path}`, token, body: '{}' })
  const cursor = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url')
  const messages = `/messages/${long.roomId}`
  const middle = `${messages}?cursor=${cursor({ before: million / 2 })}`
  const laterRooms = `/rooms?cursor=${cursor({ at: Date.now() - (manyRooms / 2) * 1_000, id: 'x' })}`
  const calls: [string, () => Promise<unknown>][] = [
    ['send, a room of a million', () => call(url, sendIn(long, 0))],
    ['messages, the newest of a million', get(messages, long.tokens[0])],
    ['messages, from the middle', get(middle, long.tokens[0])],
    ['mark-read, up to the middle', post(`/mark-read?room_id=${long.roomId}&up_to=${million / 2}`, long.tokens[1])],
    ['unread count, 10,000 rooms', get('/unread-count', admin)],
    ['rooms, the first of 10,000', get('/rooms', admin)],
    ['rooms, from the middle', get(laterRooms, admin)],
  ]
  const plans: Plan[] = []
  for (const [name, make] of calls) plans.push(...(await plansOf(database, name, make, ['query', 'command', 'update'])))
  return plans
}

/** As the service stores a room in which the two took turns. */
async function fillRoom(database: mongoose.mongo.Db, { roomId, people }: Pair, count: number, moved: boolean) {
  const now = Date.now()
  const messageAt = (seq: number) => {
    const s = (seq % 2) + 1
    return {
      id: newId(),
      seq,
      s,
      text: 'I did not understand why the valve has to be shut first.',
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
async function fillRooms(database: mongoose.mongo.Db, admin: PersonSnapshot, others: readonly PersonSnapshot[]) {
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

async function insert(database: mongoose.mongo.Db, collection: string, documents: object[]): Promise<void> {
  await database.collection(collection).insertMany(documents, { ordered: false, writeConcern: { w: 1 } })
}

function total(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((sum, each) => sum + of(each), 0)
}

const columns: [string, keyof Row, number][] = [
  ['messages/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 1],
  ['p99 ms', 'p99Ms', 1],
  ['chat µs', 'chatUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['commands', 'commandsPerCall', 3],
]

/** Markdown. */
export function chatTables({ sustained, rest }: ChatFigures): string {
  return [sustainedTable(sustained), ...(rest ? [restTables(rest)] : [])].join('\n\n')
}

function sustainedTable(sustained: Sustained): string {
  const { cpu, stored } = sustained
  return [
    '| seconds | messages/s | p50 ms | p99 ms | longest ms | chat µs | mongod µs | redis µs | commands | errors | stored | gaps | twice |',
    `|${' ---: |'.repeat(13)}`,
    `| ${[
      sustained.seconds,
      sustained.callsPerS.toFixed(0),
      sustained.p50Ms.toFixed(1),
      sustained.p99Ms.toFixed(1),
      sustained.maxMs.toFixed(0),
      cpu.chat.toFixed(0),
      cpu.mongod.toFixed(0),
      cpu.redis.toFixed(0),
      sustained.commandsPerCall.toFixed(3),
      sustained.errors,
      stored.messages,
      stored.gaps,
      stored.repeated,
    ].join(' | ')} |`,
  ].join('\n')
}

function restTables({ sizes, sizeRatio, plans, polls }: Rest): string {
  return [
    `| sending in | ${columns.map(([title]) => title).join(' | ')} | errors |`,
    `| --- |${' ---: |'.repeat(columns.length + 1)}`,
    ...sizes.map(
      ({ name, spread, errors }) =>
        `| ${name} | ${columns.map(([, field, digits]) => shown(spread[field], digits)).join(' | ')} | ${errors} |`,
    ),
    `| CPU of chat and MongoDB, long ÷ short | | | | ${shown(sizeRatio, 2)} | | | |`,
    '',
    planTable(plans),
    '',
    pollTables(polls),
  ].join('\n')
}
