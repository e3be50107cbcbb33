import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface MailProxy {
  port: number
  /** The number of mails that the server accepted while the answers were held back. */
  heldAnswers(): number
  /** The server's acceptances do not reach the sender any more. */
  holdAnswers(): void
  /** Cuts all connections, and passes answers on again. */
  restore(): void
  /** Refuses connections until `restore`. */
  refuse(): void
  close(): Promise<void>
}

/** A proxy to a mail server. It can lose the answers to accepted mails, as a dying sender does. */
export async function openMailProxy(serverPort: number): Promise<MailProxy> {
  const sockets = new Set<Socket>()
  let isHolding = false
  let isRefusing = false
  let held = 0
  const server = createServer(socket => {
    if (isRefusing) {
      socket.destroy()
      return
    }
    const upstream = connect(serverPort, '127.0.0.1')
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on('error', () => end.destroy())
      end.on('close', () => {
        sockets.delete(end)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      if (isHolding && chunk.includes('queued as')) held += 1
      else socket.write(chunk)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    heldAnswers: () => held,
    holdAnswers: () => {
      isHolding = true
    },
    refuse: () => {
      isRefusing = true
    },
    restore: () => {
      isHolding = false
      isRefusing = false
      cutAll()
    },
    close: async () => {
      cutAll()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
