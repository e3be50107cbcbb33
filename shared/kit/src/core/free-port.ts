import { type AddressInfo, createServer } from 'node:net'

/**
 * A free port of the loopback interface: `preferred` if it is free, otherwise any. The port is not
 * reserved, so the caller must be ready to try another.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await listenOnce(preferred).catch(() => undefined)
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
