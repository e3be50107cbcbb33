import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../../../tools/src/provision/paths.ts'

/*
 * What makes the load runs in processes of its own: else the load, the balancers and those who start and kill processes would wait for
 * one another, and be measured as the product's.
 */

// biome-ignore lint/suspicious/noExplicitAny: methods of any kind can be called from outside
type Method = (...given: any[]) => Promise<unknown>
type Methods<T> = { [K in keyof T as T[K] extends Method ? K : never]: T[K] }

/** An object of another process. */
export interface ChildProcessProxy<T> {
  readonly pid: number
  /** Calls its methods. */
  readonly its: Methods<T>
  /** Calls its `close` and ends it. */
  stop(): Promise<void>
}

interface Message {
  id: number
  method?: string
  given?: unknown[]
  value?: unknown
  error?: string
}

const endWithParent = fileURLToPath(new URL('../../../tools/src/up/end-with-parent.ts', import.meta.url))
const patienceMs = 20_000

/** Starts a module that calls {@link serveParent}; resolves once it is ready for its parent. */
export async function startChildProcess<T>(module: URL, args: readonly string[]): Promise<ChildProcessProxy<T>> {
  const child = fork(fileURLToPath(module), args, {
    cwd: projectRoot,
    execArgv: ['--import', endWithParent],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const gone = new Promise<void>(resolve =>
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${module.pathname} ended: ${signal ?? code}`))
      waiting.clear()
      resolve()
    }),
  )
  child.on('message', ({ id, value, error }: Message) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(error))
  })
  let last = 0
  const call = (method: string, given: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (child.exitCode !== null || child.signalCode !== null) return reject(new Error(`${module.pathname} has ended`))
      last += 1
      waiting.set(last, { resolve, reject })
      child.send({ id: last, method, given })
    })

  const its = new Proxy({} as Methods<T>, {
    get: (_, method) =>
      typeof method === 'string' && method !== 'then' ? (...given: unknown[]) => call(method, given) : undefined,
  })
  try {
    await call('ready', [])
  } catch (error) {
    await end(child, gone)
    throw error
  }
  return {
    pid: child.pid!,
    its,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await call('close', []).catch(() => {})
      await end(child, gone)
    },
  }
}

async function end(child: ChildProcess, gone: Promise<void>) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const tooLong = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await gone
  clearTimeout(tooLong)
}

/** Does what the parent asks for, by the methods of `self`. */
export function serveParent(self: object): void {
  const methods = { ...self, ready: async () => {} } as Record<string, Method>
  // What ends it with its parent takes care that the channel alone keeps nobody alive; here it does.
  process.channel?.ref()
  process.on('message', async ({ id, method, given }: Message) => {
    try {
      process.send!({ id, value: await methods[method!]!(...given!) })
    } catch (error) {
      process.send!({ id, error: (error as Error).stack ?? String(error) })
    }
  })
}
