import { expect, test } from '@jest/globals'
import { createBenchWorld } from '../../src/bench/bench-world.ts'
import { gatewayTable, measureGateway, summarizeCases } from '../../src/bench/gateway/measure-gateway.ts'

test('the ratio to nginx is computed for each round', () => {
  const cost = (serverUs: number) => ({ callsPerS: 1, p50Ms: 1, p99Ms: 1, serverUs, errors: 0 })
  const { cases } = summarizeCases([
    { name: 'gateway', rounds: [cost(100), cost(300), cost(100)] },
    { name: 'nginx', rounds: [cost(50), cost(100), cost(10)] },
  ])
  expect(cases.map(({ cpuPerNginx }) => cpuPerNginx)).toEqual([
    { median: 3, min: 2, max: 10 },
    { median: 1, min: 1, max: 1 },
  ])
})

test('every proxy answers every call', async () => {
  const world = await createBenchWorld(() => {})
  try {
    const options = { rounds: 1, log: () => {}, isInterrupted: () => false }
    const figures = await measureGateway(world, options, { seconds: 0.2, warmUpS: 0.1 })
    expect(figures.cases).toHaveLength(8)
    for (const { name, rounds } of figures.cases) expect([name, rounds[0]!.errors]).toEqual([name, 0])
    expect(gatewayTable(figures)).toContain('| nginx |')
  } finally {
    await world.stop()
  }
})
