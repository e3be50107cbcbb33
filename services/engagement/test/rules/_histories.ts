import fc from 'fast-check'
import type { Input, ReportInput } from './_oracle.ts'

/*
 * Histories of one person with two login sessions and three videos. Locks are acquired, taken over,
 * released, and lost by the live store. Reports are honest or dishonest, late, repeated, or out of
 * order. `monitoring.stopped` arrives at any time.
 */

const pickWeighted = <T>(...weighted: [number, T][]) =>
  fc.constantFrom(...weighted.flatMap(([n, value]) => Array(n).fill(value)))

/** In ticks: shorter than the time between reports, ordinary, and longer than the bank. */
export const durations: Record<string, number> = { 'p:short': 20, 'p:middle': 200, 'p:long': 4000 }
const keys = Object.keys(durations)

const historyStep = fc.record({
  act: pickWeighted<string>(
    [14, 'report'],
    [3, 'late'],
    [3, 'acquire'],
    [2, 'release'],
    [2, 'stopped'],
    [2, 'arrive'],
    [2, 'repeat'],
    [1, 'restore'],
  ),
  sid: pickWeighted([3, 'a'], [1, 'b']),
  key: pickWeighted([2, 'p:middle'], [2, 'p:long'], [1, 'p:short']),
  type: pickWeighted<ReportInput['type']>([6, 'playing'], [3, 'play'], [1, 'pause'], [1, 'ended']),
  move: pickWeighted([7, 'played'], [1, 'seek'], [1, 'still'], [1, 'far']),
  clock: pickWeighted([9, 'right'], [1, 'absent'], [1, 'jump']),
  rate: pickWeighted([5, 1], [1, 2]),
  hidden: pickWeighted([20, false], [1, true]),
  elapsed: fc.oneof(
    { weight: 6, arbitrary: fc.nat(40) },
    { weight: 2, arbitrary: fc.nat(700) },
    { weight: 1, arbitrary: fc.nat(4) },
  ),
  pick: fc.nat(1000),
})

export type HistoryStep = typeof historyStep extends fc.Arbitrary<infer T> ? T : never

export const histories = (maxLength = 30) => fc.array(historyStep, { minLength: 4, maxLength })

export function playHistory(steps: readonly HistoryStep[]): Input[] {
  const inputs: Input[] = []
  const reports: ReportInput[] = []
  const lateReports: ReportInput[] = []
  const stops: Omit<Extract<Input, { kind: 'lock_interval' }>, 'now'>[] = []
  const last = new Map<string, { position: number; at: number }>()
  let now = 1000
  let clockOffset = 0
  let fence = 0
  let startedAt = 0
  let lock: ReportInput['lock']

  const stop = () => {
    if (!lock) return
    stops.push({ kind: 'lock_interval', fence: lock.fence, sid: lock.sid, from: startedAt, to: now })
    lock = undefined
  }
  const arrive = (report: ReportInput) => inputs.push({ ...report, now, lock: lock && { ...lock } })

  for (const step of steps) {
    now += step.elapsed
    const { sid, key, pick } = step
    switch (step.act) {
      case 'acquire':
        if (lock?.sid === sid) break
        stop()
        fence += 1
        startedAt = now
        lock = { sid, fence, acquiredAt: now }
        break
      case 'release':
        stop()
        break
      case 'restore':
        if (lock) lock.acquiredAt = now
        break
      case 'stopped':
        if (stops.length > 0) inputs.push({ ...stops[pick % stops.length]!, now })
        break
      case 'arrive':
        if (lateReports.length > 0) arrive(lateReports.splice(pick % lateReports.length, 1)[0]!)
        break
      case 'repeat':
        if (reports.length > 0) arrive(reports[pick % reports.length]!)
        break
      default: {
        const duration = durations[key]!
        const before = last.get(`${sid} ${key}`) ?? { position: 0, at: now }
        const position =
          step.move === 'played'
            ? Math.min(before.position + (now - before.at) * step.rate, duration + (pick % 4))
            : step.move === 'seek'
              ? pick % duration
              : step.move === 'far'
                ? duration + (pick % 8)
                : before.position
        last.set(`${sid} ${key}`, { position: Math.min(position, duration), at: now })
        if (step.clock === 'jump') clockOffset += (pick % 3) * 100 - 100
        const report: ReportInput = {
          kind: 'report',
          eventId: `${reports.length}`,
          sid,
          key: keys.includes(key) ? key : keys[0]!,
          type: pick % 40 === 0 ? 'playlist_completed' : step.type,
          position,
          rate: step.rate,
          clientTime: step.clock === 'absent' ? null : now + clockOffset,
          hidden: step.hidden,
          duration,
          now,
          lock: undefined,
        }
        reports.push(report)
        if (step.act === 'late') lateReports.push(report)
        else arrive(report)
      }
    }
  }
  return inputs
}
