import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { endProcess } from '@watchline/testing/processes'

const server = fork(fileURLToPath(new URL('_fixture-http-server.ts', import.meta.url)), { execArgv: [] })
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await endProcess(server, 'SIGKILL')
})

test('connections wait for a busy process instead of being dropped', async () => {
  const [port] = (await once(server, 'message')) as [number]
  server.kill('SIGSTOP')
  // More than Node's default queue of 511.
  for (let count = 0; count < 1_000; count += 1) sockets.push(connect({ port, host: '127.0.0.1' }))
  await eventually(() => expect(sockets.filter(({ connecting }) => connecting)).toHaveLength(0))
})
