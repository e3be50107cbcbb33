import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { openBalancer } from '../../src/up/balancer.ts'
import { afterTest } from '../_processes.ts'

/** A server that sends its name to every client and echoes their data. */
async function startEchoServer(name: string) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.write(name)
    socket.on('data', chunk => socket.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  afterTest(stop)
  return { target: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop, sockets }
}

function dial(address: string) {
  const socket = connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) })
  const ends: string[] = []
  let received = ''
  socket.setEncoding('utf8').on('data', text => {
    received += text
  })
  socket.on('error', error => ends.push((error as NodeJS.ErrnoException).code ?? 'error'))
  socket.on('close', () => ends.push('closed'))
  afterTest(() => socket.destroy())
  const waitFor = async (text: string) => {
    while (!received.endsWith(text)) await once(socket, 'data')
  }
  return { socket, waitFor, received: () => received, ends }
}

/** Waits until the client's connection is accepted, which may be later than its `connect`. */
async function waitForAcceptance(client: ReturnType<typeof dial>) {
  const ports = new Set<number | undefined>()
  const addPort = (message: unknown) => ports.add((message as { socket: Socket }).socket.remotePort)
  subscribe('net.server.socket', addPort)
  await once(client.socket, 'connect')
  await eventually(() => ports.has(client.socket.localPort))
  unsubscribe('net.server.socket', addPort)
}

const waitForClose = (client: ReturnType<typeof dial>) => eventually(() => expect(client.ends).toContain('closed'))

describe('a balancer', () => {
  async function open(...targets: string[]) {
    const balancer = await openBalancer({ targets })
    afterTest(balancer.close)
    return balancer
  }

  test('distributes connections round robin, skips a stopped target, and uses new targets', async () => {
    const [first, second, third] = [
      await startEchoServer('one'),
      await startEchoServer('two'),
      await startEchoServer('three'),
    ]
    const balancer = await open(first.target, second.target)
    const firstClient = dial(balancer.address)
    await firstClient.waitFor('one')
    await dial(balancer.address).waitFor('two')
    await first.stop()
    await waitForClose(firstClient)
    for (let call = 0; call < 3; call++) await dial(balancer.address).waitFor('two')
    balancer.setTargets([third.target])
    await dial(balancer.address).waitFor('three')
  })

  test('an open connection stays with its target when the targets change', async () => {
    const [first, second] = [await startEchoServer('one'), await startEchoServer('two')]
    const balancer = await open(first.target)
    const client = dial(balancer.address)
    await client.waitFor('one')
    balancer.setTargets([second.target])
    client.socket.write('still here')
    await client.waitFor('still here')
  })

  test('without a target a connection is refused', async () => {
    const balancer = await open()
    const client = dial(balancer.address)
    await waitForClose(client)
    expect(client.received()).toBe('')
  })

  test('the end of one side reaches the other after all earlier data', async () => {
    const { target, sockets } = await startEchoServer('hello')
    const balancer = await open(target)
    const client = dial(balancer.address)
    await client.waitFor('hello')
    client.socket.end('last words')
    await client.waitFor('last words')
    await waitForClose(client)
    expect(sockets.size).toBe(0)
  })

  test('half-open: no data pass in either direction on old and new connections, even after the fault ends', async () => {
    const { target, sockets } = await startEchoServer('hello')
    const balancer = await open(target)
    const before = dial(balancer.address)
    await before.waitFor('hello')
    balancer.fault('half-open')
    before.socket.write('lost')
    for (const socket of sockets) socket.write('lost too')
    const meanwhile = dial(balancer.address)
    await waitForAcceptance(meanwhile)
    balancer.fault('none')
    await dial(balancer.address).waitFor('hello')
    expect([before.received(), meanwhile.received()]).toEqual(['hello', ''])
    expect([...before.ends, ...meanwhile.ends]).toEqual([])
  })

  test('reset: open connections are cut, new ones work', async () => {
    const balancer = await open((await startEchoServer('hello')).target)
    const client = dial(balancer.address)
    await client.waitFor('hello')
    balancer.fault('reset')
    await waitForClose(client)
    expect(client.ends).toContain('ECONNRESET')
    await dial(balancer.address).waitFor('hello')
  })

  test('refuse: no connection works until the fault ends', async () => {
    const balancer = await open((await startEchoServer('hello')).target)
    balancer.fault('refuse')
    const client = dial(balancer.address)
    await waitForClose(client)
    expect(client.received()).toBe('')
    balancer.fault('none')
    await dial(balancer.address).waitFor('hello')
  })

  test('slow: all data arrive later and in order', async () => {
    const balancer = await open((await startEchoServer('')).target)
    balancer.fault('slow', { delayMs: 50 })
    const client = dial(balancer.address)
    const startedAt = performance.now()
    for (const text of ['a', 'b', 'c']) {
      client.socket.write(text)
      await sleep(5)
    }
    await client.waitFor('abc')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(100)
  })
})
