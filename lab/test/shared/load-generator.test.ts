import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { runClosedLoop } from '../../src/shared/load-generator.ts'

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('status 304 counts as an answer, and answers to calls with an ETag are counted separately', async () => {
  const server = createServer((req, res) => {
    const { 'if-none-match': etag, authorization } = req.headers
    res.statusCode = authorization !== 'Bearer token' ? 401 : etag === '"same"' ? 304 : etag ? 500 : 200
    res.end()
  })
  const url = await listen(server)
  const etags = ['"same"', undefined, '"other"']
  let callCount = 0
  const nextCall = () => {
    const etag = etags[callCount++ % etags.length]
    return { method: 'GET' as const, path: '/', token: 'token', ...(etag && { headers: { 'if-none-match': etag } }) }
  }
  const outcome = await runClosedLoop(url, nextCall, {
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

test('each connection makes one call, also on a machine too slow for a second one', async () => {
  const server = createServer((_req, res) => res.end())
  const url = await listen(server)
  const call = { method: 'GET' as const, path: '/', token: 'token' }
  const outcome = await runClosedLoop(url, () => call, { connections: 3, seconds: 0 })
  server.close()
  expect(outcome).toMatchObject({ calls: 3, errors: 0 })
})
