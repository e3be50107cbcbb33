import { setTimeout as sleep } from 'node:timers/promises'
import type { CallLog } from './call-log.ts'
import type { Fault } from './faults.ts'

/** Events wait no longer either. */
const drainLimitMs = 60_000
/** Waited for all the same, to know how long it took. */
const patienceMs = 60_000

export interface CycleFigures {
  kinds: string[]
  /** From the end of the fault until every client was served, and all events were consumed, again. */
  recoveredMs: number
  /** Who waited longest. */
  last: string
  drainedMs: number
  requests: number
  acknowledged: number
  resends: number
  violations: number
}

export interface CycleOptions {
  faults: readonly Fault[]
  /** How long the load runs undisturbed before. */
  leadMs: number
  /** So long after the last fault is over everything works again. */
  recoveryLimitMs: number
  callLog: CallLog
  /** Resolves when all events of before `mark` have been published and consumed, to what was waited for last. */
  drained(mark: number, limitMs: number): Promise<string>
  /** Checks that are cheap enough for every cycle. */
  check(): Promise<void>
}

/** One cycle: strike under load, wait until everybody is served again, look. */
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
