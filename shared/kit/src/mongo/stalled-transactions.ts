import type { Connection, mongo } from 'mongoose'
import type { Lifecycle } from '../core/lifecycle.ts'
import { createRepeatedJob } from '../core/repeat.ts'
import type { Logger } from '../observability/log.ts'

/** A transaction in which nothing is being done at the moment, as MongoDB tells of it. */
interface IdleTransaction {
  lsid: { id: mongo.UUID }
  connectionId?: number
  appName?: string
  transaction: { parameters: { txnNumber: number }; timeActiveMicros: number; timeOpenMicros: number }
}

interface Seen {
  /** Changes as soon as anything is done in it. */
  progress: string
  since: number
}

export interface StalledTransactionsOptions {
  connection: Connection
  log: Pick<Logger, 'warn' | 'info'>
  lookMs?: number
  /** Without any progress for so long a transaction is given up, although its client seems to be there. */
  stalledMs?: number
}

const unauthorized = 13

const factsOf = ({ appName, transaction }: IdleTransaction) => ({
  client: appName,
  open_seconds: transaction.timeOpenMicros / 1e6,
})

/**
 * Ends transactions whose client is gone. MongoDB keeps the transaction of a process that was killed, or whose connection was cut, for
 * up to a minute (transactionLifetimeLimitSeconds), and with it every document that it wrote: whoever wants to write one of them waits as
 * long. A transaction that got no further between two looks ends at the second one if its connection is closed, and otherwise after
 * `stalledMs`. Whoever was at it after all is told to begin again (TransientTransactionError), as after any conflict.
 *
 * Looks at the transactions of this database user only, for which no privilege is needed; any number of processes may look. Source:
 * mongodb.com/docs/manual/reference/operator/aggregation/currentOp and …/command/killSessions.
 */
export function createStalledTransactions(options: StalledTransactionsOptions): Lifecycle {
  const { connection, log, lookMs = 2_000, stalledMs = 10_000 } = options
  let seen = new Map<string, Seen>()

  const admin = () => connection.getClient().db('admin')

  async function look(): Promise<void> {
    const now = Date.now()
    const idle = await admin()
      .aggregate<IdleTransaction>([
        { $currentOp: { allUsers: false, idleSessions: true } },
        { $match: { type: 'idleSession', active: false, 'transaction.timeOpenMicros': { $gte: lookMs * 1_000 } } },
      ])
      .toArray()
    const known = new Map<string, Seen>()
    for (const each of idle) {
      const { parameters, timeActiveMicros } = each.transaction
      const id = `${each.lsid.id}`
      const progress = `${parameters.txnNumber} ${timeActiveMicros}`
      const before = seen.get(id)
      known.set(id, before?.progress === progress ? before : { progress, since: now })
    }
    const same = idle.filter(({ lsid }) => known.get(`${lsid.id}`) === seen.get(`${lsid.id}`))
    seen = known
    if (same.length === 0) return
    const open = await openConnections()
    const gone = same.filter(({ connectionId }) => connectionId !== undefined && !open.has(connectionId))
    const stuck = same.filter(each => !gone.includes(each) && now - known.get(`${each.lsid.id}`)!.since >= stalledMs)
    if (gone.length + stuck.length === 0) return
    await admin().command({ killSessions: [...gone, ...stuck].map(({ lsid }) => ({ id: lsid.id })) })
    for (const each of gone) log.warn(factsOf(each), 'a transaction was ended whose client is gone')
    // Its client is there: either it hangs, or the transaction waits for something that waits for it.
    for (const each of stuck) log.warn(factsOf(each), 'a transaction was ended in which nothing happened any more')
  }

  async function openConnections(): Promise<Set<number>> {
    const all = await admin()
      .aggregate<{ connectionId: number }>([
        { $currentOp: { allUsers: false, idleConnections: true } },
        { $match: { type: 'op', connectionId: { $exists: true } } },
        { $project: { connectionId: 1 } },
      ])
      .toArray()
    return new Set(all.map(each => each.connectionId))
  }

  const repeater = createRepeatedJob(look, {
    pauseMs: lookMs,
    spread: true,
    failed: error => {
      if (Object(error).code !== unauthorized) return
      void repeater.stop()
      log.info({ err: error }, 'transactions of clients that are gone are left to MongoDB, which takes a minute')
    },
  })
  return repeater
}
