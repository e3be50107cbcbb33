import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@watchline/contracts/operations'
import { createBrowser } from '@watchline/testing/browser'
import { Agent } from 'undici'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import type { Log } from '../../../tools/src/provision/types.ts'
import { startProduct } from '../shared/product.ts'
import { assignCallers, type Caller, callers } from './callers.ts'
import { type Finding, isFault } from './findings.ts'
import { type FuzzRun, type Phase, provisionSchemathesis, runSchemathesis } from './schemathesis.ts'

/** The accounts of the demo organisation. */
const accounts: Record<Exclude<Caller, 'nobody' | 'admin'>, string> = {
  user: 'trainee1@demo.local',
  supervisor: 'supervisor1@demo.local',
  manager: 'manager1@demo.local',
  director: 'director1@demo.local',
}
const admin = { email: 'admin@demo.local', password: 'watchline-demo' }

/**
 * Operations that a run leaves out: they end the session of the run, or never end. `nobody` calls
 * all but the last.
 */
const sessionEnding = ['logout', 'logoutAdmin', 'endOwnSession', 'endOtherOwnSessions', 'changeAdminPassword']
const endless = ['openStream']

export interface FuzzOptions {
  /** For the data of the product and the reports. */
  folder: string
  /** Each calls every operation; `one each`: one caller calls each operation, see assignCallers. */
  callers: readonly Caller[] | 'one each'
  phases: readonly Phase[]
  /** The names of Schemathesis' checks; undefined: all. */
  checks?: readonly string[]
  maxExamples: number
  /** For each caller; undefined: each phase once. An access token is valid for ten minutes. */
  seconds?: number | undefined
  seed: number
  log: Log
}

/** The faults that Schemathesis finds in the demo organisation, by caller. */
export async function fuzzProduct(options: FuzzOptions): Promise<Map<Caller, Finding[]>> {
  const { folder, phases, checks, maxExamples, seconds, seed, log } = options
  const program = await provisionSchemathesis(cacheFolder(), log)
  const product = await startProduct('start', folder, {
    args: ['--demo'],
    env: { DEMO_HISTORY: 'false', CHECK_RESPONSES: 'true' },
  })
  const dispatcher = new Agent()
  const openSession: OpenSession = async caller => ({ headers: await sessionHeaders(product.url, caller, dispatcher) })
  const findFaults: FindFaults = async ({ name, ...run }) => {
    log(`${name}: ${phases.join(', ')}`)
    const findings = await runSchemathesis(program, {
      ...{ url: product.url, phases, checks, maxExamples, seconds, seed },
      ...{ ...run, reportFile: join(folder, `${name}.ndjson`) },
    })
    return findings.filter(isFault)
  }
  try {
    if (options.callers === 'one each') return await fuzzByOneEach(openSession, findFaults)
    const faults = new Map<Caller, Finding[]>()
    for (const caller of options.callers) {
      const without = caller === 'nobody' ? endless : [...sessionEnding, ...endless]
      faults.set(caller, await findFaults({ name: caller, sessions: [await openSession(caller)], without }))
    }
    return faults
  } finally {
    await dispatcher.close()
    await product.stop()
    rmSync(join(folder, 'start'), { recursive: true, force: true, maxRetries: 5 })
  }
}

type OpenSession = (caller: Caller) => Promise<FuzzRun['sessions'][number]>
type FindFaults = (run: Pick<FuzzRun, 'sessions' | 'without'> & { name: string }) => Promise<Finding[]>

async function fuzzByOneEach(openSession: OpenSession, findFaults: FindFaults): Promise<Map<Caller, Finding[]>> {
  const callerOf = assignCallers(operations)
  const sessions: FuzzRun['sessions'] = []
  for (const caller of callers) {
    const own = operations.filter(({ name }) => callerOf.get(name) === caller)
    sessions.push({ ...(await openSession(caller)), operations: own.map(({ name }) => name) })
  }
  const faults = await findFaults({ name: 'one-each', sessions, without: [...sessionEnding, ...endless] })
  const nameOf = new Map(operations.map(({ name, method, path }) => [`${method} ${path}`, name]))
  // A fault of an unknown operation counts, too.
  const callerOfFault = ({ operation }: Finding) => callerOf.get(nameOf.get(operation) ?? '') ?? 'nobody'
  return new Map(callers.map(caller => [caller, faults.filter(fault => callerOfFault(fault) === caller)]))
}

/** The headers of a signed-in page: its cookies and the anti-forgery token. */
async function sessionHeaders(url: string, caller: Caller, dispatcher: Agent): Promise<Record<string, string>> {
  const browser = createBrowser(url, dispatcher)
  if (caller === 'nobody') await browser.call('GET', '/auth/options')
  else {
    const answer =
      caller === 'admin' ? await browser.call('POST', '/admin/login', admin) : await browser.signIn(accounts[caller])
    if (answer.status !== 200) throw new Error(`sign-in of ${caller}: ${answer.status}`)
  }
  return browser.headers()
}
