import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { endProcess, spawnNode, waitUntilReady } from '@watchline/testing/processes'
import { readCpuSeconds } from './meter.ts'
import { listProcesses } from './processes.ts'

/** `start`: one process, as `make start`. `up`: gateway and services as processes, as `make up`. */
export const productKinds = ['start', 'up'] as const
export type ProductKind = (typeof productKinds)[number]

const programs: Record<ProductKind, string> = { start: 'tools/src/start/main.ts', up: 'tools/src/up/daemon.ts' }

/** Watchline as operators start it, with its own stores. */
export interface Product {
  url: string
  /** Seconds of CPU so far of each of its processes, by name; those of one name together. */
  readCpu(): Record<string, number>
  stop(): Promise<void>
}

export const dataFolderOf = (kind: ProductKind, folder: string): string => join(folder, kind)

/** `folder` is for its data. */
export async function startProduct(
  kind: ProductKind,
  folder: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Product> {
  const port = await freePort()
  const child = spawnNode([programs[kind], ...args], ['ignore', 'pipe', 'pipe'], {
    // Its own stores, even where the environment names others.
    ...{ MONGO_URL: '', AMQP_URL: '', REDIS_URL: '' },
    // All clients come from one address.
    RATE_LIMITS: 'false',
    LOG_LEVEL: 'warn',
    DATA_DIR: dataFolderOf(kind, folder),
    PORT: String(port),
    ...env,
  })
  // Also when this run is interrupted.
  process.once('exit', () => child.kill('SIGTERM'))
  try {
    await waitUntilReady(child)
  } catch (error) {
    await endProcess(child, 'SIGTERM')
    throw error
  }
  return {
    url: `http://localhost:${port}`,
    readCpu: () => {
      const cpu: Record<string, number> = {}
      for (const pid of pidsBelow(child.pid!)) {
        const name = pid === child.pid ? ownNames[kind] : nameOf(pid)
        if (name) cpu[name] = (cpu[name] ?? 0) + readCpu(pid)
      }
      return cpu
    },
    stop: () => endProcess(child, 'SIGTERM'),
  }
}

/** The first process: all services, or what supervises and balances over them. */
const ownNames: Record<ProductKind, string> = { start: 'watchline', up: 'balancers' }

function pidsBelow(root: number): number[] {
  const children = Map.groupBy(listProcesses(), ({ parentPid }) => parentPid)
  const collect = (pid: number): number[] => [
    pid,
    ...(children.get(pid) ?? []).flatMap(({ pid: childPid }) => collect(childPid)),
  ]
  return collect(root)
}

/** The name of a service, or of the program. Undefined if the process has ended. */
function nameOf(pid: number): string | undefined {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const main = args.find(arg => arg.endsWith('/src/main.ts'))
    // Redis writes its address behind its name.
    return main ? main.split('/').at(-3) : basename(args[0]!.split(' ')[0]!)
  } catch {
    return undefined
  }
}

function readCpu(pid: number): number {
  try {
    return readCpuSeconds(pid)
  } catch {
    // The process has ended in between.
    return 0
  }
}
