import { setTimeout as sleep } from 'node:timers/promises'
import type { CallLog } from './call-log.ts'
import type { Fault } from './faults.ts'

/** Events may wait this long at most. */
const drainLimitMs = 60_000
/** Beyond the promised limit, to measure how long recovery really takes. */
const patienceMs = 60_000

export interface CycleFigures {
  kinds: string[]
  /** From the end of the fault until every client was served again. */
  recoveredMs: number
  /** The lane that waited longest. */
  last: string
  drainedMs: number
  requests: number
  acknowledged: number
  resends: number
  violations: number
}

export interface CycleOptions {
  faults: readonly Fault[]
  /** How long the load runs undisturbed before the fault. */
  leadMs: number
  /** The limit for recovery after the end of the last fault. */
  recoveryLimitMs: number
  callLog: CallLog
  /** Resolves when all events before `mark` were published and consumed, with those it waited for last. */
  drained(mark: number, limitMs: number): Promise<string>
  /** The checks of every cycle. */
  check(): Promise<void>
}

/** One cycle: injects faults under load, waits until every lane is served again, runs the checks. */
export async function runCycle(options: CycleOptions): Promise<CycleFigures> {
  const { faults, leadMs, recoveryLimitMs, callLog, drained, check } = options
  const before = { ...callLog.counts }
  const violationsBefore = callLog.violations.length
  await sleep(leadMs)
  const kinds = faults.map(each => each.kind)
  callLog.note({ cycle: kinds, at: Date.now() })
  const struck = await Promise.all(faults.map(each => each.strike()))
  const healedAt = Math.max(...struck.map(each => each.healedAt))
  const watch = callLog.watch(Math.min(...struck.map(each => each.injectedAt)), healedAt)
  callLog.note({ healed: kinds, at: healedAt })

  while (callLog.waiting(watch).length > 0 && Date.now() < healedAt + patienceMs) await sleep(25)
  const waiting = callLog.waiting(watch)
  const [last = '', recoveredMs = 0] = [...watch.served].sort(([, one], [, other]) => other - one)[0] ?? []
  if (waiting.length > 0)
    callLog.violation('slow recovery', `${kinds.join(' and ')}: not served in ${patienceMs / 1_000} s: ${waiting}`)
  else if (recoveredMs > recoveryLimitMs)
    callLog.violation('slow recovery', `${kinds.join(' and ')}: ${last} after ${(recoveredMs / 1_000).toFixed(1)} s`)

  const mark = Date.now()
  const lastEvents = await drained(mark, drainLimitMs)
  const drainedMs = Date.now() - mark
  if (drainedMs > recoveryLimitMs)
    callLog.violation(
      'slow events',
      `${kinds.join(' and ')}: events took ${(drainedMs / 1_000).toFixed(1)} s, last ${lastEvents}`,
    )
  await check()
  return {
    kinds,
    recoveredMs: waiting.length > 0 ? patienceMs : recoveredMs,
    last: waiting[0] ?? last,
    drainedMs,
    requests: callLog.counts.requests - before.requests,
    acknowledged: callLog.counts.acknowledged - before.acknowledged,
    resends: callLog.counts.resends - before.resends,
    violations: callLog.violations.length - violationsBefore,
  }
}
