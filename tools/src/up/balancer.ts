import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Network faults between two healthy processes. */
export type NetworkFault =
  | 'none'
  /** Connections, also new ones, stay open but carry no data in either direction. */
  | 'half-open'
  /** All data arrive `delayMs` later (default 200). */
  | 'slow'
  /** Resets existing connections once. New ones work. */
  | 'reset'
  /** Resets existing and new connections. */
  | 'refuse'

/** A TCP load balancer: one address for several targets, like a Service in Kubernetes. */
export interface Balancer {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** Sends new connections to these targets, round robin. Existing connections stay. */
  setTargets(targets: readonly string[]): void
  /** Injects a fault, for tests. `none` ends it, but data of half-open connections stay lost. */
  fault(kind: NetworkFault, options?: { delayMs?: number }): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  upstream?: Socket
  frozen: boolean
}

const connectTimeoutMs = 1_000

/** Forwards TCP connections to one of `targets` (`host:port`) that accepts them. */
export async function openBalancer(options: { port?: number; targets?: readonly string[] } = {}): Promise<Balancer> {
  let targets = options.targets ?? []
  let nextTarget = 0
  let kind: NetworkFault = 'none'
  let delayMs = 0
  const pairs = new Set<Pair>()

  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, client => {
    const pair: Pair = { client, frozen: kind === 'half-open' }
    pairs.add(pair)
    client.on('error', () => {})
    client.once('close', () => {
      pairs.delete(pair)
      pair.upstream?.destroy()
    })
    if (kind === 'refuse') client.resetAndDestroy()
    else if (!pair.frozen) void connectUpstream(pair)
    // Reads, to notice when the client closes.
    else client.on('data', () => {}).resume()
  })

  async function connectUpstream(pair: Pair): Promise<void> {
    const order = targets.map((_, index) => targets[(nextTarget + index) % targets.length]!)
    nextTarget = (nextTarget + 1) % Math.max(1, targets.length)
    for (const target of order) {
      const upstream = await openConnection(target)
      if (!upstream) continue
      if (pair.client.destroyed) return void upstream.destroy()
      pair.upstream = upstream
      upstream.on('error', () => {})
      upstream.once('close', () => {
        if (!pair.frozen) pair.client.destroy()
      })
      forward(pair, pair.client, upstream)
      forward(pair, upstream, pair.client)
      return
    }
    pair.client.resetAndDestroy()
  }

  function forward(pair: Pair, from: Socket, to: Socket) {
    let delayed = 0
    const afterDelay = (action: () => void) => {
      if (kind !== 'slow' && delayed === 0) return action()
      delayed += 1
      from.pause()
      setTimeout(() => {
        delayed -= 1
        if (!to.destroyed) action()
        from.resume()
      }, delayMs)
    }
    from.on('data', chunk => {
      if (pair.frozen) return
      afterDelay(() => {
        if (!to.write(chunk)) from.pause()
      })
    })
    to.on('drain', () => from.resume())
    from.on('end', () => {
      if (!pair.frozen) afterDelay(() => to.end())
    })
    from.resume()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', 4_096, resolve)
  })
  const { port } = server.address() as AddressInfo

  const resetAll = () => {
    for (const { client, upstream } of pairs) {
      upstream?.resetAndDestroy()
      client.resetAndDestroy()
    }
  }

  return {
    address: `127.0.0.1:${port}`,
    setTargets: list => {
      targets = [...list]
    },
    fault: (newKind, { delayMs: requestedDelayMs = 200 } = {}) => {
      kind = newKind === 'reset' ? 'none' : newKind
      delayMs = requestedDelayMs
      if (newKind === 'reset' || newKind === 'refuse') resetAll()
      if (newKind === 'half-open') for (const pair of pairs) pair.frozen = true
    },
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      resetAll()
      await closed
    },
  }
}

function openConnection(target: string): Promise<Socket | undefined> {
  const [host, port] = target.split(':')
  return new Promise(resolve => {
    const socket = connect({ host: host!, port: Number(port), noDelay: true, allowHalfOpen: true })
    const fail = () => {
      socket.destroy()
      resolve(undefined)
    }
    // After a pause of this process the timer fires before the connection is noticed.
    const timer = setTimeout(
      () =>
        setImmediate(() => {
          if (socket.connecting) fail()
        }),
      connectTimeoutMs,
    )
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
