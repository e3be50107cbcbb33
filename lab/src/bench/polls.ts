import type { PersonSnapshot } from '@watchline/contracts/people'
import { nameKey } from '@watchline/identity/name-key'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { newId } from '@watchline/kit/mongo/database'
import { makePersonSnapshot } from '@watchline/testing/harness'
import type mongoose from 'mongoose'
import { type Call, closedLoop, type Outcome } from '../shared/load-generator.ts'
import { createMeter, type Spread, spreadOf, usedBetween } from '../shared/meter.ts'
import type { BenchWorld, Running } from './bench-world.ts'
import { type Asked, rowOf, shown } from './writes.ts'

const items = 100
const teams = 4_500
const teamSize = 10
const moreStaff = 500
/** Supervisors who poll, one after the other. */
const callers = 20
const connections = 4
const seconds = 3
const warmUpS = 0.7
const insertAtOnce = 5_000
const chunk = 1_000
/** So many tries, a moment apart, until nothing changes any more. */
const settleTries = 100

/** What one kind of answer cost. CPU in µs a call. */
type Row = Record<'callsPerS' | 'p50Ms' | 'p99Ms' | 'serverUs' | 'mongodUs' | 'redisUs' | 'commandsPerCall', number>
type Cost = Pick<Row, 'serverUs' | 'mongodUs' | 'redisUs'>
type Kind = 'full' | 'unchanged'

export interface PollFigures {
  rows: {
    name: string
    kind: Kind
    bytes: number
    answers: Record<string, number>[]
    errors: number
    spread: Record<keyof Row, Spread>
  }[]
  /** CPU of an unchanged poll ÷ that of a full answer, round by round. */
  ratios: { name: string; server: Spread; all: Spread }[]
}

export interface Poll {
  name: string
  service: Running & { name: string }
  path: string
  tokens: readonly string[]
  /** Before each round. */
  prepare?(): Promise<void>
}

/** Full answers and unchanged ones of the polled reads, in rounds that alternate. */
export async function measurePolls(world: BenchWorld, asked: Asked & { rounds: number }): Promise<PollFigures> {
  const { say } = asked
  const polls = [await notificationsPoll(world, say), await commentsPoll(world, say), await onlinePoll(world, say)]
  return comparePolls(world, polls, asked)
}

export async function comparePolls(
  world: BenchWorld,
  polls: readonly Poll[],
  { rounds, say, isInterrupted }: Asked & { rounds: number },
): Promise<PollFigures> {
  await world.client.db('admin').command({ fsync: 1 })
  const pids = Object.fromEntries(polls.map(({ service }) => [service.name, service.pid]))
  const meter = createMeter(world.client.db('admin').admin(), { ...pids, ...world.serverPids })
  const idleBefore = await meter.read()
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const idle = usedBetween(idleBefore, await meter.read())
  const idleCommandsPerS = idle.commands / idle.seconds

  const measured = new Map<string, { bytes: number; rows: Row[]; answers: Record<string, number>[]; errors: number }>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const poll of polls) {
      await poll.prepare?.()
      const { tags, bytes } = await settledTags(poll)
      const nexts = { full: inTurn(poll), unchanged: inTurn(poll, tags) }
      const kinds: Kind[] = round % 2 ? ['full', 'unchanged'] : ['unchanged', 'full']
      for (const kind of kinds) {
        if (isInterrupted()) throw new Error('interrupted')
        await closedLoop(poll.service.url, nexts[kind], { connections, seconds: warmUpS })
        const before = await meter.read()
        const outcome = await closedLoop(poll.service.url, nexts[kind], { connections, seconds })
        const row = rowOf(outcome, usedBetween(before, await meter.read()), poll.service.name, idleCommandsPerS)
        const key = `${poll.name} ${kind}`
        const own = measured.get(key) ?? { bytes: kind === 'full' ? bytes : 0, rows: [], answers: [], errors: 0 }
        measured.set(key, own)
        own.rows.push(row)
        own.answers.push(outcome.answers)
        own.errors += outcome.errors
        say(`  round ${round}: ${key}: ${told(outcome, row)}`)
      }
    }
  }

  const rows = polls.flatMap(({ name }) =>
    (['full', 'unchanged'] as const).map(kind => {
      const { bytes, rows, answers, errors } = measured.get(`${name} ${kind}`)!
      const fields = Object.keys(rows[0]!) as (keyof Row)[]
      const spread = Object.fromEntries(fields.map(field => [field, spreadOf(rows.map(row => row[field]))]))
      return { name, kind, bytes, answers, errors, spread: spread as Record<keyof Row, Spread> }
    }),
  )
  const ratios = polls.map(({ name }) => {
    const [full, unchanged] = (['full', 'unchanged'] as const).map(kind => measured.get(`${name} ${kind}`)!.rows)
    return { name, ...ratiosOf(full!, unchanged!) }
  })
  return { rows, ratios }
}

/** What an unchanged answer costs of a full one of the same round: of the service's CPU, and of all servers'. */
export function ratiosOf(full: readonly Cost[], unchanged: readonly Cost[]): { server: Spread; all: Spread } {
  const all = ({ serverUs, mongodUs, redisUs }: Cost) => serverUs + mongodUs + redisUs
  return {
    server: spreadOf(unchanged.map((row, round) => row.serverUs / full[round]!.serverUs)),
    all: spreadOf(unchanged.map((row, round) => all(row) / all(full[round]!))),
  }
}

function told(outcome: Outcome, row: Row): string {
  const answers = Object.entries(outcome.answers).map(([status, times]) => `${times} × ${status}`)
  return `${answers.join(', ')}; ${row.serverUs.toFixed(0)} µs, p99 ${row.p99Ms.toFixed(1)} ms`
}

/** With `tags` as browsers do: each asks whether the answer it got last still stands. */
function inTurn({ path, tokens }: Poll, tags?: string[]): () => Call {
  let turn = 0
  return () => {
    const at = turn++ % tokens.length
    const call: Call = { method: 'GET', path, token: tokens[at]! }
    if (!tags) return call
    const keepTag = (tag: string) => {
      tags[at] = tag
    }
    return { ...call, headers: { 'if-none-match': tags[at]! }, keepTag }
  }
}

/** The tag of each caller's answer, once it stays. */
async function settledTags({ service, path, tokens }: Poll): Promise<{ tags: string[]; bytes: number }> {
  const ask = (token: string, tag?: string) =>
    fetch(service.url + path, {
      headers: { authorization: `Bearer ${token}`, ...(tag !== undefined && { 'if-none-match': tag }) },
    })
  for (let attempt = 0; attempt < settleTries; attempt += 1) {
    const answers = await Promise.all(tokens.map(token => ask(token)))
    const bodies = await Promise.all(answers.map(answer => answer.text()))
    const tags = answers.map(answer => answer.headers.get('etag') ?? '')
    await new Promise(resolve => setTimeout(resolve, 700))
    const again = await Promise.all(tokens.map((token, at) => ask(token, tags[at]!)))
    if (again.every(answer => answer.status === 304)) return { tags, bytes: Buffer.byteLength(bodies[0]!) }
  }
  throw new Error(`${path} does not come to rest`)
}

async function notificationsPoll(world: BenchWorld, say: Asked['say']): Promise<Poll> {
  say(`— ${items} notifications`)
  const supervisor = world.person('supervisor')
  const at = Date.now()
  const rows = Array.from({ length: items }, (_, index) => {
    const person = { id: newId(), name: `Trainee ${index}` }
    const asks = index % 3 === 0
    const time = new Date(at - index * 60_000)
    return {
      _id: newId(),
      recipient_id: supervisor.id,
      kind: asks ? 'comment_to_approve' : 'video_completed',
      facts: {
        kind: asks ? 'comment_to_approve' : 'video_completed',
        people: [person],
        happenings: 1,
        count: 1,
        playlist: { id: newId(), title: 'Safety at work' },
        video: { id: 'v0', title: `Video ${index}` },
        ...(asks && { timestamp: index, text: 'I did not understand why the valve has to be shut first.' }),
      },
      is_read: index % 2 === 0,
      ...(asks && { approval: 'pending', comment_id: newId(), author_id: person.id }),
      created_at: time,
      updated_at: time,
    }
  })
  await insert(world.client.db(`${world.prefix}-notification`), 'notifications', rows)
  const service = await world.startService('notification')
  return {
    name: `/notifications, ${items}`,
    service: { ...service, name: 'notification' },
    path: '/api/notifications',
    tokens: [world.token(supervisor)],
  }
}

async function commentsPoll(world: BenchWorld, say: Asked['say']): Promise<Poll> {
  say(`— ${items} comments`)
  const supervisor = world.person('supervisor')
  const team = Array.from({ length: teamSize }, () => world.person('user', { supervisor_id: supervisor.id }))
  const playlistId = newId()
  const database = world.client.db(`${world.prefix}-engagement`)
  await insert(database, 'playlists', [
    {
      _id: playlistId,
      title: 'Safety at work',
      created_by: supervisor.id,
      shared_with: [],
      revision: 1,
      videos: [{ id: 'v0', title: 'Valves', duration: 3_600, unavailable: false }],
      removed: [],
    },
  ])
  const rows = Array.from({ length: items }, (_, index) => {
    const author = team[index % team.length]!
    return {
      _id: newId(),
      playlist_id: playlistId,
      video_id: 'v0',
      person_id: author.id,
      author_name: author.name,
      author_role: author.role,
      timestamp: index * 30,
      text: 'I did not understand why the valve has to be shut first.',
      created_at: new Date(Date.now() - index * 1_000),
    }
  })
  await insert(database, 'comments', rows)
  const service = await world.startService('engagement')
  return {
    name: `/comments, ${items}`,
    service: { ...service, name: 'engagement' },
    path: `/api/comments/${playlistId}/v0`,
    tokens: [world.token(supervisor)],
  }
}

/** Everybody of a large organisation is signed in and active; supervisors ask for their team and all of the staff. */
async function onlinePoll(world: BenchWorld, say: Asked['say']): Promise<Poll> {
  const supervisors = Array.from({ length: teams }, () => makePersonSnapshot({ role: 'supervisor' }))
  const staff = Array.from({ length: moreStaff }, (_, index) =>
    makePersonSnapshot({ role: index % 10 ? 'manager' : 'director' }),
  )
  const trainees = supervisors.flatMap(({ id }) =>
    Array.from({ length: teamSize }, () => makePersonSnapshot({ role: 'user', supervisor_id: id })),
  )
  const everybody = [...supervisors, ...staff, ...trainees]
  say(`— ${everybody.length} people online`)
  const database = world.client.db(`${world.prefix}-playback-session`)
  for (let at = 0; at < everybody.length; at += insertAtOnce)
    await insert(database, 'people', everybody.slice(at, at + insertAtOnce).map(storedPerson))
  const live = createRedisLiveStore({ url: world.redisUrl, prefix: `${world.prefix}:` })
  world.onStop(() => live.close())
  const service = await world.startService('playback-session')
  const some = supervisors.filter((_, index) => index % Math.floor(teams / callers) === 0).slice(0, callers)
  return {
    name: `/users/online, a supervisor’s of ${everybody.length} online`,
    service: { ...service, name: 'playback' },
    path: '/api/users/online',
    tokens: some.map(each => world.token(each)),
    // Nobody calls in their name: each is seen as of the end of the round.
    prepare: async () => {
      const at = Date.now() + 60_000
      for (let from = 0; from < everybody.length; from += chunk) {
        const sightings = everybody
          .slice(from, from + chunk)
          .map(({ id }, index) => ({ personId: id, sid: `sid-${id}`, loginTime: at, at: at + index }))
        await live.presence.report(sightings)
      }
      await untilTold(live)
    },
  }
}

/** Until everybody who came has been told of. */
async function untilTold(live: LiveStore): Promise<void> {
  for (let before = -1; ; ) {
    const [now] = await live.versions.get(['online:all'])
    if (now === before) return
    before = now!
    await new Promise(resolve => setTimeout(resolve, 2_000))
  }
}

async function insert(database: mongoose.mongo.Db, collection: string, documents: object[]): Promise<void> {
  await database.collection(collection).insertMany(documents, { ordered: false, writeConcern: { w: 1 } })
}

function storedPerson({ id, ...fields }: PersonSnapshot) {
  return { _id: id, ...fields, name_key: nameKey(fields.name) }
}

const columns: [string, keyof Row, number][] = [
  ['calls/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 2],
  ['p99 ms', 'p99Ms', 2],
  ['server µs', 'serverUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['redis µs', 'redisUs', 0],
  ['commands', 'commandsPerCall', 3],
]

/** Markdown: medians with the lowest and highest of the rounds, and what an unchanged poll costs of a full answer. */
export function pollTables({ rows, ratios }: PollFigures): string {
  return [
    `| poll | answer | bytes | ${columns.map(([title]) => title).join(' | ')} | errors |`,
    `| --- | --- | ---: | ${columns.map(() => '---:').join(' | ')} | ---: |`,
    ...rows.map(
      ({ name, kind, bytes, spread, errors }) =>
        `| ${name} | ${kind} | ${bytes} | ${columns.map(([, field, digits]) => shown(spread[field], digits)).join(' | ')} | ${errors} |`,
    ),
    '',
    '| poll | CPU of the service, unchanged ÷ full | of service, MongoDB and Redis |',
    '| --- | ---: | ---: |',
    ...ratios.map(({ name, server, all }) => `| ${name} | ${shown(server, 2)} | ${shown(all, 2)} |`),
  ].join('\n')
}
