import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { ratiosOf } from '../../src/bench/polls.ts'
import { closedLoop } from '../../src/shared/load-generator.ts'

test('an answer that nothing has changed counts as answered, and what is asked with a tag is told apart', async () => {
  const server = createServer((req, res) => {
    const { 'if-none-match': tag, authorization } = req.headers
    res.statusCode = authorization !== 'Bearer token' ? 401 : tag === '"same"' ? 304 : tag ? 500 : 200
    res.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const tags = ['"same"', undefined, '"other"']
  let turn = 0
  const next = () => {
    const tag = tags[turn++ % tags.length]
    return { method: 'GET' as const, path: '/', token: 'token', ...(tag && { headers: { 'if-none-match': tag } }) }
  }
  const outcome = await closedLoop(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, next, {
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

test('the ratio is that of each round, and its median stands with the lowest and the highest', () => {
  const cost = (serverUs: number, mongodUs = 0, redisUs = 0) => ({ serverUs, mongodUs, redisUs })
  const full = [cost(100, 80, 20), cost(200, 0, 0), cost(400, 100, 0)]
  const unchanged = [cost(10, 0, 10), cost(60, 0, 0), cost(40, 0, 10)]
  const { server, all } = ratiosOf(full, unchanged)
  expect(server).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
  expect(all).toEqual({ median: 0.1, min: 0.1, max: 0.3 })
})
