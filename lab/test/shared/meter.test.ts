import { describe, expect, test } from '@jest/globals'
import { computeCallCost } from '../../src/bench/call-cost.ts'
import { commandsIn, cpuSecondsIn, quantile, spreadOf, usageBetween } from '../../src/shared/meter.ts'

describe('the arithmetic of make bench', () => {
  test('a quantile is the smallest value that the given share of values does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)

    expect(quantile(hundred, 0.5)).toBe(50)
    expect(quantile(hundred, 0.99)).toBe(99)
    expect(quantile([1, 2, 1_000], 0.99)).toBe(1_000)
    expect(quantile([7], 0)).toBe(7)
    expect(quantile([], 0.5)).toBeNaN()
  })

  test('a spread has the median, the minimum and the maximum of the rounds', () => {
    expect(spreadOf([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 })
    expect(spreadOf([4, 2])).toEqual({ median: 3, min: 2, max: 4 })
    expect(spreadOf([])).toEqual({ median: Number.NaN, min: Number.NaN, max: Number.NaN })
  })

  test('CPU time is user and system time, even if the process name contains brackets', () => {
    const times = '123 45'
    const stat = `17 (a (strange) name) S 1 17 17 0 -1 4194304 900 0 0 0 ${times} 7 8 20 0 11 0 555 1000000 2000`

    expect(cpuSecondsIn(stat)).toBeCloseTo(1.68)
  })

  test('each command counts once, even if MongoDB reports details of it', () => {
    expect(commandsIn({ '<UNKNOWN>': 2, find: { failed: 1, total: 10 }, update: { arrayFilters: 3, total: 5 } })).toBe(
      17,
    )
  })

  test('the cost of a call leaves out the commands of idle servers', () => {
    const before = { atMs: 1_000, commands: 100, cpu: { server: 1, mongod: 10 } }
    const after = { atMs: 3_000, commands: 230, cpu: { server: 1.5, mongod: 10.2 } }
    const latenciesMs = Float64Array.from([1, 2, 3])
    const outcome = { calls: 1_000, errors: 3, answers: {}, seconds: 2, latenciesMs, bySecond: [] }

    const cost = computeCallCost(outcome, usageBetween(before, after), 'server', 15)

    expect(cost.callsPerS).toBe(500)
    expect(cost.serverUs).toBeCloseTo(500)
    expect(cost.mongodUs).toBeCloseTo(200)
    expect(cost.commandsPerCall).toBeCloseTo(0.1)
    expect(cost).toMatchObject({ errors: 3, p50Ms: 2, p99Ms: 3 })
  })
})
