import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { openBalancer } from '../../src/up/balancer.ts'
import { afterTest } from '../_processes.ts'

/** Says its name to whoever comes, and what it hears back to them. */
async function echo(name: string) {
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
  let heard = ''
  socket.setEncoding('utf8').on('data', text => {
    heard += text
  })
  socket.on('error', error => ends.push((error as NodeJS.ErrnoException).code ?? 'error'))
  socket.on('close', () => ends.push('closed'))
  afterTest(() => socket.destroy())
  const hears = async (text: string) => {
    while (!heard.endsWith(text)) await once(socket, 'data')
  }
  return { socket, hears, heard: () => heard, ends }
}

const closed = (line: ReturnType<typeof dial>) => eventually(() => expect(line.ends).toContain('closed'))

describe('a balancer', () => {
  async function open(...targets: string[]) {
    const balancer = await openBalancer({ targets })
    afterTest(balancer.close)
    return balancer
  }

  test('sends connections to its targets in turn, past one that is gone, and follows a change of targets', async () => {
    const [one, two, three] = [await echo('one'), await echo('two'), await echo('three')]
    const balancer = await open(one.target, two.target)
    const first = dial(balancer.address)
    await first.hears('one')
    await dial(balancer.address).hears('two')
    await one.stop()
    await closed(first)
    for (let call = 0; call < 3; call++) await dial(balancer.address).hears('two')
    balancer.setTargets([three.target])
    await dial(balancer.address).hears('three')
  })

  test('a connection that is there stays with its target when the targets change', async () => {
    const [one, two] = [await echo('one'), await echo('two')]
    const balancer = await open(one.target)
    const line = dial(balancer.address)
    await line.hears('one')
    balancer.setTargets([two.target])
    line.socket.write('still here')
    await line.hears('still here')
  })

  test('without a target that answers a connection is refused', async () => {
    const balancer = await open()
    const line = dial(balancer.address)
    await closed(line)
    expect(line.heard()).toBe('')
  })

  test('an end on one side reaches the other after all that was said before', async () => {
    const { target, sockets } = await echo('hello')
    const balancer = await open(target)
    const line = dial(balancer.address)
    await line.hears('hello')
    line.socket.end('last words')
    await line.hears('last words')
    await closed(line)
    expect(sockets.size).toBe(0)
  })

  test('half-open: nothing passes in either direction, on old and new connections, also after it is healed', async () => {
    const { target, sockets } = await echo('hello')
    const balancer = await open(target)
    const before = dial(balancer.address)
    await before.hears('hello')
    balancer.fault('half-open')
    before.socket.write('lost')
    for (const socket of sockets) socket.write('lost too')
    const meanwhile = dial(balancer.address)
    await once(meanwhile.socket, 'connect')
    balancer.fault('none')
    await dial(balancer.address).hears('hello')
    expect([before.heard(), meanwhile.heard()]).toEqual(['hello', ''])
    expect([...before.ends, ...meanwhile.ends]).toEqual([])
  })

  test('reset: what is there is cut, what comes is well', async () => {
    const balancer = await open((await echo('hello')).target)
    const line = dial(balancer.address)
    await line.hears('hello')
    balancer.fault('reset')
    await closed(line)
    expect(line.ends).toContain('ECONNRESET')
    await dial(balancer.address).hears('hello')
  })

  test('refuse: nobody gets through until it is healed', async () => {
    const balancer = await open((await echo('hello')).target)
    balancer.fault('refuse')
    const line = dial(balancer.address)
    await closed(line)
    expect(line.heard()).toBe('')
    balancer.fault('none')
    await dial(balancer.address).hears('hello')
  })

  test('slow: everything arrives, in order, later', async () => {
    const balancer = await open((await echo('')).target)
    balancer.fault('slow', { delayMs: 50 })
    const line = dial(balancer.address)
    const began = performance.now()
    for (const text of ['a', 'b', 'c']) {
      line.socket.write(text)
      await sleep(5)
    }
    await line.hears('abc')
    expect(performance.now() - began).toBeGreaterThanOrEqual(100)
  })
})
