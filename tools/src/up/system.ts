import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ServiceName } from '@watchline/contracts/operation'
import { freePort } from '@watchline/kit/core/free-port'
import { trustAuthority } from '@watchline/kit/core/tls'
import type { Log } from '../provision/types.ts'
import { until } from '../provision/wait.ts'
import { developmentSecrets } from '../start/secrets.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { type Replica, startReplica } from './replica.ts'

export type ProcessName = 'gateway' | ServiceName

/** In order of dependency. */
export const processNames: readonly ProcessName[] = [
  'auth',
  'playback-session',
  'engagement',
  'notification',
  'chat',
  'gateway',
]

/** The entry points, the same as in containers. */
const mainOf = (name: ProcessName) => (name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`)

/** The services that operators usually scale have two replicas. */
const usualReplicas: Record<ProcessName, number> = {
  gateway: 2,
  auth: 1,
  'playback-session': 1,
  engagement: 2,
  notification: 1,
  chat: 2,
}

export interface DistributedOptions {
  /** The folder of the secrets, and of the logs in `up/logs`. */
  dataDir: string
  /** The port of the public address. 0 chooses a free one. */
  port: number
  stores: { mongoUrl: string; amqpUrl: string; redisUrl: string }
  replicas?: Partial<Record<ProcessName, number>>
  /** Settings of every process. The system's own settings take precedence. */
  env?: NodeJS.ProcessEnv
  envOf?: Partial<Record<ProcessName, NodeJS.ProcessEnv>>
  /** How long a process keeps answering after SIGTERM; see DRAIN_MS. */
  drainMs?: number
  log: Log
}

export interface Group {
  readonly name: ProcessName
  /** The address that balances over all replicas. */
  readonly balancer: Balancer
  readonly replicas: readonly Replica[]
  /** Resolves when added replicas are ready, or removed ones have stopped. */
  scale(count: number): Promise<void>
}

/** Watchline as gateway and five services, with any number of processes each. */
export interface Distributed {
  /** The public address. */
  readonly url: string
  readonly groups: Readonly<Record<ProcessName, Group>>
  /** The environment for other programs that work on this system. */
  readonly env: NodeJS.ProcessEnv
  /** The environment of a process's replicas. */
  envOf(name: ProcessName): NodeJS.ProcessEnv
  /** Resolves when every replica of all services, or of one, is ready. */
  ready(limitMs?: number, name?: ProcessName): Promise<void>
  /**
   * Rolling restart of one service or all. Each new process is ready before its predecessor stops.
   */
  roll(name?: ProcessName): Promise<void>
  stop(): Promise<void>
}

export async function startDistributed(options: DistributedOptions): Promise<Distributed> {
  const { stores, replicas = {}, envOf = {}, drainMs = 2_000, log } = options
  const dataDir = resolve(options.dataDir)
  const logs = join(dataDir, 'up', 'logs')
  mkdirSync(logs, { recursive: true })
  const port = options.port || (await freePort())
  const balancers = {} as Record<ProcessName, Balancer>
  for (const name of processNames) balancers[name] = await openBalancer({ port: name === 'gateway' ? port : 0 })
  const addressOf = (name: ProcessName) => `${schemeOf(name)}://${balancers[name].address}`
  const schemeOf = (name: ProcessName) =>
    ({ ...options.env, ...envOf[name] }).TLS_CERT_FILE ? ('https' as const) : ('http' as const)

  const publicUrl = `${schemeOf('gateway')}://localhost:${port}`
  // The probes below are clients of the processes.
  if (options.env?.TLS_CA_FILE) trustAuthority(options.env.TLS_CA_FILE)

  // Read again for every process that starts, so that a rolling restart puts changed secrets into
  // use.
  const readEnv = (): NodeJS.ProcessEnv => ({
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    ...developmentSecrets(dataDir, options.env),
    PUBLIC_URL: publicUrl,
    ...options.env,
    MONGO_URL: stores.mongoUrl,
    AMQP_URL: stores.amqpUrl,
    REDIS_URL: stores.redisUrl,
    DRAIN_MS: String(drainMs),
    // All replicas share this machine, and so its ports.
    METRICS_PORT: '',
    AUTH_URL: addressOf('auth'),
    PLAYBACK_SESSION_URL: addressOf('playback-session'),
    ENGAGEMENT_URL: addressOf('engagement'),
    NOTIFICATION_URL: addressOf('notification'),
    CHAT_URL: addressOf('chat'),
  })

  const envFor = (name: ProcessName) => ({ ...readEnv(), ...envOf[name] })
  const openGroup = (name: ProcessName) =>
    createGroup({ name, scheme: schemeOf(name), balancer: balancers[name], readEnv: () => envFor(name), logs, log })
  const groups = Object.fromEntries(processNames.map(name => [name, openGroup(name)])) as Record<ProcessName, OwnGroup>

  const ready = async (limitMs = 5 * 60_000, only?: ProcessName) => {
    const awaitedGroups = only ? [groups[only]] : Object.values(groups)
    const late = () =>
      awaitedGroups.flatMap(group => group.replicas.filter(replica => !replica.ready).map(replica => replica.name))
    await until(async () => late().length === 0, { condition: 'every process is ready', limitMs }).catch(error => {
      throw new Error(`${(error as Error).message}; waiting for ${late().join(', ')}. Logs: ${logs}`)
    })
  }
  const stop = async () => {
    // Gateways stop first, so that open calls still reach their services.
    await groups.gateway.stop()
    await Promise.all(processNames.map(name => groups[name].stop()))
    for (const balancer of Object.values(balancers)) await balancer.close()
  }

  try {
    for (const name of processNames) groups[name].add(replicas[name] ?? usualReplicas[name])
    await ready()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: publicUrl,
    groups,
    env: readEnv(),
    envOf: envFor,
    ready,
    roll: async only => {
      for (const name of only ? [only] : processNames) await groups[name].roll()
    },
    stop,
  }
}

interface OwnGroup extends Group {
  add(count: number): Replica[]
  roll(): Promise<void>
  stop(): Promise<void>
}

interface GroupOptions {
  name: ProcessName
  scheme: 'http' | 'https'
  balancer: Balancer
  readEnv(): NodeJS.ProcessEnv
  logs: string
  log: Log
}

function createGroup({ name, scheme, balancer, readEnv, logs, log }: GroupOptions): OwnGroup {
  const replicas: Replica[] = []
  let number = 0
  /** Scaling and rolling restarts run one at a time. */
  let lastChange: Promise<unknown> = Promise.resolve()

  const updateTargets = () =>
    balancer.setTargets(replicas.filter(replica => replica.ready).map(replica => new URL(replica.url).host))

  function add(count: number): Replica[] {
    const newReplicas = Array.from({ length: count }, () => {
      number += 1
      const replicaName = `${name}-${number}`
      return startReplica({
        name: replicaName,
        main: mainOf(name),
        readEnv,
        scheme,
        logFile: join(logs, `${replicaName}.log`),
        onChange: updateTargets,
        log,
      })
    })
    replicas.push(...newReplicas)
    return newReplicas
  }

  async function remove(leaving: readonly Replica[]) {
    await Promise.all(leaving.map(replica => replica.stop()))
    for (const replica of leaving) replicas.splice(replicas.indexOf(replica), 1)
    updateTargets()
  }

  async function addAndWait(count: number) {
    const newReplicas = add(count)
    await until(async () => newReplicas.every(replica => replica.ready), {
      condition: `${name} is ready`,
      limitMs: 5 * 60_000,
    })
  }

  function afterLastChange(work: () => Promise<void>): Promise<void> {
    const change = lastChange.then(work)
    lastChange = change.catch(() => {})
    return change
  }

  return {
    name,
    balancer,
    replicas,
    add,
    scale: count =>
      afterLastChange(async () => {
        if (count > replicas.length) await addAndWait(count - replicas.length)
        else await remove(replicas.slice(count))
      }),
    roll: () =>
      afterLastChange(async () => {
        for (const old of [...replicas]) {
          await addAndWait(1)
          await remove([old])
        }
      }),
    stop: () => afterLastChange(() => remove([...replicas])),
  }
}
