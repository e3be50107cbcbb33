import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { computeCpuRatios } from '../../src/bench/polls/compare-polls.ts'
import { runClosedLoop } from '../../src/shared/load-generator.ts'

test('status 304 counts as an answer, and answers to calls with an ETag are counted separately', async () => {
  const server = createServer((req, res) => {
    const { 'if-none-match': etag, authorization } = req.headers
    res.statusCode = authorization !== 'Bearer token' ? 401 : etag === '"same"' ? 304 : etag ? 500 : 200
    res.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const etags = ['"same"', undefined, '"other"']
  let callCount = 0
  const nextCall = () => {
    const etag = etags[callCount++ % etags.length]
    return { method: 'GET' as const, path: '/', token: 'token', ...(etag && { headers: { 'if-none-match': etag } }) }
  }
  const outcome = await runClosedLoop(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, nextCall, {
    connections: 1,
    seconds: 0.1,
  })
  server.close()
  const { 200: full = 0, 304: unchanged = 0, 500: failed = 0 } = outcome.answers
  expect(unchanged).toBeGreaterThan(0)
  expect(outcome.calls).toBe(full + unchanged)
  expect(outcome.errors).toBe(failed)
  expect(Object.keys(outcome.answers).filter(status => !['200', '304', '500'].includes(status))).toEqual([])
})

test('the CPU ratio is computed for each round; its median has the minimum and maximum', () => {
  const cost = (serverUs: number, mongodUs = 0, redisUs = 0) => ({ serverUs, mongodUs, redisUs })
  const full = [cost(100, 80, 20), cost(200, 0, 0), cost(400, 100, 0)]
  const unchanged = [cost(10, 0, 10), cost(60, 0, 0), cost(40, 0, 10)]
  const { server, all } = computeCpuRatios(full, unchanged)
  expect(server).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
  expect(all).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
})
