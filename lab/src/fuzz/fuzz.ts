import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createBrowser } from '@watchline/testing/browser'
import { Agent } from 'undici'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import type { Log } from '../../../tools/src/provision/types.ts'
import { startProduct } from '../shared/product.ts'
import { type Finding, isFault } from './findings.ts'
import { type Phase, provisionSchemathesis, runSchemathesis } from './schemathesis.ts'

export const callers = ['nobody', 'user', 'supervisor', 'manager', 'director', 'admin'] as const
export type Caller = (typeof callers)[number]

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
  callers: readonly Caller[]
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
  const { folder, phases, maxExamples, seconds, seed, log } = options
  const program = await provisionSchemathesis(cacheFolder(), log)
  const product = await startProduct('start', folder, {
    args: ['--demo'],
    env: { DEMO_HISTORY: 'false', CHECK_RESPONSES: 'true' },
  })
  const dispatcher = new Agent()
  try {
    const faults = new Map<Caller, Finding[]>()
    for (const caller of options.callers) {
      log(`${caller}: ${phases.join(', ')}`)
      const findings = await runSchemathesis(program, {
        url: product.url,
        headers: await sessionHeaders(product.url, caller, dispatcher),
        without: caller === 'nobody' ? endless : [...sessionEnding, ...endless],
        phases,
        checks: options.checks,
        maxExamples,
        seconds,
        seed,
        reportFile: join(folder, `${caller}.ndjson`),
      })
      faults.set(caller, findings.filter(isFault))
    }
    return faults
  } finally {
    await dispatcher.close()
    await product.stop()
    rmSync(join(folder, 'start'), { recursive: true, force: true, maxRetries: 5 })
  }
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
