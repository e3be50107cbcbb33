import { makePersonSnapshot } from '@watchline/testing/harness'
import { flushToDisk, insertDocuments, toProjectedPerson } from '../../shared/documents.ts'
import { type Call, type Outcome, runClosedLoop } from '../../shared/load-generator.ts'
import { quantile } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import { type BenchWorld, callService } from '../bench-world.ts'
import { type Latencies, summariseRounds } from '../latencies.ts'
import { profileCall, type QueryPlan, queryPlanTable } from '../query-plans.ts'
import { insertEngagementRecords, recordsPerPerson } from './engagement-records.ts'

const connections = 4
const seconds = 2
const rounds = 3

export interface DashboardFigures {
  people: number
  records: number
  calls: (Latencies & { name: string; bytes: number })[]
  plans: QueryPlan[]
}

/**
 * Measures the dashboards of supervisors and a director over a million records, and their queries.
 */
export async function measureDashboard(world: BenchWorld, options: BenchOptions): Promise<DashboardFigures> {
  const { log } = options
  const database = world.client.db(`${world.prefix}-engagement`)
  log('— a million engagement records')
  const supervisors = await insertEngagementRecords(database)
  const director = makePersonSnapshot({ role: 'director' })
  await insertDocuments(database, 'people', [toProjectedPerson(director)])
  const { url } = await world.startService('engagement')

  const supervisorTokens = supervisors.filter((_, index) => index % 25 === 0).map(person => world.signToken(person))
  const directorToken = world.signToken(director)
  let callCount = 0
  const callAsSupervisor = (path: string) => (): Call => ({
    method: 'GET',
    path,
    token: supervisorTokens[callCount++ % supervisorTokens.length]!,
  })
  const callAsDirector = (path: string) => (): Call => ({ method: 'GET', path, token: directorToken })
  const measurements = [
    { name: 'a supervisor’s dashboard', nextCall: callAsSupervisor('/api/engagement/dashboard') },
    { name: 'a supervisor’s team', nextCall: callAsSupervisor('/api/engagement/team') },
    { name: 'the director’s dashboard (first page)', nextCall: callAsDirector('/api/engagement/dashboard') },
    { name: 'the director’s team (first page)', nextCall: callAsDirector('/api/engagement/team') },
  ].map(measurement => ({ ...measurement, outcomes: [] as Outcome[] }))

  await flushToDisk(world.client)
  // Round 0 is the warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, nextCall, outcomes } of measurements) {
      throwIfInterrupted(options)
      const outcome = await runClosedLoop(url, nextCall, { connections, seconds })
      if (round > 0) outcomes.push(outcome)
      log(`  ${round || 'warming up'}: ${name}: p99 ${quantile(outcome.latenciesMs, 0.99).toFixed(1)} ms`)
    }
  }
  const calls: DashboardFigures['calls'] = []
  for (const { name, nextCall, outcomes } of measurements) {
    calls.push({
      name,
      ...summariseRounds(outcomes),
      bytes: JSON.stringify(await callService(url, nextCall())).length,
    })
  }
  const plans: QueryPlan[] = []
  for (const { name, nextCall } of measurements)
    plans.push(...(await profileCall(database, name, () => callService(url, nextCall()))))
  const people = await database.collection('watchers').estimatedDocumentCount()
  return { people, records: people * recordsPerPerson, calls, plans }
}

/** Markdown. */
export function dashboardTables({ people, records, calls, plans }: DashboardFigures): string {
  return [
    `${records} records of ${people} people`,
    markdownTable(
      ['call', 'calls', 'p50 ms', 'p99 ms', 'bytes', 'errors'],
      calls.map(({ name, calls: count, p50Ms, p99Ms, bytes, errors }) => [
        name,
        count,
        formatSpread(p50Ms, 1),
        formatSpread(p99Ms, 1),
        bytes,
        errors,
      ]),
    ),
    queryPlanTable(plans),
  ].join('\n\n')
}
