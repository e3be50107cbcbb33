import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to one server on which everything that is sent can be held back for as long as a test needs, however slow the machine. */
export interface Gate {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** From now on nothing reaches the server; what it answers still comes through. */
  hold(): void
  /** What was held back arrives, and everything after it. */
  release(): void
  close(): Promise<void>
}

export async function openGate(target: string): Promise<Gate> {
  const [host, port] = target.split(':')
  const sockets = new Set<Socket>()
  let held: (() => void)[] | undefined

  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ host: host!, port: Number(port), noDelay: true })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.on('data', chunk => {
      const pass = () => void upstream.write(chunk)
      if (held) held.push(pass)
      else pass()
    })
    upstream.pipe(client)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => {
      held ??= []
    },
    release: () => {
      const waiting = held ?? []
      held = undefined
      for (const pass of waiting) pass()
    },
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
