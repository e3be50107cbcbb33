import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const host = '127.0.0.1'

export function accepts(port: number): Promise<boolean> {
  return exchange(port).then(
    () => true,
    () => false,
  )
}

/** Connects, sends `greeting` if given, and returns the first bytes received. Rejects after 2 s. */
export function exchange(port: number, greeting?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const finish = (act: () => void) => {
      socket.destroy()
      act()
    }
    socket.setTimeout(2_000, () => finish(() => reject(new Error(`no answer on port ${port}`))))
    socket.once('error', error => finish(() => reject(error)))
    socket.once('close', () => reject(new Error(`connection closed on port ${port}`)))
    socket.once('connect', () => (greeting ? socket.write(greeting) : finish(() => resolve(Buffer.alloc(0)))))
    socket.once('data', data => finish(() => resolve(data)))
  })
}

/** Waits until `check` returns a truthy value. Rejects with `what` after `limitMs`, or at once with `stopped`'s reason. */
export async function until<T>(
  check: () => Promise<T>,
  options: { what: string; limitMs: number; everyMs?: number; stopped?: () => string | undefined },
): Promise<NonNullable<T>> {
  const deadline = Date.now() + options.limitMs
  for (;;) {
    let failure = ''
    const value = await check().catch((error: Error) => {
      failure = ` (${error.message})`
      return undefined
    })
    if (value) return value
    const stopped = options.stopped?.()
    if (stopped) throw new Error(`${options.what}: ${stopped}`)
    if (Date.now() > deadline)
      throw new Error(`${options.what}: not within ${Math.round(options.limitMs / 1000)} s${failure}`)
    await sleep(options.everyMs ?? 50)
  }
}
