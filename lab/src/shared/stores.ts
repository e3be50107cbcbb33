import { join } from 'node:path'
import type { Guarded } from '../../../tools/src/provision/guard.ts'
import { provisionMongo } from '../../../tools/src/provision/mongo.ts'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import { provisionRabbit } from '../../../tools/src/provision/rabbit.ts'
import { provisionRedis } from '../../../tools/src/provision/redis.ts'
import { type Log, ProvisionError, type Provisioned } from '../../../tools/src/provision/types.ts'
import { type Balancer, openBalancer } from '../../../tools/src/up/balancer.ts'
import { listProcesses } from './processes.ts'

export type StoreName = 'mongodb' | 'rabbitmq' | 'redis'

/** A server that a run may kill, behind a network that may fail. */
export interface Store {
  name: StoreName
  /** The address behind the network that may fail. */
  url: string
  /** The address without that network, for checks. */
  directUrl: string
  network: Balancer
  signal(signal: NodeJS.Signals): void
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Starts it again on the same port with the same data. Resolves when it answers. */
  start(): Promise<void>
  stop(): Promise<void>
}

export type Stores = Record<StoreName, Store>

/** The names of the server processes. */
const commands: Record<StoreName, string> = { mongodb: 'mongod', rabbitmq: 'beam.smp', redis: 'redis-server' }

export async function startStores(folder: string, log: Log): Promise<Stores> {
  const options = (name: string, port?: number) => ({
    dataDir: join(folder, name),
    cacheDir: cacheFolder(),
    port,
    alwaysStart: true,
    log,
  })
  const results = await Promise.allSettled([
    openStore('mongodb', port => provisionMongo({ ...options('mongodb', port), withoutPassword: true })),
    openStore('rabbitmq', port => provisionRabbit(options('rabbitmq', port))),
    openStore('redis', port => provisionRedis(options('redis', port))),
  ])
  const failure = results.find(result => result.status === 'rejected')
  if (!failure) {
    const [mongodb, rabbitmq, redis] = results.map(result => (result as PromiseFulfilledResult<Store>).value)
    return { mongodb: mongodb!, rabbitmq: rabbitmq!, redis: redis! }
  }
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop()
  throw failure.reason
}

async function openStore(name: StoreName, provision: (port?: number) => Promise<Provisioned>): Promise<Store> {
  let server = await provision()
  const directUrl = withoutDiscovery(server.url)
  const { host, port } = new URL(directUrl)
  const network = await openBalancer({ targets: [host] })

  const requireGuard = (): Guarded => {
    if (!server.guard) throw new ProvisionError(`this run did not start ${name}, so it cannot kill it`)
    return server.guard
  }
  const sendSignal = (signal: NodeJS.Signals) => process.kill(findServerPid(requireGuard().pid, commands[name]), signal)

  return {
    name,
    directUrl,
    url: directUrl.replace(host, network.address),
    network,
    signal: sendSignal,
    kill: async () => {
      sendSignal('SIGKILL')
      await requireGuard().exited
    },
    start: async () => {
      server = await provision(Number(port))
      if (new URL(server.url).port !== port) throw new Error(`${name} did not get port ${port} again`)
    },
    stop: async () => {
      await network.close()
      await server.stop()
    },
  }
}

/** A client that discovers the members of a replica set would bypass the network that may fail. */
function withoutDiscovery(url: string): string {
  const address = new URL(url)
  if (address.protocol !== 'mongodb:') return url
  address.searchParams.delete('replicaSet')
  address.searchParams.set('directConnection', 'true')
  return address.href
}

/** The pid of the server itself, below the shells that guard and start it. */
function findServerPid(guardPid: number, command: string): number {
  const processes = listProcesses()
  const parents = new Map(processes.map(({ pid, parentPid }) => [pid, parentPid]))
  const isBelowGuard = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === guardPid || isBelowGuard(parents.get(pid)))
  const server = processes.find(({ pid, name }) => name === command && isBelowGuard(pid))
  if (!server)
    throw new ProvisionError(`${command} does not run as a process of this machine, so this run cannot kill it`)
  return server.pid
}
