import { randomInt } from 'node:crypto'
import type { ChatMessage } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import type mongoose from 'mongoose'
import { Agent } from 'undici'
import { quantile } from '../shared/meter.ts'
import { type BenchWorld, forEachOf, type Running } from './bench-world.ts'
import { ratePerS, type Stored, slowMs, storedIn } from './chat-load.ts'
import type { Pair } from './chat-rooms.ts'
import { createSender, type Replicas, type Sender } from './chat-senders.ts'
import type { Asked } from './writes.ts'

/** One message in so many has its sender mark the room as read up to it. */
const readEvery = 40
const readersAtOnce = 16
const connectionsEach = 128
/** Senders go on with what they have after the load's end, for so long at the most. */
const patienceMs = 180_000

export interface KillFigures {
  seconds: number
  /** When, in seconds since the load began, and how long until the replica answered again. */
  kills: { atS: number; awayS: number }[]
  sent: number
  acknowledged: number
  /** Messages that were sent more than once, and how often in all. */
  resent: number
  resends: number
  /** What resends were for: a status, or an error's code. */
  reasons: Record<string, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
  secondsOver: number
  found: Findings
  stored: Stored
}

/** What the oracle found; all but `checked` are faults. */
export interface Findings {
  checked: number
  /** Acknowledged, and not there. */
  lost: number
  /** There more than once. */
  doubled: number
  /** There before one that its sender had sent earlier. */
  outOfOrder: number
  /** There with another place, id or text than was acknowledged. */
  different: number
  /** There, and never sent. */
  unknown: number
  /** Places of a room that nothing has. */
  gaps: number
  /** Rooms that the two sides, at different replicas, do not see the same. */
  sidesDiffer: number
  /** People whose count of unread messages is not what the other one wrote since they last read. */
  wrongUnread: number
}

interface Asking extends Asked {
  database: mongoose.mongo.Db
  replicas: [Running, Running]
  pairs: readonly Pair[]
  seconds: number
  kills: number
}

/** The steady load, by senders who send again what was not acknowledged, while replicas are killed and started again. */
export async function measureKills(world: BenchWorld, asking: Asking): Promise<KillFigures> {
  const { database, replicas, pairs, seconds, say, isInterrupted } = asking
  const agent = new Agent({ connections: connectionsEach, pipelining: 1 })
  world.onStop(() => agent.destroy())
  const reached: Replicas = { agent, at: index => replicas[index % replicas.length]!.url }
  const senders = pairs.map(
    (pair, index) => [createSender(pair, 0, reached, index), createSender(pair, 1, reached, index + 1)] as const,
  )
  const started = performance.now()
  const killing = killInTurn(world, { ...asking, started })
  let turn = 0
  for (let due = started; due < started + seconds * 1_000 && !isInterrupted(); ) {
    for (; due <= performance.now(); due += (-Math.log(1 - Math.random()) / ratePerS) * 1_000) {
      const sender = senders[turn % pairs.length]![Math.floor(turn / pairs.length) % 2]!
      sender.say(due)
      if (turn % readEvery === 0) sender.read()
      turn += 1
    }
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())))
  }
  const kills = await killing
  const all = senders.flat()
  const giveUp = setTimeout(() => {
    for (const each of all) each.giveUp()
  }, patienceMs)
  await Promise.all(all.map(each => each.done()))
  clearTimeout(giveUp)
  if (isInterrupted()) throw new Error('interrupted')

  say('  every message of every room is looked at, by both sides')
  const latencies = Float64Array.from(all.flatMap(each => each.sent.map(message => message.ms ?? Infinity))).sort()
  const bySecond = Map.groupBy(
    all.flatMap(each => each.sent),
    message => Math.floor((message.due - started) / 1_000),
  )
  const reasons: Record<string, number> = {}
  for (const each of all)
    for (const [reason, times] of Object.entries(each.reasons)) reasons[reason] = (reasons[reason] ?? 0) + times
  const attempts = all.flatMap(each => each.sent.map(message => message.attempts))
  return {
    seconds,
    kills,
    sent: turn,
    acknowledged: all.reduce((sum, each) => sum + each.sent.filter(message => message.told).length, 0),
    resent: attempts.filter(times => times > 1).length,
    resends: attempts.reduce((sum, times) => sum + times - 1, 0),
    reasons,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1)!,
    secondsOver: [...bySecond.values()].filter(
      messages => quantile(Float64Array.from(messages.map(each => each.ms ?? Infinity)).sort(), 0.99) > slowMs,
    ).length,
    found: await examine(senders, reached),
    stored: await storedIn(database),
  }
}

/** Each in its share of the time, at a random moment, whichever replica. */
async function killInTurn(
  world: BenchWorld,
  { replicas, seconds, kills, started, say, isInterrupted }: Asking & { started: number },
): Promise<KillFigures['kills']> {
  const done: KillFigures['kills'] = []
  const share = (seconds * 1_000) / kills
  for (let at = 0; at < kills; at += 1) {
    const moment = started + share * at + randomInt(Math.ceil(share * 0.2), Math.ceil(share * 0.7))
    await new Promise(resolve => setTimeout(resolve, Math.max(0, moment - performance.now())))
    if (isInterrupted()) break
    const victim = randomInt(replicas.length)
    const killed = performance.now()
    process.kill(replicas[victim]!.pid, 'SIGKILL')
    replicas[victim] = await world.startService('chat', {}, `chat-${victim + 1}-again-${at + 1}`)
    const kill = { atS: (killed - started) / 1_000, awayS: (performance.now() - killed) / 1_000 }
    say(`  replica ${victim + 1} killed after ${kill.atS.toFixed(1)} s, away for ${kill.awayS.toFixed(1)} s`)
    done.push(kill)
  }
  return done
}

export function noFindings(): Findings {
  return {
    checked: 0,
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    different: 0,
    unknown: 0,
    gaps: 0,
    sidesDiffer: 0,
    wrongUnread: 0,
  }
}

/** What was acknowledged against what either side is shown, each at another replica. */
async function examine(senders: readonly (readonly [Sender, Sender])[], reached: Replicas): Promise<Findings> {
  const found = noFindings()
  await forEachOf([...senders.entries()], readersAtOnce, async ([index, both]) => {
    const views = await Promise.all(both.map((sender, side) => allMessages(sender, reached.at(index + side))))
    const [messages, others] = views as [ChatMessage[], ChatMessage[]]
    if (JSON.stringify(messages) !== JSON.stringify(others)) found.sidesDiffer += 1
    found.gaps += messages.filter(({ seq }, at) => seq !== at + 1).length
    for (const sender of both) compare(sender, messages, found)
    for (const [side, sender] of both.entries()) {
      const unread = messages.filter(each => each.sender_id !== sender.person.id && each.seq > sender.readSeq).length
      const told = await get<{ unread_count: number }>(sender, reached.at(index + side + 1), '/unread-count')
      if (told.json.unread_count !== unread) found.wrongUnread += 1
    }
  })
  return found
}

/** Adds what is wrong with one sender's messages in their room, told in the room's order. */
export function compare(
  { person, sent }: Pick<Sender, 'person' | 'sent'>,
  messages: readonly ChatMessage[],
  found: Findings,
) {
  const places = new Map(sent.map((each, place) => [each.clientId, place]))
  const seen = new Set<number>()
  let latest = -1
  for (const message of messages) {
    if (message.sender_id !== person.id) continue
    const place = places.get(message.client_id ?? '')
    if (place === undefined) {
      found.unknown += 1
      continue
    }
    if (seen.has(place)) found.doubled += 1
    else if (place < latest) found.outOfOrder += 1
    seen.add(place)
    latest = Math.max(latest, place)
    const { told, text } = sent[place]!
    if (message.message !== text || (told && (told.id !== message.id || told.seq !== message.seq))) found.different += 1
  }
  for (const [place, { told }] of sent.entries()) {
    if (!told) continue
    found.checked += 1
    if (!seen.has(place)) found.lost += 1
  }
}

async function allMessages(sender: Sender, url: string): Promise<ChatMessage[]> {
  const all: ChatMessage[] = []
  for (let cursor = ''; ; ) {
    const query = `?limit=${limits.pageMax}${cursor && `&cursor=${cursor}`}`
    const page = await get<ChatMessage[]>(sender, url, `/messages/${sender.roomId}${query}`)
    all.unshift(...page.json)
    cursor = page.headers.get('x-next-cursor') ?? ''
    if (!cursor) return all
  }
}

async function get<T>({ token }: Sender, url: string, path: string): Promise<{ json: T; headers: Headers }> {
  const answer = await fetch(`${url}/api/chat${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return { json: (await answer.json()) as T, headers: answer.headers }
}

const faults: [string, keyof Findings][] = [
  ['lost', 'lost'],
  ['doubled', 'doubled'],
  ['out of order', 'outOfOrder'],
  ['not as acknowledged', 'different'],
  ['never sent', 'unknown'],
  ['gaps', 'gaps'],
  ['rooms the two see differently', 'sidesDiffer'],
  ['wrong unread counts', 'wrongUnread'],
]

/** Markdown. */
export function killTable({ kills, found, stored, reasons, ...figures }: KillFigures): string {
  const columns: [string, string | number][] = [
    ['seconds', figures.seconds],
    ['killed after s', kills.map(each => each.atS.toFixed(1)).join(', ')],
    ['away s', kills.map(each => each.awayS.toFixed(1)).join(', ')],
    ['sent', figures.sent],
    ['acknowledged', figures.acknowledged],
    ['sent again', `${figures.resent}, ${figures.resends} times`],
    ['p50 ms', figures.p50Ms.toFixed(1)],
    ['p99 ms', figures.p99Ms.toFixed(1)],
    ['longest ms', figures.maxMs.toFixed(0)],
    [`seconds with p99 over ${slowMs} ms`, figures.secondsOver],
  ]
  const checked: [string, number][] = [
    ['acknowledged, looked for', found.checked],
    ...faults.map(([name, field]): [string, number] => [name, found[field]]),
    ['stored', stored.messages],
    ['stored twice', stored.repeated],
    ['gaps in MongoDB', stored.gaps],
  ]
  return [
    table(columns),
    `Sent again after: ${Object.entries(reasons)
      .map(([reason, times]) => `${reason} ${times}`)
      .join(', ')}.`,
    table(checked),
  ].join('\n\n')
}

function table(columns: readonly [string, string | number][]): string {
  return [
    `| ${columns.map(([title]) => title).join(' | ')} |`,
    `|${' ---: |'.repeat(columns.length)}`,
    `| ${columns.map(([, value]) => value).join(' | ')} |`,
  ].join('\n')
}
