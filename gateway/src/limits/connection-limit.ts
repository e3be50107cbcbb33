import type { Socket } from 'node:net'
import { networkOf } from '@watchline/kit/http/network'

/**
 * Closes connections beyond the most that one address may have open, so that one machine cannot
 * occupy all of them. Behind a proxy every connection comes from the proxy, which has to do this.
 */
export function createConnectionLimit(maxPerAddress: number): (socket: Socket) => void {
  const open = new Map<string, number>()

  return socket => {
    const network = networkOf((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
    const count = (open.get(network) ?? 0) + 1
    if (count > maxPerAddress) {
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const remaining = open.get(network)! - 1
      if (remaining > 0) open.set(network, remaining)
      else open.delete(network)
    })
  }
}
