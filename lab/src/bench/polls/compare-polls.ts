import { flushToDisk } from '../../shared/documents.ts'
import { type Call, type Outcome, runClosedLoop } from '../../shared/load-generator.ts'
import { createMeter, type Meter, type Spread, spreadOf, spreadsOf, usageBetween } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import { type CallCost, computeCallCost, costFields, measureIdleUsage } from '../call-cost.ts'

const connections = 4
const seconds = 3
const warmUpS = 0.7
/** Attempts to find ETags that no longer change, and the time between request and check. */
const maxEtagAttempts = 100
const etagCheckMs = 700

type CpuCost = Pick<CallCost, 'serverUs' | 'mongodUs' | 'redisUs'>

const answerKinds = ['full', 'unchanged'] as const
type AnswerKind = (typeof answerKinds)[number]

export interface PollFigures {
  polls: {
    name: string
    kind: AnswerKind
    /** The size of a full answer; 0 for unchanged ones. */
    bytes: number
    answers: Record<string, number>[]
    errors: number
    spread: Record<keyof CallCost, Spread>
  }[]
  /** CPU of an unchanged answer divided by that of a full one, round by round. */
  ratios: ({ name: string } & CpuRatios)[]
}

interface CpuRatios {
  /** The service's CPU. */
  server: Spread
  /** The CPU of service, MongoDB and Redis together. */
  all: Spread
}

/** A read that pages poll. */
export interface Poll {
  name: string
  /** `name` identifies the process in the meter's readings. */
  service: BenchProcess & { name: string }
  path: string
  /** The callers, who take turns. */
  tokens: readonly string[]
  /** Runs before each round. */
  prepareRound?(): Promise<void>
}

/** Measures full and unchanged answers of each poll. Their order alternates from round to round. */
export async function comparePolls(
  world: BenchWorld,
  polls: readonly Poll[],
  options: BenchOptions & { rounds: number },
): Promise<PollFigures> {
  await flushToDisk(world.client)
  const pids = Object.fromEntries(polls.map(({ service }) => [service.name, service.pid]))
  const meter = createMeter(world.client.db('admin').admin(), { ...pids, ...world.serverPids })
  const { commandsPerS: idleCommandsPerS } = await measureIdleUsage(meter)

  const results = polls.map(({ name }) => ({
    name,
    bytes: 0,
    full: [] as RoundResult[],
    unchanged: [] as RoundResult[],
  }))
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [index, poll] of polls.entries()) {
      const result = results[index]!
      await poll.prepareRound?.()
      const { etags, bytes } = await readStableEtags(poll)
      if (round === 1) result.bytes = bytes
      const nextCalls = { full: rotateCalls(poll), unchanged: rotateCalls(poll, etags) }
      for (const kind of round % 2 ? answerKinds : answerKinds.toReversed()) {
        throwIfInterrupted(options)
        const roundResult = await measureAnswers(meter, poll, nextCalls[kind], idleCommandsPerS)
        result[kind].push(roundResult)
        options.log(`  round ${round}: ${poll.name} ${kind}: ${formatRound(roundResult)}`)
      }
    }
  }
  return {
    polls: results.flatMap(({ name, bytes, ...rounds }) =>
      answerKinds.map(kind => ({
        name,
        kind,
        bytes: kind === 'full' ? bytes : 0,
        answers: rounds[kind].map(({ outcome }) => outcome.answers),
        errors: rounds[kind].reduce((sum, { outcome }) => sum + outcome.errors, 0),
        spread: spreadsOf(
          rounds[kind].map(({ cost }) => cost),
          costFields,
        ),
      })),
    ),
    ratios: results.map(({ name, full, unchanged }) => ({
      name,
      ...computeCpuRatios(
        full.map(({ cost }) => cost),
        unchanged.map(({ cost }) => cost),
      ),
    })),
  }
}

interface RoundResult {
  outcome: Outcome
  cost: CallCost
}

async function measureAnswers(
  meter: Meter,
  { service }: Poll,
  nextCall: () => Call,
  idleCommandsPerS: number,
): Promise<RoundResult> {
  await runClosedLoop(service.url, nextCall, { connections, seconds: warmUpS })
  const before = await meter.read()
  const outcome = await runClosedLoop(service.url, nextCall, { connections, seconds })
  const usage = usageBetween(before, await meter.read())
  return { outcome, cost: computeCallCost(outcome, usage, service.name, idleCommandsPerS) }
}

/** Compares unchanged with full answers of the same round. */
export function computeCpuRatios(full: readonly CpuCost[], unchanged: readonly CpuCost[]): CpuRatios {
  const totalUs = ({ serverUs, mongodUs, redisUs }: CpuCost) => serverUs + mongodUs + redisUs
  return {
    server: spreadOf(unchanged.map((cost, round) => cost.serverUs / full[round]!.serverUs)),
    all: spreadOf(unchanged.map((cost, round) => totalUs(cost) / totalUs(full[round]!))),
  }
}

/** With `etags`, each caller sends the ETag of its last answer, as browsers do. */
function rotateCalls({ path, tokens }: Poll, etags?: string[]): () => Call {
  let callCount = 0
  return () => {
    const caller = callCount++ % tokens.length
    const call: Call = { method: 'GET', path, token: tokens[caller]! }
    if (!etags) return call
    const storeEtag = (etag: string) => {
      etags[caller] = etag
    }
    return { ...call, headers: { 'if-none-match': etags[caller]! }, storeEtag }
  }
}

/** Each caller's ETag, once all of them stay the same. */
async function readStableEtags({ service, path, tokens }: Poll): Promise<{ etags: string[]; bytes: number }> {
  const read = (token: string, etag?: string) =>
    fetch(service.url + path, {
      headers: { authorization: `Bearer ${token}`, ...(etag !== undefined && { 'if-none-match': etag }) },
    })
  for (let attempt = 0; attempt < maxEtagAttempts; attempt += 1) {
    const answers = await Promise.all(tokens.map(token => read(token)))
    const bodies = await Promise.all(answers.map(answer => answer.text()))
    const etags = answers.map(answer => answer.headers.get('etag') ?? '')
    await new Promise(resolve => setTimeout(resolve, etagCheckMs))
    const laterAnswers = await Promise.all(tokens.map((token, caller) => read(token, etags[caller]!)))
    if (laterAnswers.every(answer => answer.status === 304)) return { etags, bytes: Buffer.byteLength(bodies[0]!) }
  }
  throw new Error(`the ETags of ${path} keep changing`)
}

function formatRound({ outcome, cost }: RoundResult): string {
  const answers = Object.entries(outcome.answers).map(([status, times]) => `${times} × ${status}`)
  return `${answers.join(', ')}; ${cost.serverUs.toFixed(0)} µs, p99 ${cost.p99Ms.toFixed(1)} ms`
}

const columns: [string, keyof CallCost, number][] = [
  ['calls/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 2],
  ['p99 ms', 'p99Ms', 2],
  ['server µs', 'serverUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['redis µs', 'redisUs', 0],
  ['commands', 'commandsPerCall', 3],
]

/** Markdown: medians with the minimum and maximum of the rounds, then the CPU ratios. */
export function pollTables({ polls, ratios }: PollFigures): string {
  const costTable = markdownTable(
    ['poll', 'answer', 'bytes', ...columns.map(([title]) => title), 'errors'],
    polls.map(({ name, kind, bytes, spread, errors }) => [
      name,
      kind,
      bytes,
      ...columns.map(([, field, digits]) => formatSpread(spread[field], digits)),
      errors,
    ]),
    { textColumns: 2 },
  )
  const ratioTable = markdownTable(
    ['poll', 'CPU of the service, unchanged ÷ full', 'of service, MongoDB and Redis'],
    ratios.map(({ name, server, all }) => [name, formatSpread(server, 2), formatSpread(all, 2)]),
  )
  return `${costTable}\n\n${ratioTable}`
}
