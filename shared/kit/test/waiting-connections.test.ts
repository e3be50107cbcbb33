import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { endProcess } from '@watchline/testing/processes'

/** More than Node's default queue of 511, where the operating system allows it. */
const connections = process.platform === 'linux' ? Math.min(1_000, readQueueLimit()) : 100

let server: ChildProcess
const sockets: Socket[] = []
beforeAll(() => {
  server = fork(fileURLToPath(new URL('_fixture-http-server.ts', import.meta.url)), { execArgv: [] })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await endProcess(server, 'SIGKILL')
})

test('connections wait for a busy process instead of being dropped', async () => {
  const [port] = (await once(server, 'message')) as [number]
  server.kill('SIGSTOP')
  for (let count = 0; count < connections; count += 1) sockets.push(connect({ port, host: '127.0.0.1' }))
  await eventually(() => expect(sockets.filter(({ connecting }) => connecting)).toHaveLength(0))
})

function readQueueLimit(): number {
  return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
}
