import { applyReport, countsReportsOf, fillBank, type Report } from '../../src/rules/crediting.ts'
import type { CreditingEffect } from '../../src/rules/watch-draft.ts'
import { emptyState, type LockInterval, type WatchState } from '../../src/rules/watch-state.ts'

/** How an honest person watches one video from beginning to end. Seconds. */
export interface Viewing {
  duration: number
  rate: number
  maxRate: number
  pauses: { at: number; length: number; signsInAgain: boolean }[]
  /** Of consecutive reports. The list repeats. */
  latencies: number[]
  /** One report at a time, as the outbox sends them. Otherwise independent, but in order. */
  serial: boolean
  lockLatency: number
  releaseLatency: number
  /** From the release to `monitoring.stopped`. */
  stoppedAfter: number
  /** Whether the service resolves unknown lock intervals. */
  asks: boolean
  /** Error of the client's clock. */
  clockOffset: number
  /** Event type at the end; some players never send `ended`. */
  end: 'ended' | 'playing' | 'pause'
  /** The last position lies past the duration. */
  past: number
}

export const plain: Viewing = {
  duration: 100,
  rate: 1,
  maxRate: 1,
  pauses: [],
  latencies: [0.05],
  serial: true,
  lockLatency: 0.1,
  releaseLatency: 0.05,
  stoppedAfter: 0.2,
  asks: true,
  clockOffset: 0,
  end: 'ended',
  past: 0,
}

export interface Viewed {
  state: WatchState
  completed: string[]
  heldS: number
}

interface Raised {
  at: number
  given: Report
}

const key = 'p:video'

/**
 * The client as designed: it acquires the lock, sends `play`, and `playing` every 10 s of playback.
 * A pause and the end send a report and release the lock. Only the next report waits for an answer.
 */
export function view(viewing: Viewing): Viewed {
  const { duration, rate, lockLatency, releaseLatency } = viewing
  const raised: Raised[] = []
  const holds: LockInterval[] = []
  const stops = [...viewing.pauses].sort((one, other) => one.at - other.at)
  let at = 1_000_000
  let position = 0
  let sessions = 1

  const raise = (type: Report['type'], seconds: number) =>
    raised.push({
      at,
      given: {
        eventId: `${raised.length}`,
        sid: `sid${sessions}`,
        key,
        type,
        position: seconds,
        rate,
        clientTime: (at + viewing.clockOffset) * 1000,
      },
    })

  for (const stop of [...stops, undefined]) {
    const until = stop ? Math.max(position, stop.at * duration) : duration
    const from = at + lockLatency / 2
    at += lockLatency
    raise('play', position)
    while (until - position > 10) {
      position += 10
      at += 10 / rate
      raise('playing', position)
    }
    at += (until - position) / rate
    position = until
    raise(stop ? 'pause' : viewing.end, stop ? position : position + viewing.past)
    const to = at + releaseLatency
    holds.push({ fence: holds.length + 1, sid: `sid${sessions}`, from: from * 1000, to: to * 1000 })
    at += Math.max(stop?.length ?? 0, releaseLatency)
    if (stop?.signsInAgain) sessions += 1
  }
  return serve(viewing, raised, holds)
}

function serve(viewing: Viewing, raised: Raised[], holds: LockInterval[]): Viewed {
  const rules = { maxPlaybackRate: viewing.maxRate }
  const arrivals: { at: number; take: (state: WatchState) => CreditingEffect }[] = []
  let free = 0
  raised.forEach(({ at, given }, index) => {
    const latency = viewing.latencies[index % viewing.latencies.length]!
    const arrived = viewing.serial ? Math.max(at, free) + latency / 2 : Math.max(at + latency, free)
    free = viewing.serial ? arrived + latency / 2 : arrived
    const now = arrived * 1000
    const held = holds.find(each => each.from <= now && now < each.to)
    const lock = held && { sid: held.sid, fence: held.fence, acquiredAt: held.from }
    // A report between release and `monitoring.stopped`: the service asks for the last interval.
    const latest = holds.findLast(each => each.to <= now)
    const asked = (state: WatchState) =>
      latest && viewing.asks && !countsReportsOf(state, given.sid, lock)
        ? fillBank(state, latest, now, rules)
        : undefined
    arrivals.push({
      at: now,
      take: state => {
        const told = asked(state)
        const effect = applyReport(told?.state ?? state, given, { now, lock, duration: viewing.duration }, rules)
        return { ...effect, completed: [...(told?.completed ?? []), ...effect.completed] }
      },
    })
  })
  for (const hold of holds) {
    const now = hold.to + viewing.stoppedAfter * 1000
    arrivals.push({ at: now, take: state => fillBank(state, hold, now, rules) })
  }
  arrivals.sort((one, other) => one.at - other.at)

  let state = emptyState
  const completed: string[] = []
  for (const { take } of arrivals) {
    const effect = take(state)
    state = effect.state
    completed.push(...effect.completed)
  }
  return { state, completed, heldS: holds.reduce((sum, { from, to }) => sum + to - from, 0) / 1000 }
}
