import { applyReport, fillBank, isCreditedSession, type Report } from '../../src/rules/crediting.ts'
import type { CreditingEffect } from '../../src/rules/watch-draft.ts'
import { emptyState, type LockInterval, type WatchState } from '../../src/rules/watch-state.ts'

/** How an honest person watches one video from beginning to end. All times are seconds. */
export interface Viewing {
  duration: number
  rate: number
  maxRate: number
  pauses: { at: number; length: number; signsInAgain: boolean }[]
  /** Latencies of consecutive reports. The list repeats. */
  latencies: number[]
  /** True: one report at a time, as the outbox sends them. False: independent, but in order. */
  serial: boolean
  lockLatency: number
  releaseLatency: number
  /** From the release to `monitoring.stopped`. */
  stoppedAfter: number
  /** Whether the service resolves unknown lock intervals. */
  resolvesIntervals: boolean
  /** Error of the client's clock. */
  clockOffset: number
  /** Event type at the end; some players never send `ended`. */
  end: 'ended' | 'playing' | 'pause'
  /** The last position lies past the duration. */
  past: number
}

export const plainViewing: Viewing = {
  duration: 100,
  rate: 1,
  maxRate: 1,
  pauses: [],
  latencies: [0.05],
  serial: true,
  lockLatency: 0.1,
  releaseLatency: 0.05,
  stoppedAfter: 0.2,
  resolvesIntervals: true,
  clockOffset: 0,
  end: 'ended',
  past: 0,
}

export interface ViewingResult {
  state: WatchState
  completed: string[]
  heldS: number
}

interface SentReport {
  at: number
  report: Report
}

const key = 'p:video'

/**
 * Simulates the client: it acquires the lock, sends `play`, and `playing` every 10 s of playback. A
 * pause and the end send a report and release the lock.
 */
export function simulateViewing(viewing: Viewing): ViewingResult {
  const { duration, rate, lockLatency, releaseLatency } = viewing
  const sentReports: SentReport[] = []
  const lockIntervals: LockInterval[] = []
  const stops = [...viewing.pauses].sort((left, right) => left.at - right.at)
  let now = 1_000_000
  let position = 0
  let sessions = 1

  const sendReport = (type: Report['type'], seconds: number) =>
    sentReports.push({
      at: now,
      report: {
        eventId: `${sentReports.length}`,
        sid: `sid${sessions}`,
        key,
        type,
        position: seconds,
        rate,
        clientTime: (now + viewing.clockOffset) * 1000,
      },
    })

  for (const stop of [...stops, undefined]) {
    const until = stop ? Math.max(position, stop.at * duration) : duration
    const from = now + lockLatency / 2
    now += lockLatency
    sendReport('play', position)
    while (until - position > 10) {
      position += 10
      now += 10 / rate
      sendReport('playing', position)
    }
    now += (until - position) / rate
    position = until
    sendReport(stop ? 'pause' : viewing.end, stop ? position : position + viewing.past)
    const to = now + releaseLatency
    lockIntervals.push({ fence: lockIntervals.length + 1, sid: `sid${sessions}`, from: from * 1000, to: to * 1000 })
    now += Math.max(stop?.length ?? 0, releaseLatency)
    if (stop?.signsInAgain) sessions += 1
  }
  return applyInArrivalOrder(viewing, sentReports, lockIntervals)
}

function applyInArrivalOrder(
  viewing: Viewing,
  sentReports: SentReport[],
  lockIntervals: LockInterval[],
): ViewingResult {
  const rules = { maxPlaybackRate: viewing.maxRate }
  const arrivals: { at: number; apply: (state: WatchState) => CreditingEffect }[] = []
  let free = 0
  sentReports.forEach(({ at, report }, index) => {
    const latency = viewing.latencies[index % viewing.latencies.length]!
    const arrived = viewing.serial ? Math.max(at, free) + latency / 2 : Math.max(at + latency, free)
    free = viewing.serial ? arrived + latency / 2 : arrived
    const now = arrived * 1000
    const current = lockIntervals.find(interval => interval.from <= now && now < interval.to)
    const lock = current && { sid: current.sid, fence: current.fence, acquiredAt: current.from }
    // For a report between release and `monitoring.stopped` the service requests the last interval.
    const latest = lockIntervals.findLast(interval => interval.to <= now)
    const resolveInterval = (state: WatchState) =>
      latest && viewing.resolvesIntervals && !isCreditedSession(state, report.sid, lock)
        ? fillBank(state, latest, now, rules)
        : undefined
    arrivals.push({
      at: now,
      apply: state => {
        const resolved = resolveInterval(state)
        const effect = applyReport(resolved?.state ?? state, report, { now, lock, duration: viewing.duration }, rules)
        return { ...effect, completed: [...(resolved?.completed ?? []), ...effect.completed] }
      },
    })
  })
  for (const interval of lockIntervals) {
    const now = interval.to + viewing.stoppedAfter * 1000
    arrivals.push({ at: now, apply: state => fillBank(state, interval, now, rules) })
  }
  arrivals.sort((left, right) => left.at - right.at)

  let state = emptyState
  const completed: string[] = []
  for (const { apply: take } of arrivals) {
    const effect = take(state)
    state = effect.state
    completed.push(...effect.completed)
  }
  return { state, completed, heldS: lockIntervals.reduce((sum, { from, to }) => sum + to - from, 0) / 1000 }
}
