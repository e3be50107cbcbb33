import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../../../tools/test/_processes.ts'
import { summarizeCalls } from '../../src/load/call-summary.ts'
import { ratesOf } from '../../src/load/clients/page-calls.ts'
import { growthExponent, isServed, measureTrainees } from '../../src/load/scenarios/trainees.ts'
import { traineesTables } from '../../src/load/scenarios/trainees-tables.ts'

const callsOf = (latencies: number[], failures: Record<string, number> = {}) =>
  summarizeCalls([{ answered: latencies.length, failures, latenciesMs: Float64Array.from(latencies) }])

describe('the arithmetic of make load ONLY=trainees', () => {
  test('a step is served if nobody waits too long and nothing fails', () => {
    expect(isServed(callsOf([99]), callsOf([499]))).toBe(true)
    expect(isServed(callsOf([100]), callsOf([1]))).toBe(false)
    expect(isServed(callsOf([1]), callsOf([500]))).toBe(false)
    expect(isServed(callsOf([1]), callsOf([1], { 'status 503': 1 }))).toBe(false)
    expect(isServed(callsOf([]), callsOf([1]))).toBe(true)
  })

  test('the exponent is 1 for a linear cost, 2 for a square one, and unknown for one step', () => {
    const counts = [150, 300, 600]
    expect(growthExponent(counts.map(count => [count, count * 0.002]))).toBeCloseTo(1)
    expect(growthExponent(counts.map(count => [count, count ** 2]))).toBeCloseTo(2)
    expect(growthExponent([[150, 1]])).toBeNaN()
  })

  test('rates grow with the people', () => {
    expect(ratesOf({ trainees: 600, supervisors: 60 })).toMatchObject({ track: 60, 'chat poll': 10, 'online poll': 1 })
    expect(ratesOf({ trainees: 0, supervisors: 0 })).toMatchObject({ track: 0 })
  })
})

/**
 * Brief and with few people, on a product with its own stores. The test checks counts, never times.
 */
test('trainees watch in steps and start together, and every process of the product is measured', async () => {
  const figures = await measureTrainees({
    folder: temporaryFolder(),
    kinds: ['start'],
    steps: [9],
    seconds: 3,
    together: 9,
    limitMs: 240_000,
    stored: { people: 111, records: 200 },
    log: () => {},
  })
  expect(figures.proxies.nginx).toBeGreaterThan(0)
  const [{ steps, beyond, together, idleByProcess }] = figures.kinds as [(typeof figures.kinds)[0]]
  expect(Object.keys(idleByProcess).sort()).toEqual(expect.arrayContaining(['mongod', 'watchline']))
  expect(steps).toHaveLength(1)
  expect(steps[0]).toMatchObject({ trainees: 9 })
  expect(steps[0]!.background.calls).toBeGreaterThan(0)
  expect(steps[0]!.background.failures).toEqual({})
  expect(steps[0]!.cpuByProcess.watchline).toBeGreaterThan(0)
  expect(steps[0]!.reportsPerS).toBeGreaterThan(0)
  // An overloaded test machine may not serve the step. Then there is nothing to exceed.
  if (steps[0]!.isServed) expect(beyond).toMatchObject({ trainees: 18 })
  expect(together).toMatchObject({ people: 9, started: 9 })
  expect(together!.opening.calls).toBeGreaterThanOrEqual(9 * 14)
  expect(together!.openingByOperation.start!.calls).toBeGreaterThanOrEqual(9)
  expect(together!.cpuPerStart.watchline).toBeGreaterThan(0)
  expect(together!.windows).toHaveLength(4)
  const tables = traineesTables(figures)
  expect(tables).toContain('| make start | 9 |')
  expect(tables).toContain('people who start together')
})
