import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { consumersOf } from '@watchline/contracts/events'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import type { OwnerServices } from '@watchline/testing/owners'
import { type MailServers, mailDomain, provisionMail } from '../../../../tools/src/provision/mail-servers.ts'
import type { Log } from '../../../../tools/src/provision/types.ts'
import { until } from '../../../../tools/src/provision/wait.ts'
import { developmentSecrets } from '../../../../tools/src/start/secrets.ts'
import { type Replica, startReplica } from '../../../../tools/src/up/replica.ts'
import { listProcesses } from '../../shared/processes.ts'
import { startStores } from '../../shared/stores.ts'
import { openDatabases, type World } from '../../shared/world.ts'
import type { Random } from '../random.ts'

/** Three replicas of notification on their own stores and mail servers, which can all be killed. */
export interface MailWorld {
  owners: OwnerServices
  mailServers: MailServers
  /** Publishes without the networks that fail. */
  bus: EventBus
  /** The number of mails by state, as notification has stored them. */
  countStates(): Promise<Record<string, number>>
  /** The tasks in managers' mails that are not sent yet. */
  countEscalatedTasks(): Promise<number>
  /** The time of the digests comes for all managers' mails. */
  passDigestTime(): Promise<void>
  /** Each one resolves when the part runs again. */
  kill: Record<'notification' | 'broker' | 'mail server', (random: Random) => Promise<void>>
}

interface MailWorldOptions {
  folder: string
  /** Stand-ins for auth, playback-session and engagement. */
  owners: OwnerServices
  mailboxes: readonly string[]
  log: Log
}

export const reportsMailbox = 'watchline'
const prefix = 'faults'
const replicaCount = 3

export async function createMailWorld(
  base: World,
  { folder, owners, mailboxes, log }: MailWorldOptions,
): Promise<Omit<MailWorld, 'owners'>> {
  const silent: Log = () => {}
  const stores = await startStores(folder, silent)
  base.onStop(() => Promise.all(Object.values(stores).map(store => store.stop())))
  // Outside the folder of the run, which the users of Postfix and Dovecot cannot enter.
  const dataDir = mkdtempSync(join(tmpdir(), 'watchline-mail-'))
  base.onStop(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const mailServers = await provisionMail({ dataDir, mailboxes, log })
  base.onStop(() => mailServers.stop())
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  const env = {
    ...{ NODE_ENV: 'development', LOG_LEVEL: 'info', PATH: process.env.PATH, METRICS_PORT: '', DRAIN_MS: '0' },
    ...developmentSecrets(folder, {}),
    ...{ MONGO_URL: stores.mongodb.directUrl, AMQP_URL: stores.rabbitmq.directUrl, REDIS_URL: stores.redis.directUrl },
    ...{ DATABASE_PREFIX: prefix, AMQP_EXCHANGE: prefix, REDIS_PREFIX: `${prefix}:` },
    ...{ AUTH_URL: owners.url, PLAYBACK_SESSION_URL: owners.url, ENGAGEMENT_URL: owners.url },
    PUBLIC_URL: `http://${mailDomain}`,
    SMTP_URL: `smtp://127.0.0.1:${mailServers.smtpPort}`,
    MAIL_FROM: `Watchline <${reportsMailbox}@${mailDomain}>`,
    MAIL_REPORTS_URL: `imap://${reportsMailbox}:${mailServers.password}@127.0.0.1:${mailServers.imapPort}`,
    // Long enough for Postfix to report after a restart.
    MAIL_REPORT_WAIT_MINUTES: '2',
  }
  const replicas = Array.from({ length: replicaCount }, (_, index) =>
    startReplica({
      name: `notification-${index + 1}`,
      main: 'services/notification/src/main.ts',
      scheme: 'http',
      readEnv: () => env,
      logFile: join(logs, `notification-${index + 1}.log`),
      onChange: () => {},
      log: silent,
    }),
  )
  base.onStop(() => Promise.all(replicas.map(replica => replica.stop())))
  await Promise.all(replicas.map(untilReady))
  const databases = await openDatabases(base, { url: stores.mongodb.directUrl, prefix })
  const bus = await createRabbitBus({ url: stores.rabbitmq.directUrl, exchange: prefix, consumersOf })
  base.onStop(() => bus.close())

  const mails = () => databases.of('notification').collection('mails')
  return {
    mailServers,
    bus,
    countEscalatedTasks: async () => {
      const rows = await mails().find({ kind: 'task_escalated' }).toArray()
      return rows.reduce((sum, { escalated_tasks = [] }) => sum + escalated_tasks.length, 0)
    },
    passDigestTime: async () => {
      const now = new Date()
      const waiting = { kind: 'task_escalated', state: 'waiting', created_at: { $gt: now } }
      await mails().updateMany(waiting, { $set: { created_at: now, next_at: now } })
    },
    countStates: async () => {
      const rows = await mails()
        .aggregate<{ _id: string; count: number }>([{ $group: { _id: '$state', count: { $sum: 1 } } }])
        .toArray()
      return Object.fromEntries(rows.map(({ _id, count }) => [_id, count]))
    },
    kill: {
      notification: async random => {
        const replica = random.pick(replicas)
        replica.signal('SIGKILL')
        await sleep(500)
        await untilReady(replica)
      },
      broker: async random => {
        await stores.rabbitmq.kill()
        await sleep(random.between(0, 2_000))
        await stores.rabbitmq.start()
      },
      'mail server': async random => {
        await killPostfix(mailServers)
        await sleep(random.between(0, 2_000))
        await mailServers.startPostfix()
      },
    },
  }
}

function untilReady(replica: Replica): Promise<unknown> {
  return until(async () => replica.ready, { condition: `${replica.name} is ready`, limitMs: 2 * 60_000 })
}

const shells = ['sh', 'dash', 'cat', 'sleep']

/** All processes of Postfix at once, so that none of them can end its work. */
async function killPostfix({ postfixGuard }: MailServers): Promise<void> {
  const guard = postfixGuard()
  const processes = listProcesses()
  const below = (pid: number): number[] => {
    const children = processes.filter(({ parentPid }) => parentPid === pid)
    return children.flatMap(({ pid: child, name }) => [...(shells.includes(name) ? [] : [child]), ...below(child)])
  }
  for (const pid of below(guard.pid)) sendKill(pid)
  await guard.exited
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended in between.
  }
}
