import type { Connection, mongo } from 'mongoose'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import { createRepeatedJob } from '../core/repeat.ts'
import type { Logger } from '../observability/log.ts'

/** An open transaction without a running operation, as `$currentOp` reports it. */
interface IdleTransaction {
  lsid: { id: mongo.UUID }
  connectionId?: number
  appName?: string
  transaction: { parameters: { txnNumber: number }; timeActiveMicros: number; timeOpenMicros: number }
}

interface Observation {
  /** Changes with every operation of the transaction. */
  progress: string
  since: number
}

export interface StalledTransactionsOptions {
  connection: Connection
  log: Pick<Logger, 'warn' | 'info'>
  pollMs?: number
  /** Ends a transaction without progress after this time, even if its client is connected. */
  stalledMs?: number
  clock?: Clock
}

const unauthorized = 13

/**
 * Ends transactions whose client is gone. MongoDB keeps the transaction of a killed process or a
 * cut connection for up to a minute (transactionLifetimeLimitSeconds), and blocks every document
 * that it wrote. A transaction without progress between two polls ends at the second one if its
 * connection is closed, otherwise after `stalledMs`. If its client is still alive, it gets a
 * TransientTransactionError and retries, as after any conflict.
 *
 * Polls only the transactions of its own database user, which needs no privilege. Any number of
 * processes may poll. Source: mongodb.com/docs/manual/reference/operator/aggregation/currentOp and
 * …/command/killSessions.
 */
export function createStalledTransactions(options: StalledTransactionsOptions): Lifecycle {
  const { connection, log, pollMs = 3_000, stalledMs = 10_000, clock = systemClock } = options
  let observations = new Map<string, Observation>()

  const admin = () => connection.getClient().db('admin')

  async function endStalled(): Promise<void> {
    const now = clock.now()
    const idle = await findIdle()
    const previous = observations
    observations = new Map(idle.map(transaction => [idOf(transaction), observe(transaction, previous, now)]))
    const unchanged = idle.filter(
      transaction => previous.get(idOf(transaction)) === observations.get(idOf(transaction)),
    )
    if (unchanged.length === 0) return
    const connections = await findOpenConnections()
    const abandoned = unchanged.filter(
      ({ connectionId }) => connectionId !== undefined && !connections.has(connectionId),
    )
    const stalled = unchanged.filter(
      transaction => !abandoned.includes(transaction) && now - observations.get(idOf(transaction))!.since >= stalledMs,
    )
    if (abandoned.length + stalled.length === 0) return
    await admin().command({ killSessions: [...abandoned, ...stalled].map(({ lsid }) => ({ id: lsid.id })) })
    for (const transaction of abandoned)
      log.warn(logFields(transaction), 'idle transaction of a disconnected client aborted')
    // Its client is connected: it hangs, or the transaction takes part in a deadlock.
    for (const transaction of stalled)
      log.warn(logFields(transaction), 'idle transaction aborted, its client gets an error and retries')
  }

  function findIdle(): Promise<IdleTransaction[]> {
    return admin()
      .aggregate<IdleTransaction>([
        { $currentOp: { allUsers: false, idleSessions: true } },
        { $match: { type: 'idleSession', active: false, 'transaction.timeOpenMicros': { $gte: pollMs * 1_000 } } },
      ])
      .toArray()
  }

  async function findOpenConnections(): Promise<Set<number>> {
    const operations = await admin()
      .aggregate<{ connectionId: number }>([
        { $currentOp: { allUsers: false, idleConnections: true } },
        { $match: { type: 'op', connectionId: { $exists: true } } },
        { $project: { connectionId: 1 } },
      ])
      .toArray()
    return new Set(operations.map(({ connectionId }) => connectionId))
  }

  const job = createRepeatedJob(endStalled, {
    pauseMs: pollMs,
    jitter: true,
    onError: error => {
      if (Object(error).code !== unauthorized) return
      void job.stop()
      log.info({ err: error }, 'stalled transactions cannot be read; MongoDB ends them after a minute')
    },
  })
  return job
}

const idOf = ({ lsid }: IdleTransaction) => `${lsid.id}`

/** The previous observation if the transaction made no progress since. */
function observe({ lsid, transaction }: IdleTransaction, previous: Map<string, Observation>, now: number): Observation {
  const progress = `${transaction.parameters.txnNumber} ${transaction.timeActiveMicros}`
  const before = previous.get(`${lsid.id}`)
  return before?.progress === progress ? before : { progress, since: now }
}

function logFields({ appName, transaction }: IdleTransaction) {
  return { client: appName, open_seconds: transaction.timeOpenMicros / 1e6 }
}
