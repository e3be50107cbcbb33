import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Browser, SessionLost } from '@watchline/testing/browser'
import { isAcknowledged, isUndecided } from '../shared/answers.ts'
import { type Attempt, type LockAction, makeWrite, usualUnansweredMs, type Write } from './possible-values.ts'

/** The kinds of operations. All must work again after a fault. */
export const laneAreas = [
  'signing in',
  'people',
  'watching',
  'tracking',
  'comments',
  'notifications',
  'chat',
  'playlists',
  /** Effects in one service of changes in another. */
  'events',
] as const
export type LaneArea = (typeof laneAreas)[number]

/** A call and its result, as the client log records it. */
export interface CallRecord {
  attempts: Attempt[]
  status: number
  json: Answer['json']
  acknowledged: boolean
}

export interface Violation {
  at: number
  /** The broken rule, for the table. */
  rule: string
  detail: string
}

/** A client and a kind of operation. Every lane must be served again after a fault. */
export interface Lane {
  area: LaneArea
  client: string
}

/** The lanes that were served since the start of a fault. Instants in ms. */
export interface RecoveryWatch {
  from: number
  healedAt: number
  /** For every served lane: the time from `healedAt` to its first answer, in ms. */
  servedAfterMs: Map<string, number>
}

export interface CallOptions {
  lane: Lane
  method: string
  path: string
  body?: unknown
  /** Accepted statuses besides 2xx. */
  acceptedStatuses?: readonly number[]
  /** Whether to resend until answered. Without it the result may stay unknown. */
  canResend?: boolean
  /** Whether the call changes data. Reads are counted separately. */
  isWrite?: boolean
  /** Stops resending. */
  signal?: AbortSignal
}

/**
 * A call without an answer, or a condition that has not come true, after this time is a violation.
 * It only ends runs that hang: `recoveryLimitMs` checks the promised time of recovery.
 */
export const patienceMs = 240_000
/**
 * The limit for consuming all events. A backlog drains while the load goes on, which takes minutes
 * on a slow machine. In a run with a limit of recovery, a delay above that one is a violation as
 * well.
 */
export const drainLimitMs = 600_000

/** The limits of the clients' calls, ms. A very slow machine needs longer ones. */
export interface CallLimits {
  /** A call without an answer in this time is sent again. */
  callLimitMs: number
  /** An unanswered call may still take effect for this long. */
  unansweredMs: number
}

export const usualCallLimits: CallLimits = { callLimitMs: 4_000, unansweredMs: usualUnansweredMs }

export type CallLog = ReturnType<typeof createCallLog>

/** Records what all clients sent and received, and the violations found. */
export function createCallLog({ file, limits }: { file?: string | undefined; limits: CallLimits }) {
  const output = file === undefined ? undefined : createWriteStream(file)
  const counts = { requests: 0, acknowledged: 0, resends: 0, unknown: 0 }
  const violations: Violation[] = []
  const fieldWrites = new Map<string, Write<string>[]>()
  const lockActions = new Map<string, LockAction[]>()
  const lanes = new Map<string, Lane>()
  let watch: RecoveryWatch | undefined

  const writeLine = (line: object) => void output?.write(`${JSON.stringify(line)}\n`)

  function reportViolation(rule: string, detail: string) {
    // Recorded once, because a check in every cycle finds it again.
    if (violations.some(found => found.rule === rule && found.detail === detail)) return
    violations.push({ at: Date.now(), rule, detail })
    writeLine({ violation: rule, detail })
  }

  function markServed({ area, client: who }: Lane, sentAt: number) {
    const name = `${area}: ${who}`
    // An event sent before the end of the fault does not prove that events arrive again.
    const since = area === 'events' ? watch?.healedAt : watch?.from
    if (
      watch &&
      since !== undefined &&
      sentAt >= since &&
      Date.now() >= watch.healedAt &&
      !watch.servedAfterMs.has(name)
    )
      watch.servedAfterMs.set(name, Date.now() - watch.healedAt)
  }

  async function attemptCall(browser: Browser, { method, path, body }: CallOptions, record: CallRecord): Promise<void> {
    const sentAt = Date.now()
    let answer: Answer | undefined
    counts.requests += 1
    try {
      answer = await browser.call(method, path, body)
    } catch (error) {
      if (error instanceof SessionLost) throw error
    }
    record.attempts.push({ sentAt, endedAt: Date.now(), status: answer?.status ?? 0 })
    record.status = answer?.status ?? 0
    record.json = answer?.json
  }

  /** Makes a call and resends it until answered, if allowed. Rejects only with SessionLost. */
  async function call(browser: Browser, options: CallOptions): Promise<CallRecord> {
    const { lane, method, path, acceptedStatuses = [], canResend = true, isWrite = method !== 'GET', signal } = options
    const record: CallRecord = { attempts: [], status: 0, json: undefined, acknowledged: false }
    const startedAt = Date.now()
    for (;;) {
      await attemptCall(browser, options, record)
      if (!isUndecided(record.status)) break
      if (!canResend || signal?.aborted) break
      if (Date.now() - startedAt > patienceMs) {
        reportViolation(
          'never answered',
          `${lane.client}: ${method} ${path} in ${patienceMs / 1_000} s (last ${record.status})`,
        )
        break
      }
      counts.resends += 1
      await sleep(100 + Math.random() * 200)
    }
    record.acknowledged = isAcknowledged(record.status)
    if (isUndecided(record.status)) counts.unknown += 1
    else {
      markServed(lane, record.attempts.at(-1)!.sentAt)
      if (!record.acknowledged && !acceptedStatuses.includes(record.status))
        reportViolation('refused', `${lane.client}: ${method} ${path}: ${record.status} ${JSON.stringify(record.json)}`)
    }
    if (isWrite) {
      if (record.acknowledged) counts.acknowledged += 1
      const { attempts, json } = record
      writeLine({
        client: lane.client,
        method,
        path,
        body: options.body,
        attempts,
        ...(!record.acknowledged && { json }),
      })
    }
    return record
  }

  return {
    call,
    limits,
    counts,
    violations,
    reportViolation,
    /** All writes to a stored field, by the field's name. */
    fieldWrites,
    lockActions,
    /** Records a write to a field that only one client writes. */
    recordWrite: (field: string, value: string, { attempts }: Pick<CallRecord, 'attempts'>) => {
      const writes = fieldWrites.get(field) ?? []
      writes.push(makeWrite(value, attempts, limits.unansweredMs))
      fieldWrites.set(field, writes)
    },
    recordLockAction: (personId: string, action: LockAction) => {
      const actions = lockActions.get(personId) ?? []
      actions.push(action)
      lockActions.set(personId, actions)
    },
    /** From now on this lane must be served again after a fault. */
    openLane: (lane: Lane) => void lanes.set(`${lane.area}: ${lane.client}`, lane),
    closeLane: (lane: Lane) => void lanes.delete(`${lane.area}: ${lane.client}`),
    /** Records that a lane works, other than by an answer to a call. */
    markServed,
    watchRecovery: (from: number, healedAt: number): RecoveryWatch => {
      watch = { from, healedAt, servedAfterMs: new Map() }
      return watch
    },
    /** The lanes that were not served since the start of the fault. */
    waitingLanes: ({ servedAfterMs }: RecoveryWatch): string[] =>
      [...lanes.keys()].filter(name => !servedAfterMs.has(name)),
    writeLine,
    close: () => new Promise<void>(resolve => (output ? output.end(resolve) : resolve())),
  }
}
