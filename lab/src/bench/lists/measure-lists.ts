import { makePersonSnapshot } from '@watchline/testing/harness'
import { flushToDisk, insertDocuments } from '../../shared/documents.ts'
import { type Call, type Outcome, runClosedLoop } from '../../shared/load-generator.ts'
import { createMeter, quantile, type Spread, spreadsOf, type Usage, usageBetween } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import { type BenchWorld, callService } from '../bench-world.ts'
import { createAuditEntries, createStoredPeople, createSupervisorRequests } from './stored-people.ts'

/**
 * Frequent and rare words, parts of addresses, two words, single letters, and words without a
 * match.
 */
export const searches = [
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

export interface ListSize {
  people: number
  entries: number
  requests: number
  /** Each list is measured once with each of these numbers of connections. */
  connections: readonly number[]
  seconds: number
  rounds: number
}

export const fullSize: ListSize = {
  people: 50_000,
  entries: 100_000,
  requests: 800,
  connections: [1, 4],
  seconds: 2,
  rounds: 3,
}

const costFields = ['calls', 'errors', 'p50Ms', 'p99Ms', 'authMs', 'mongodMs'] as const

/** Latency in ms, CPU in ms a call. */
type ListCost = Record<(typeof costFields)[number], number>

export interface ListFigures {
  size: ListSize
  lists: { name: string; connections: number; rows: number; spread: Record<keyof ListCost, Spread> }[]
  searches: { search: string; found: number; cost: ListCost }[]
}

type ListWorld = Pick<BenchWorld, 'prefix' | 'client' | 'serverPids' | 'signToken' | 'startService'>

/** Measures the first page of each of the administrator's lists in a large organisation. */
export async function measureLists(world: ListWorld, options: BenchOptions, size = fullSize): Promise<ListFigures> {
  const { log } = options
  log(`— ${size.people} people, ${size.entries} entries of the audit log`)
  const admin = makePersonSnapshot({ role: 'admin' })
  const token = world.signToken(admin)
  await insertOrganisation(world, admin, size)
  const auth = await world.startService('auth')
  await flushToDisk(world.client)

  const get = (path: string): Call => ({ method: 'GET', path: `/api/admin${path}`, token })
  const lists = listCalls(get)
  const meter = createMeter(world.client.db('admin').admin(), { auth: auth.pid, ...world.serverPids })
  async function measure(nextCall: () => Call, connections: number, seconds: number): Promise<ListCost> {
    throwIfInterrupted(options)
    const before = await meter.read()
    const outcome = await runClosedLoop(auth.url, nextCall, { connections, seconds })
    return computeListCost(outcome, usageBetween(before, await meter.read()))
  }

  const results = lists.flatMap(list =>
    size.connections.map(connections => ({ ...list, connections, rounds: [] as ListCost[] })),
  )
  // Round 0 is the warm-up.
  for (let round = 0; round <= size.rounds; round += 1) {
    for (const connections of size.connections) {
      for (const result of results.filter(candidate => candidate.connections === connections)) {
        const cost = await measure(result.nextCall, connections, size.seconds)
        if (round > 0) result.rounds.push(cost)
        log(`  ${round || 'warming up'}: ${result.name}, ${connections} at once: p99 ${cost.p99Ms.toFixed(1)} ms`)
      }
    }
  }
  const figures: ListFigures = { size, lists: [], searches: [] }
  for (const { name, nextCall, connections, rounds } of results) {
    const answer = await callService(auth.url, nextCall())
    const rows = Array.isArray(answer) ? answer.length : 1
    figures.lists.push({ name, connections, rows, spread: spreadsOf(rounds, costFields) })
  }
  for (const search of searches) {
    const nextCall = () => get(`/users?search=${encodeURIComponent(search)}`)
    const cost = await measure(nextCall, 1, size.seconds / 2)
    figures.searches.push({ search, found: (await callService(auth.url, nextCall())).length, cost })
  }
  return figures
}

async function insertOrganisation(
  world: ListWorld,
  admin: ReturnType<typeof makePersonSnapshot>,
  size: ListSize,
): Promise<void> {
  const database = world.client.db(`${world.prefix}-auth`)
  const people = createStoredPeople(size.people)
  const { id: _id, created_at, ...fields } = admin
  await insertDocuments(database, 'people', [
    { _id, ...fields, created_at: new Date(created_at), team_size: 0, search_words: [] },
  ])
  await insertDocuments(database, 'people', people)
  await insertDocuments(database, 'audit', createAuditEntries(size.entries, people, Date.now()))
  await insertDocuments(database, 'supervisor_requests', createSupervisorRequests(size.requests, people, Date.now()))
}

function listCalls(get: (path: string) => Call): { name: string; nextCall: () => Call }[] {
  let searchCount = 0
  const nextSearch = () => encodeURIComponent(searches[searchCount++ % searches.length]!)
  return [
    { name: 'All Users', nextCall: () => get('/users') },
    { name: 'All Users of a role', nextCall: () => get('/users?role=user') },
    { name: 'All Users, searched', nextCall: () => get(`/users?search=${nextSearch()}`) },
    { name: 'All Users of a role, searched', nextCall: () => get(`/users?role=user&search=${nextSearch()}`) },
    { name: 'Supervisors', nextCall: () => get('/supervisors') },
    { name: 'Supervisors, searched', nextCall: () => get(`/supervisors?search=${nextSearch()}`) },
    { name: 'Supervisors without a manager', nextCall: () => get('/supervisors?available=true') },
    { name: 'Managers', nextCall: () => get('/managers') },
    { name: 'Supervisor Requests', nextCall: () => get('/supervisor-requests') },
    { name: 'the audit log', nextCall: () => get('/audit') },
    { name: 'the audit log, searched', nextCall: () => get(`/audit?search=${nextSearch()}`) },
    { name: 'the counts', nextCall: () => get('/user-counts') },
  ]
}

function computeListCost(outcome: Outcome, { cpu }: Usage): ListCost {
  const milliseconds = (process: string) => ((cpu[process] ?? Number.NaN) / outcome.calls) * 1e3
  return {
    calls: outcome.calls,
    errors: outcome.errors,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    authMs: milliseconds('auth'),
    mongodMs: milliseconds('mongod'),
  }
}

/** Markdown. CPU is that of a single connection. */
export function listTables({ size, lists, searches: searchFigures }: ListFigures): string {
  const [fewest, most] = [size.connections[0]!, size.connections.at(-1)!]
  const rows = [...Map.groupBy(lists, ({ name }) => name)].map(([name, figures]) => {
    const spreadFor = (connections: number) => figures.find(list => list.connections === connections)!.spread
    const [alone, together] = [spreadFor(fewest), spreadFor(most)]
    const latencies = [alone.p50Ms, alone.p99Ms, together.p50Ms, together.p99Ms].map(spread => formatSpread(spread, 1))
    const cpu = [alone.authMs, alone.mongodMs].map(spread => formatSpread(spread, 2))
    return [name, ...latencies, ...cpu, alone.errors.max + together.errors.max]
  })
  const latencyTitles = [fewest, most].flatMap(count => [`p50 ms, ${count} at once`, `p99 ms, ${count} at once`])
  return [
    `${size.people} people, ${size.entries} audit entries`,
    markdownTable(['first page of', ...latencyTitles, 'auth ms', 'mongod ms', 'errors'], rows),
    markdownTable(
      ['All Users, searched for', 'shown', 'p50 ms', 'p99 ms', 'auth ms', 'mongod ms'],
      searchFigures.map(({ search, found, cost }) => [
        search,
        found,
        cost.p50Ms.toFixed(1),
        cost.p99Ms.toFixed(1),
        cost.authMs.toFixed(2),
        cost.mongodMs.toFixed(2),
      ]),
    ),
  ].join('\n\n')
}
