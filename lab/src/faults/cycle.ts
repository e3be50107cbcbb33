import { setTimeout as sleep } from 'node:timers/promises'
import { type CallLog, drainLimitMs, patienceMs } from './call-log.ts'
import type { Fault } from './faults.ts'

export interface CycleFigures {
  kinds: string[]
  /** From the end of the fault until every client was served again. */
  recoveredMs: number
  /** The lane that waited longest. */
  slowestLane: string
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
  /**
   * Waits until all events before `mark` are published and consumed. Resolves to the last missing
   * events.
   */
  drainEvents(mark: number, limitMs: number): Promise<string>
  /** The checks of every cycle. */
  runChecks(): Promise<void>
}

/**
 * One cycle: injects faults under load, waits until every lane is served again, runs the checks.
 */
export async function runCycle(options: CycleOptions): Promise<CycleFigures> {
  const { faults, leadMs, recoveryLimitMs, callLog, drainEvents, runChecks } = options
  const countsBefore = { ...callLog.counts }
  const violationsBefore = callLog.violations.length
  await sleep(leadMs)
  const kinds = faults.map(fault => fault.kind)
  callLog.writeLine({ cycle: kinds, at: Date.now() })
  const injections = await Promise.all(faults.map(fault => fault.inject()))
  const healedAt = Math.max(...injections.map(injection => injection.healedAt))
  const watch = callLog.watchRecovery(Math.min(...injections.map(injection => injection.injectedAt)), healedAt)
  callLog.writeLine({ healed: kinds, at: healedAt })

  while (callLog.waitingLanes(watch).length > 0 && Date.now() < healedAt + patienceMs) await sleep(25)
  const waiting = callLog.waitingLanes(watch)
  const [slowestLane = '', recoveredMs = 0] = [...watch.servedAfterMs].sort(([, a], [, b]) => b - a)[0] ?? []
  if (waiting.length > 0)
    callLog.reportViolation(
      'slow recovery',
      `${kinds.join(' and ')}: not served in ${patienceMs / 1_000} s: ${waiting}`,
    )
  else if (recoveredMs > recoveryLimitMs)
    callLog.reportViolation(
      'slow recovery',
      `${kinds.join(' and ')}: ${slowestLane} after ${(recoveredMs / 1_000).toFixed(1)} s`,
    )

  const mark = Date.now()
  const lastEvents = await drainEvents(mark, drainLimitMs)
  const drainedMs = Date.now() - mark
  if (drainedMs > recoveryLimitMs)
    callLog.reportViolation(
      'slow events',
      `${kinds.join(' and ')}: events took ${(drainedMs / 1_000).toFixed(1)} s, last ${lastEvents}`,
    )
  await runChecks()
  return {
    kinds,
    recoveredMs: waiting.length > 0 ? patienceMs : recoveredMs,
    slowestLane: waiting[0] ?? slowestLane,
    drainedMs,
    requests: callLog.counts.requests - countsBefore.requests,
    acknowledged: callLog.counts.acknowledged - countsBefore.acknowledged,
    resends: callLog.counts.resends - countsBefore.resends,
    violations: callLog.violations.length - violationsBefore,
  }
}
