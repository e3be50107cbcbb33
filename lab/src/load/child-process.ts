/*
 * The load runs in its own processes. Otherwise it would compete with the balancers and with
 * whatever starts and kills processes, and its CPU would count as theirs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../../../tools/src/provision/paths.ts'

// biome-ignore lint/suspicious/noExplicitAny: methods of every signature can be called remotely
type Method = (...args: any[]) => Promise<unknown>
type Methods<T> = { [K in keyof T as T[K] extends Method ? K : never]: T[K] }

/** An object in another process. */
export interface ChildProcessProxy<T> {
  readonly pid: number
  /** Calls the object's methods. Arguments and results are copied. */
  readonly remote: Methods<T>
  /** Calls the object's `close` and ends the process. */
  stop(): Promise<void>
}

interface Message {
  id: number
  method?: string
  args?: unknown[]
  value?: unknown
  error?: string
}

const endWithParent = fileURLToPath(new URL('../../../tools/src/up/end-with-parent.ts', import.meta.url))
const stopLimitMs = 20_000

/** Starts a module that calls {@link serveParent}. Resolves when it is ready. */
export async function startChildProcess<T>(module: URL, args: readonly string[]): Promise<ChildProcessProxy<T>> {
  const child = fork(fileURLToPath(module), args, {
    cwd: projectRoot,
    execArgv: ['--import', endWithParent],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const pendingCalls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const exited = new Promise<void>(resolve =>
    child.once('exit', (code, signal) => {
      for (const { reject } of pendingCalls.values()) reject(new Error(`${module.pathname} ended: ${signal ?? code}`))
      pendingCalls.clear()
      resolve()
    }),
  )
  child.on('message', ({ id, value, error }: Message) => {
    const call = pendingCalls.get(id)
    pendingCalls.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(error))
  })
  let lastId = 0
  const call = (method: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (hasEnded(child)) return reject(new Error(`${module.pathname} has ended`))
      lastId += 1
      pendingCalls.set(lastId, { resolve, reject })
      child.send({ id: lastId, method, args })
    })

  const remote = new Proxy({} as Methods<T>, {
    get: (_, method) =>
      typeof method === 'string' && method !== 'then' ? (...args: unknown[]) => call(method, args) : undefined,
  })
  try {
    await call('ready', [])
  } catch (error) {
    await endChild(child, exited)
    throw error
  }
  return {
    pid: child.pid!,
    remote,
    stop: async () => {
      if (!hasEnded(child)) await call('close', []).catch(() => {})
      await endChild(child, exited)
    },
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function endChild(child: ChildProcess, exited: Promise<void>) {
  if (hasEnded(child)) return
  child.kill('SIGTERM')
  const timeout = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
  await exited
  clearTimeout(timeout)
}

/** Lets the parent process call the methods of `object`. */
export function serveParent(object: object): void {
  const methods = { ...object, ready: async () => {} } as Record<string, Method>
  // end-with-parent unreferences the channel. Here the channel must keep the process alive.
  process.channel?.ref()
  process.on('message', async ({ id, method, args }: Message) => {
    try {
      process.send!({ id, value: await methods[method!]!(...args!) })
    } catch (error) {
      process.send!({ id, error: (error as Error).stack ?? String(error) })
    }
  })
}
