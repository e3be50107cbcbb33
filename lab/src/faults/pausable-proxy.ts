import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to one server that can delay everything sent to it, independent of machine speed. */
export interface PausableProxy {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** From now on nothing reaches the server. The server's answers still arrive. */
  pause(): void
  /** Forwards what was held back, and everything after it. */
  resume(): void
  close(): Promise<void>
}

export async function openPausableProxy(target: string): Promise<PausableProxy> {
  const [host, port] = target.split(':')
  const sockets = new Set<Socket>()
  let heldBack: (() => void)[] | undefined

  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ host: host!, port: Number(port), noDelay: true })
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        peer.destroy()
      })
    }
    client.on('data', chunk => {
      const forward = () => void upstream.write(chunk)
      if (heldBack) heldBack.push(forward)
      else forward()
    })
    upstream.pipe(client)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    pause: () => {
      heldBack ??= []
    },
    resume: () => {
      const waiting = heldBack ?? []
      heldBack = undefined
      for (const forward of waiting) forward()
    },
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
