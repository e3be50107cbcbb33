import { join } from 'node:path'
import type { Log } from '../../../../tools/src/provision/types.ts'
import { dataFolderOf, type Product, type ProductKind, startProduct } from '../../shared/product.ts'
import { type CallSummary, countFailures, mergeFailures, resultsIn, summarizeCalls } from '../call-summary.ts'
import { startChildProcess } from '../child-process.ts'
import { openingPhase } from '../clients/opening.ts'
import { awaitedOperations, reportOperations } from '../clients/page-calls.ts'
import type { CallResults } from '../clients/tally.ts'
import type { Trainees } from '../clients/trainees.ts'
import { wait } from '../load-world.ts'
import { measureProxyCosts, type ProxyCosts } from '../proxy-cost.ts'
import { type StoredSize, storeOrganisation } from '../stored-organisation.ts'

export interface TraineesOptions {
  /** For the data of the products. It must be empty. */
  folder: string
  kinds: readonly ProductKind[]
  /** The numbers of trainees, ascending. */
  steps: readonly number[]
  seconds: number
  /** The number of people who start together; 0 for none. */
  together: number
  /** How long a call waits for its answer, ms; by default 20 s. */
  limitMs?: number
  /** The size of the data that the product has stored when it starts; by default none. */
  stored?: StoredSize | undefined
  log: Log
}

/** The cost of one number of trainees, and how long people wait. */
export interface StepFigures {
  trainees: number
  callsPerS: number
  /** Accepted reports of the player. */
  reportsPerS: number
  /** Seconds of CPU of the product for one trainee in one second. */
  cpuPerTrainee: number
  /** Cores in use, by process. */
  cpuByProcess: Record<string, number>
  /** Calls that a person waits for. */
  awaited: CallSummary
  /** Reports and polls. */
  background: CallSummary
  /** By operation. */
  operations: Record<string, CallSummary>
  /** Seconds until all added trainees had opened their player. */
  startS: number
  /** Both p99 are below `awaitedLimitMs` and `backgroundLimitMs`, and nothing failed. */
  isServed: boolean
}

/** Many people sign in and press Start within half a minute. */
export interface TogetherFigures {
  people: number
  started: number
  /** Seconds of CPU of the product for one person who could start, by process. */
  cpuPerStart: Record<string, number>
  /** All calls from sign-in until Start. */
  opening: CallSummary
  openingByOperation: Record<string, CallSummary>
  /**
   * The calls of those who watch already. Each window has five seconds; the first begins when all
   * have started.
   */
  windows: { awaited: CallSummary; background: CallSummary; isServed: boolean }[]
}

export interface KindFigures {
  kind: ProductKind
  /** Cores in use while nobody is signed in. */
  idleCores: number
  idleByProcess: Record<string, number>
  steps: StepFigures[]
  /** The last step that is served, with all before it. 0 if none is. */
  capacity: number
  /** With one and a half times the trainees of the last step. Undefined if no step is served. */
  beyond: StepFigures | undefined
  together: TogetherFigures | undefined
  /** The growth of the product's CPU with the number of trainees: 1 is linear. NaN for one step. */
  exponent: number
}

export interface TraineesFigures {
  seconds: number
  /** Seconds of CPU a request. */
  proxies: ProxyCosts
  kinds: KindFigures[]
}

/** p99 of what a person waits for. */
export const awaitedLimitMs = 100
/** p99 of what runs in the background. */
export const backgroundLimitMs = 500
const usualLimitMs = 20_000
const settleS = 5
/** The product computes the figures of a large organisation at its start. */
const settleForThousandPeopleS = 1.2
const beyondFactor = 1.5
const togetherS = 30
/** The length of a window, s. */
export const windowS = 5
export const windowCount = 4
const proxySeconds = 4

/**
 * Measures the cost of watching trainees and of their supervisors' dashboards, with more trainees
 * in each step. The steps end after the first one that is not served, because later ones are not
 * either. One step beyond follows, and people who start together.
 */
export async function measureTrainees(options: TraineesOptions): Promise<TraineesFigures> {
  const { folder, kinds, seconds, log } = options
  log('— nginx and @fastify/http-proxy, the units of cost')
  const proxies = await measureProxyCosts(folder, Math.min(proxySeconds, seconds), log)
  const figures: KindFigures[] = []
  for (const kind of kinds) figures.push(await measureKind(kind, options))
  return { seconds, proxies, kinds: figures }
}

async function measureKind(kind: ProductKind, options: TraineesOptions): Promise<KindFigures> {
  const { folder, steps, seconds, together, limitMs = usualLimitMs, stored, log } = options
  if (stored) await storeOrganisation(join(dataFolderOf(kind, folder), 'mongo'), stored, log)
  log(`— ${kind}: the product starts`)
  const product = await startProduct(kind, folder)
  try {
    await wait(Math.min(settleS, seconds) + ((stored?.people ?? 0) / 1_000) * settleForThousandPeopleS)
    const idleByProcess = await measureCpu(product, () => wait(seconds))
    const people = Math.ceil(steps.at(-1)! * beyondFactor) + together
    log(`— ${kind}: ${people} people sign in`)
    const module = new URL('../clients/trainees-process.ts', import.meta.url)
    const trainees = await startChildProcess<Trainees>(module, [product.url, String(people), String(limitMs)])
    const figures: StepFigures[] = []
    let beyond: StepFigures | undefined
    let togetherFigures: TogetherFigures | undefined
    try {
      for (const step of steps) {
        const figuresOfStep = await measureStep(product, trainees.remote, step, seconds)
        figures.push(figuresOfStep)
        log(`  ${kind}: ${describeStep(figuresOfStep)}`)
        if (!figuresOfStep.isServed) break
      }
      if (capacityOf(figures) > 0) {
        beyond = await measureStep(
          product,
          trainees.remote,
          Math.ceil(figures.at(-1)!.trainees * beyondFactor),
          seconds,
        )
        log(`  ${kind}, beyond: ${describeStep(beyond)}`)
      }
      if (together > 0) {
        log(`— ${kind}: ${together} people start together`)
        togetherFigures = await measureTogether(product, trainees.remote, together, seconds)
        log(`  ${kind}: ${describeTogether(togetherFigures)}`)
      }
    } finally {
      await trainees.stop()
    }
    const served = figures.filter(({ isServed }) => isServed)
    return {
      kind,
      idleCores: sumOf(idleByProcess),
      idleByProcess,
      steps: figures,
      capacity: capacityOf(figures),
      beyond,
      together: togetherFigures,
      exponent: growthExponent(served.map(({ trainees: count, cpuPerTrainee }) => [count, cpuPerTrainee * count])),
    }
  } finally {
    await product.stop()
  }
}

const capacityOf = (steps: readonly StepFigures[]) => steps.findLast(({ isServed }) => isServed)?.trainees ?? 0

/** Nobody else watches. */
async function measureTogether(
  product: Product,
  trainees: Pick<Trainees, 'prepare' | 'startTogether' | 'enterPhase' | 'end'>,
  count: number,
  seconds: number,
): Promise<TogetherFigures> {
  const people = await trainees.prepare(count)
  await trainees.enterPhase('starting')
  const cpuBefore = product.readCpu()
  const started = await trainees.startTogether(Math.min(togetherS, seconds))
  const cpuPerStart = Object.fromEntries(
    Object.entries(product.readCpu()).map(([name, cpu]) => [name, (cpu - (cpuBefore[name] ?? 0)) / started]),
  )
  const names = Array.from({ length: windowCount }, (_, index) => `window ${index}`)
  for (const name of names) {
    await trainees.enterPhase(name)
    await wait(Math.min(windowS, seconds))
  }
  await trainees.enterPhase('ending')
  const results = await trainees.end()
  return {
    people,
    ...{ started, cpuPerStart },
    opening: summarizeCalls(resultsIn(results, openingPhase)),
    openingByOperation: summarizeEach(results[openingPhase]),
    windows: names.map(name => {
      const summaries = summarizeByUrgency(results[name])
      return { ...summaries, isServed: isServed(summaries.awaited, summaries.background) }
    }),
  }
}

/** The calls that a person waits for, and the others. */
function summarizeByUrgency(results: Record<string, CallResults> = {}) {
  const isAwaited = (operation: string) => (awaitedOperations as readonly string[]).includes(operation)
  const resultsOf = (awaited: boolean): CallResults[] =>
    Object.entries(results).flatMap(([operation, result]) => (isAwaited(operation) === awaited ? [result] : []))
  return { awaited: summarizeCalls(resultsOf(true)), background: summarizeCalls(resultsOf(false)) }
}

const summarizeEach = (results: Record<string, CallResults> = {}) =>
  Object.fromEntries(Object.entries(results).map(([operation, calls]) => [operation, summarizeCalls([calls])]))

/** Cores in use during `work`, by process. */
async function measureCpu(product: Product, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = product.readCpu()
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1_000
  const after = product.readCpu()
  return Object.fromEntries(
    Object.entries(after).map(([name, cpu]) => [name, Math.max(0, cpu - (before[name] ?? 0)) / seconds]),
  )
}

async function measureStep(
  product: Product,
  trainees: Pick<Trainees, 'grow' | 'begin' | 'enterPhase' | 'end'>,
  step: number,
  seconds: number,
): Promise<StepFigures> {
  const startedAt = performance.now()
  const count = await trainees.grow(step)
  const startS = (performance.now() - startedAt) / 1_000
  await trainees.begin()
  await wait(Math.min(settleS, seconds))
  await trainees.enterPhase('measured')
  const cpuByProcess = await measureCpu(product, () => wait(seconds))
  // The first report of a few people may come later.
  await trainees.enterPhase('ending', ['track'])
  const { measured = {} } = await trainees.end()
  const { awaited, background } = summarizeByUrgency(measured)
  const reports = reportOperations.reduce((sum, operation) => sum + (measured[operation]?.answered ?? 0), 0)
  return {
    trainees: count,
    reportsPerS: reports / seconds,
    callsPerS: (awaited.calls + background.calls) / seconds,
    cpuPerTrainee: sumOf(cpuByProcess) / count,
    cpuByProcess,
    awaited,
    background,
    operations: summarizeEach(measured),
    startS,
    isServed: isServed(awaited, background),
  }
}

export function isServed(awaited: CallSummary, background: CallSummary): boolean {
  const failures = countFailures({ failures: mergeFailures([awaited, background]) })
  // Not a comparison with "greater": without calls a quantile is NaN.
  return failures === 0 && !(awaited.p99Ms >= awaitedLimitMs) && !(background.p99Ms >= backgroundLimitMs)
}

/** The slope of the line through the logarithms of number and total cost, by least squares. */
export function growthExponent(points: readonly (readonly [count: number, cost: number])[]): number {
  const logs = points.map(([count, cost]) => [Math.log(count), Math.log(cost)] as const)
  const meanOf = (index: 0 | 1) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length
  const [meanX, meanY] = [meanOf(0), meanOf(1)]
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const variance = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return covariance / variance
}

export const sumOf = (byProcess: Record<string, number>) =>
  Object.values(byProcess).reduce((sum, value) => sum + value, 0)

function describeStep({ trainees, cpuPerTrainee, awaited, background, operations, isServed }: StepFigures): string {
  const [slowest = ''] = Object.entries(operations).sort(([, a], [, b]) => b.p99Ms - a.p99Ms)[0] ?? []
  const cost = `${(cpuPerTrainee * 1_000).toFixed(2)} ms of CPU a trainee and second`
  const waits = `p99 ${awaited.p99Ms.toFixed(0)} ms, in the background ${background.p99Ms.toFixed(0)} ms, slowest ${slowest}`
  return `${trainees} trainees: ${cost}; ${waits}${isServed ? '' : '; not served'}`
}

function describeTogether({ people, started, cpuPerStart, openingByOperation }: TogetherFigures): string {
  const waits = Object.entries(openingByOperation).map(
    ([operation, { p50Ms, p99Ms }]) => `${operation} p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`,
  )
  return `${started} of ${people} started, ${(sumOf(cpuPerStart) * 1_000).toFixed(1)} ms of CPU each; ${waits.join('; ')}`
}
