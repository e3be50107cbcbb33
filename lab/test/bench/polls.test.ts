import { expect, test } from '@jest/globals'
import { computeCpuRatios } from '../../src/bench/polls/compare-polls.ts'

test('the CPU ratio is computed for each round; its median has the minimum and maximum', () => {
  const cost = (serverUs: number, mongodUs = 0, redisUs = 0) => ({ serverUs, mongodUs, redisUs })
  const full = [cost(100, 80, 20), cost(200, 0, 0), cost(400, 100, 0)]
  const unchanged = [cost(10, 0, 10), cost(60, 0, 0), cost(40, 0, 10)]
  const { server, all } = computeCpuRatios(full, unchanged)
  expect(server).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
  expect(all).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
})
