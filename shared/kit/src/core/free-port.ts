import { randomInt } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'

/**
 * Linux gives outgoing connections ports from 32768 on (`ip_local_port_range`). One of those could
 * be in use when the caller begins to listen.
 */
const firstPort = 20_000
const portCount = 12_000
const maxTries = 100

/** Grows, so that one process does not get a port twice before it listens on it. */
let latest = randomInt(portCount)

/**
 * A free port of the loopback interface: `preferred` if it is free, otherwise any. The port is not
 * reserved, so the caller must be ready to try another.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await listenOnce(preferred).catch(() => undefined)
    if (port !== undefined) return port
  }
  for (let tries = 0; tries < maxTries; tries += 1) {
    latest = (latest + 1) % portCount
    const port = await listenOnce(firstPort + latest).catch(() => undefined)
    if (port !== undefined) return port
  }
  return listenOnce(0)
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
