import { makePersonSnapshot } from '@watchline/testing/harness'
import { type Call, closedLoop, type Outcome } from '../shared/load-generator.ts'
import { createMeter, quantile, type Spread, spreadOf, type Used, usedBetween } from '../shared/meter.ts'
import { type BenchWorld, call, insert } from './bench-world.ts'
import { auditOf, organisationOf, requestsOf } from './stored-people.ts'
import { type Asked, shown } from './writes.ts'

/** What people search for: frequent and rare words, parts of addresses, two words, single letters, and what nobody has. */
export const wanted = [
  'anna',
  'smith',
  'example',
  'north',
  'quillfeather',
  'zimmermann',
  'anna.smi',
  'kim@example',
  'labs.example',
  'maria garcia',
  'example quill',
  'chen sales',
  'a',
  's',
  'xyzzy',
  'anna xyzzy',
] as const

export interface Size {
  people: number
  entries: number
  requests: number
  /** How many ask at once, one figure each. */
  connections: readonly number[]
  seconds: number
  rounds: number
}

export const fullSize: Size = {
  people: 50_000,
  entries: 100_000,
  requests: 800,
  connections: [1, 4],
  seconds: 2,
  rounds: 3,
}

/** Latency in ms, CPU in ms a call. */
type Row = Record<'calls' | 'errors' | 'p50Ms' | 'p99Ms' | 'authMs' | 'mongodMs', number>

export interface ListFigures {
  size: Size
  calls: { name: string; connections: number; rows: number; spread: Record<keyof Row, Spread> }[]
  words: { word: string; found: number; row: Row }[]
}

type Ground = Pick<BenchWorld, 'prefix' | 'client' | 'serverPids' | 'token' | 'startService'>

/** What an administrator waits for in a large organisation: the first page of each list, and what it costs. */
export async function measureLists(
  world: Ground,
  { say, isInterrupted }: Asked,
  size = fullSize,
): Promise<ListFigures> {
  say(`— ${size.people} people, ${size.entries} entries of the audit log`)
  const admin = makePersonSnapshot({ role: 'admin' })
  const token = world.token(admin)
  const database = world.client.db(`${world.prefix}-auth`)
  const people = organisationOf(size.people)
  const { id: _id, created_at, ...fields } = admin
  await insert(database, 'people', [
    { _id, ...fields, created_at: new Date(created_at), team_size: 0, search_words: [] },
  ])
  await insert(database, 'people', people)
  await insert(database, 'audit', auditOf(size.entries, people, Date.now()))
  await insert(database, 'supervisor_requests', requestsOf(size.requests, people, Date.now()))
  const auth = await world.startService('auth')
  // What was inserted is on its way to the disk, which is nobody's call to pay for.
  await world.client.db('admin').command({ fsync: 1 })

  const get = (path: string): Call => ({ method: 'GET', path: `/api/admin${path}`, token })
  let turn = 0
  const searching = (path: string) => () => get(`${path}search=${encodeURIComponent(wanted[turn++ % wanted.length]!)}`)
  const measured: [string, () => Call][] = [
    ['All Users', () => get('/users')],
    ['All Users of a role', () => get('/users?role=user')],
    ['All Users, searched', searching('/users?')],
    ['All Users of a role, searched', searching('/users?role=user&')],
    ['Supervisors', () => get('/supervisors')],
    ['Supervisors, searched', searching('/supervisors?')],
    ['Supervisors without a manager', () => get('/supervisors?available=true')],
    ['Managers', () => get('/managers')],
    ['Supervisor Requests', () => get('/supervisor-requests')],
    ['the audit log', () => get('/audit')],
    ['the audit log, searched', searching('/audit?')],
    ['the counts', () => get('/user-counts')],
  ]

  const meter = createMeter(world.client.db('admin').admin(), { auth: auth.pid, ...world.serverPids })
  async function measure(next: () => Call, connections: number, seconds: number): Promise<Row> {
    if (isInterrupted()) throw new Error('interrupted')
    const before = await meter.read()
    const outcome = await closedLoop(auth.url, next, { connections, seconds })
    return rowOf(outcome, usedBetween(before, await meter.read()))
  }

  const rows = new Map<string, Row[]>()
  for (let round = 0; round <= size.rounds; round += 1) {
    for (const connections of size.connections) {
      for (const [name, next] of measured) {
        const row = await measure(next, connections, size.seconds)
        const key = `${name} ${connections}`
        // The first round is for warming up.
        rows.set(key, round === 0 ? [] : [...rows.get(key)!, row])
        say(`  ${round || 'warming up'}: ${name}, ${connections} at once: p99 ${row.p99Ms.toFixed(1)} ms`)
      }
    }
  }
  const calls: ListFigures['calls'] = []
  for (const [name, next] of measured) {
    const answer = await call(auth.url, next())
    for (const connections of size.connections) {
      const own = rows.get(`${name} ${connections}`)!
      const fields = ['calls', 'errors', 'p50Ms', 'p99Ms', 'authMs', 'mongodMs'] as const
      const spread = Object.fromEntries(fields.map(field => [field, spreadOf(own.map(row => row[field]))]))
      const count = Array.isArray(answer) ? answer.length : 1
      calls.push({ name, connections, rows: count, spread: spread as Record<keyof Row, Spread> })
    }
  }

  const words: ListFigures['words'] = []
  for (const word of wanted) {
    const next = () => get(`/users?search=${encodeURIComponent(word)}`)
    const row = await measure(next, 1, size.seconds / 2)
    words.push({ word, found: (await call(auth.url, next())).length, row })
  }
  return { size, calls, words }
}

export function rowOf(outcome: Outcome, { cpu }: Used): Row {
  const milliseconds = (name: string) => ((cpu[name] ?? Number.NaN) / outcome.calls) * 1e3
  return {
    calls: outcome.calls,
    errors: outcome.errors,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    authMs: milliseconds('auth'),
    mongodMs: milliseconds('mongod'),
  }
}

export function listTables({ size, calls, words }: ListFigures): string {
  const [few, many] = [size.connections[0]!, size.connections.at(-1)!]
  const lines = [...new Set(calls.map(each => each.name))].map(name => {
    const own = (connections: number) => calls.find(each => each.name === name && each.connections === connections)!
    const [alone, together] = [own(few).spread, own(many).spread]
    const times = [alone.p50Ms, alone.p99Ms, together.p50Ms, together.p99Ms].map(each => shown(each, 1))
    const cpu = [alone.authMs, alone.mongodMs].map(each => shown(each, 2))
    const errors = alone.errors.max + together.errors.max
    return `| ${[name, ...times, ...cpu, errors].join(' | ')} |`
  })
  return [
    `${size.people} people, ${size.entries} audit entries`,
    '',
    `| first page of | p50 ms, ${few} at once | p99 ms, ${few} at once | p50 ms, ${many} at once | p99 ms, ${many} at once | auth ms | mongod ms | errors |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
    '| All Users, searched for | shown | p50 ms | p99 ms | auth ms | mongod ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...words.map(({ word, found, row }) => {
      const figures = [row.p50Ms.toFixed(1), row.p99Ms.toFixed(1), row.authMs.toFixed(2), row.mongodMs.toFixed(2)]
      return `| ${[word, found, ...figures].join(' | ')} |`
    }),
  ].join('\n')
}
