import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { TlsFiles } from './types.ts'

const host = '127.0.0.1'

export function accepts(port: number): Promise<boolean> {
  return exchange(port).then(
    () => true,
    () => false,
  )
}

/**
 * Connects, sends `greeting` if there is one, and returns the first bytes received. Rejects after 2
 * s.
 */
export function exchange(port: number, greeting?: Buffer, tls?: TlsFiles): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket: Socket = tls ? connectTls({ host, port, ca: readFileSync(tls.caFile) }) : connect({ host, port })
    const finish = (complete: () => void) => {
      socket.destroy()
      complete()
    }
    socket.setTimeout(2_000, () => finish(() => reject(new Error(`no answer on port ${port}`))))
    socket.once('error', error => finish(() => reject(error)))
    socket.once('close', () => reject(new Error(`connection closed on port ${port}`)))
    socket.once(tls ? 'secureConnect' : 'connect', () =>
      greeting ? socket.write(greeting) : finish(() => resolve(Buffer.alloc(0))),
    )
    socket.once('data', data => finish(() => resolve(data)))
  })
}

/**
 * Waits until `check` returns a truthy value. Rejects after `limitMs`, or as soon as `stopReason`
 * returns the reason why that can no longer happen.
 */
export async function until<T>(
  check: () => Promise<T>,
  options: {
    /** Names the condition in the error, for example `Redis answers`. */
    condition: string
    limitMs: number
    everyMs?: number
    stopReason?: () => string | undefined
  },
): Promise<NonNullable<T>> {
  const deadline = Date.now() + options.limitMs
  for (;;) {
    let lastError = ''
    const value = await check().catch((error: Error) => {
      lastError = ` (${error.message})`
      return undefined
    })
    if (value) return value
    const stopReason = options.stopReason?.()
    if (stopReason) throw new Error(`waiting failed: ${options.condition}: ${stopReason}`)
    if (Date.now() > deadline)
      throw new Error(`waited ${Math.round(options.limitMs / 1000)} s in vain: ${options.condition}${lastError}`)
    await sleep(options.everyMs ?? 50)
  }
}
