import type { ServiceName } from '@watchline/contracts/operation'
import { type Clock, systemClock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob, createWakeup } from '@watchline/kit/core/repeat'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Outbox, Transaction } from '@watchline/kit/messaging/outbox'
import { rewriteDeadLetters, rewriteOutbox } from '@watchline/kit/messaging/rewrite-events'
import type { Logger } from '@watchline/kit/observability/log'
import { type Connection, Schema } from 'mongoose'
import { eraseFromEvent } from './erase-from-event.ts'

/** A person whose data a service erases. */
export interface ErasedPerson {
  personId: string
  /** The names and email addresses that the service knew, for texts that contain them. */
  names: readonly string[]
}

export interface ErasureJobs extends Lifecycle {
  /** Stores the job in the transaction that records the erasure. The job runs in the background. */
  request(erasure: ErasedPerson & { erasureId: string }, tx: Transaction): Promise<void>
}

interface StoredErasureJob {
  _id: string
  person_id: string
  /** Absent after the first pass. */
  names?: string[]
  passes: number
  /**
   * The time at which the next pass is due; a running pass moves it, so that only one replica is at
   * work.
   */
  due_at: Date
}

/** The parts of a service that {@link createErasureJobs} needs. A `ServiceHost` has all of them. */
export interface ErasureHost {
  name: string
  connection: Connection
  outbox: Outbox
  bus: EventBus
  clock?: Clock
  log: Logger
}

/** For the requests of a process that died; a process begins with its own ones at once. */
const pollMs = 10_000
/** A pass that takes longer may run twice, which is harmless. */
const leaseMs = 60_000
/** For events that wait to be published. */
const retryMs = 2_000
/** By then all writes and events that were under way have ended, retries of events included. */
const secondPassMs = 15 * 60_000

/**
 * Erases people in the background: first what `erase` removes, which must be repeatable, then what
 * the outbox and the dead letters hold. A crash only delays it. A second pass catches what was
 * under way during the first one.
 */
export function createErasureJobs(host: ErasureHost, erase: (person: ErasedPerson) => Promise<void>): ErasureJobs {
  const { name, connection, outbox, bus, clock = systemClock, log } = host
  const schema = new Schema<StoredErasureJob>(
    { _id: String, person_id: String, names: { type: [String], default: undefined }, passes: Number, due_at: Date },
    { versionKey: false, collection: 'erasures' },
  )
  schema.index({ due_at: 1 })
  const model = connection.model<StoredErasureJob>('Erasure', schema)
  const signal = { stopped: false }
  const wakeup = createWakeup()

  async function claim(): Promise<StoredErasureJob | null> {
    const now = clock.now()
    return model
      .findOneAndUpdate({ due_at: { $lte: new Date(now) } }, { $set: { due_at: new Date(now + leaseMs) } })
      .sort({ due_at: 1 })
      .lean()
  }

  async function runPass({ _id, person_id: personId, names = [], passes }: StoredErasureJob): Promise<void> {
    await erase({ personId, names })
    const rewrite = (event: Parameters<typeof eraseFromEvent>[0]) => eraseFromEvent(event, personId)
    const { waiting } = await rewriteOutbox(connection, rewrite)
    if (waiting) {
      await model.updateOne({ _id }, { $set: { due_at: new Date(clock.now() + retryMs) } })
      setTimeout(wakeup.wake, retryMs).unref()
      return
    }
    await rewriteDeadLetters({ bus, consumerGroup: name, rewrite, dropIfContains: personId, log })
    if (passes > 0) {
      await model.deleteOne({ _id, passes })
      return
    }
    await outbox.transaction(async tx => {
      const due_at = new Date(clock.now() + secondPassMs)
      await model.updateOne({ _id }, { $set: { passes: 1, due_at }, $unset: { names: 1 } }, { session: tx.session })
      tx.publish('user.erasure_completed', personId, {
        erasure_id: _id,
        person_id: personId,
        service: name as ServiceName,
        completed_at: new Date(clock.now()).toISOString(),
      })
    })
  }

  async function runDue(): Promise<void> {
    for (let row = await claim(); row && !signal.stopped; row = await claim()) await runPass(row)
  }

  const onError = (error: unknown) => log.warn({ err: error }, 'erasure of a person failed, retrying')
  const job = createRepeatedJob(runDue, { pauseMs: pollMs, jitter: true, wakeup, onError })

  return {
    request: async ({ erasureId, personId, names }, tx) => {
      await model.updateOne(
        { _id: erasureId },
        {
          $set: { person_id: personId, passes: 0, due_at: new Date(clock.now()) },
          $addToSet: { names: { $each: [...names] } },
        },
        { session: tx.session, upsert: true },
      )
      tx.afterCommit(wakeup.wake)
    },
    start: () => {
      signal.stopped = false
      job.start()
    },
    stop: async () => {
      signal.stopped = true
      await job.stop()
    },
  }
}
