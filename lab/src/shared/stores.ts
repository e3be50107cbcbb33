import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Guarded } from '../../../tools/src/provision/guard.ts'
import { provisionMongo } from '../../../tools/src/provision/mongo.ts'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import { provisionRabbit } from '../../../tools/src/provision/rabbit.ts'
import { provisionRedis } from '../../../tools/src/provision/redis.ts'
import { type Log, ProvisionError, type Provisioned } from '../../../tools/src/provision/types.ts'
import { type Balancer, openBalancer } from '../../../tools/src/up/balancer.ts'

export type StoreName = 'mongodb' | 'rabbitmq' | 'redis'

/** A server that a run may kill, behind a network that may fail. */
export interface Store {
  name: StoreName
  /** Through the network that may fail. */
  url: string
  /** Without that network, for checks. */
  directUrl: string
  network: Balancer
  signal(signal: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** On the same port, with the same data; resolves when it answers. */
  start(): Promise<void>
  stop(): Promise<void>
}

export type Stores = Record<StoreName, Store>

/** By the name of the process that is the server, below the shells that guard it. */
const processes: Record<StoreName, string> = { mongodb: 'mongod', rabbitmq: 'beam.smp', redis: 'redis-server' }

export async function startStores(folder: string, log: Log): Promise<Stores> {
  const options = (name: string, port?: number) => ({
    dataDir: join(folder, name),
    cacheDir: cacheFolder(),
    port,
    alwaysStart: true,
    log,
  })
  const opened = await Promise.allSettled([
    openStore('mongodb', port => provisionMongo(options('mongodb', port))),
    openStore('rabbitmq', port => provisionRabbit(options('rabbitmq', port))),
    openStore('redis', port => provisionRedis(options('redis', port))),
  ])
  const failed = opened.find(each => each.status === 'rejected')
  if (!failed) {
    const [mongodb, rabbitmq, redis] = opened.map(each => (each as PromiseFulfilledResult<Store>).value)
    return { mongodb: mongodb!, rabbitmq: rabbitmq!, redis: redis! }
  }
  for (const each of opened) if (each.status === 'fulfilled') await each.value.stop()
  throw failed.reason
}

async function openStore(name: StoreName, provision: (port?: number) => Promise<Provisioned>): Promise<Store> {
  let server = await provision()
  const directUrl = withoutDiscovery(server.url)
  const { host, port } = new URL(directUrl)
  const network = await openBalancer({ targets: [host] })

  const guard = (): Guarded => {
    if (!server.guard) throw new ProvisionError(`${name} was not started here, and cannot be killed`)
    return server.guard
  }
  const signal = (given: NodeJS.Signals) => process.kill(serverUnder(guard().pid, processes[name]), given)

  return {
    name,
    directUrl,
    url: directUrl.replace(host, network.address),
    network,
    signal,
    kill: async () => {
      signal('SIGKILL')
      await guard().exited
    },
    start: async () => {
      server = await provision(Number(port))
      if (new URL(server.url).port !== port) throw new Error(`${name} did not get its port ${port} again`)
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

/** The process id of the server itself, not of the shells that guard and start it. */
function serverUnder(guard: number, command: string): number {
  const parents = new Map<number, number>()
  const found: number[] = []
  for (const pid of readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      parents.set(pid, Number(parent))
      if (name === command) found.push(pid)
    } catch {
      // it has ended meanwhile
    }
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === guard || isBelow(parents.get(pid)))
  const server = found.find(isBelow)
  if (server === undefined)
    throw new ProvisionError(`${command} does not run as a process of this machine: it cannot be killed`)
  return server
}
