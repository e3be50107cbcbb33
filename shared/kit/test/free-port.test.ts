import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { freePort } from '../src/core/free-port.ts'

test('gives each caller another port, outside the range of outgoing connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  expect(new Set(ports).size).toBe(50)
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(20_000)
    expect(port).toBeLessThan(32_768)
  }
})

test('gives the preferred port while it is free, otherwise another', async () => {
  const preferred = await freePort()
  expect(await freePort(preferred)).toBe(preferred)
  const server = createServer().listen(preferred, '127.0.0.1')
  await once(server, 'listening')
  expect(await freePort(preferred)).not.toBe(preferred)
  server.close()
})
