import type { NoteCode } from '../../src/rules/watch-state.ts'

/*
 * A slow, independent implementation of the rules. It divides time and videos into ticks of half a
 * second and stores each locked, waiting and watched tick. It judges a report by the log of all
 * earlier reports.
 */

export const tickS = 0.5
const overdraft = 3 / tickS
/** Of lock time. */
const maxBank = 300 / tickS
/** Of lock time, which the waiting seconds need. */
const maxWaiting = 300 / tickS
const maxElapsed = 300 / tickS
const tolerance = 1 / tickS

/** All instants, positions and lengths in ticks. */
export interface LockIntervalInput {
  kind: 'lock_interval'
  fence: number
  sid: string
  from: number
  to: number
  now: number
}

export interface ReportInput {
  kind: 'report'
  eventId: string
  sid: string
  key: string
  type: 'play' | 'playing' | 'pause' | 'ended' | 'playlist_completed'
  position: number
  rate: number
  clientTime: number | null
  hidden: boolean
  duration: number
  now: number
  lock: { sid: string; fence: number; acquiredAt: number } | undefined
}

export type Input = LockIntervalInput | ReportInput

export interface ExpectedVideo {
  watched: number[]
  watchTime: number
  notes: Partial<Record<NoteCode, { times: number; seconds: number }>>
  completedAt: number | null
}

export interface Expected {
  balance: number
  waiting: string[]
  videos: Record<string, ExpectedVideo>
  completed: string[]
}

export function runOracle(inputs: readonly Input[], maxRate: number): Expected {
  const lockedTicks = new Set<number>()
  const fences = new Map<number, { sid: string; from: number; to: number }>()
  const log: ReportInput[] = []
  const ids = new Set<string>()
  const durations = new Map<string, number>()
  const watched = new Map<string, Set<number>>()
  const videos: Record<string, ExpectedVideo> = {}
  const completed: string[] = []
  const waiting: { key: string; tick: number }[] = []
  let balance = 0

  const videoOf = (key: string) => {
    videos[key] ??= { watched: [], watchTime: 0, notes: {}, completedAt: null }
    return videos[key]
  }

  const note = (key: string, code: NoteCode, ticks: number) => {
    const { notes } = videoOf(key)
    notes[code] ??= { times: 0, seconds: 0 }
    notes[code].times += 1
    notes[code].seconds += ticks * tickS
  }

  const payWaiting = (now: number) => {
    while (waiting.length > 0 && balance > -overdraft) {
      const { key, tick } = waiting.shift()!
      balance -= 1
      const video = videoOf(key)
      video.watchTime += tickS
      if (!watched.has(key)) watched.set(key, new Set())
      watched.get(key)!.add(tick)
      if (video.completedAt === null && watched.get(key)!.size * 10 >= durations.get(key)! * 9) {
        video.completedAt = now
        completed.push(key)
      }
    }
  }

  const addLockInterval = (fence: number, sid: string, from: number, to: number, now: number) => {
    const stored = fences.get(fence) ?? { sid, from, to }
    fences.set(fence, { sid: stored.sid, from: Math.min(stored.from, from), to: Math.max(stored.to, to) })
    const interval = fences.get(fence)!
    for (let instant = interval.from; instant < interval.to; instant += 1) {
      if (lockedTicks.has(instant)) continue
      lockedTicks.add(instant)
      balance += maxRate
      payWaiting(now)
      balance = Math.min(balance, maxBank * maxRate)
    }
  }

  const isCounted = (input: ReportInput) => {
    if (input.lock) return input.lock.sid === input.sid
    const latest = Math.max(...fences.keys())
    return fences.get(latest)?.sid === input.sid
  }

  for (const input of inputs) {
    if (input.kind === 'lock_interval') {
      addLockInterval(input.fence, input.sid, input.from, input.to, input.now)
      continue
    }
    if (ids.has(input.eventId)) continue
    const { key, sid, type, now, lock } = input
    if (type !== 'playlist_completed' && input.position > input.duration + 2 / tickS) continue
    ids.add(input.eventId)
    if (lock) addLockInterval(lock.fence, lock.sid, lock.acquiredAt, now, now)
    if (type === 'playlist_completed') continue
    videoOf(key)
    durations.set(key, input.duration)
    const report = { ...input, position: Math.min(input.position, input.duration) }

    const last = log.findLast(logged => logged.key === key && logged.sid === sid)
    const before = last && (last.type === 'play' || last.type === 'playing') ? last : undefined
    const hasClientTimes = before && before.clientTime !== null && report.clientTime !== null
    if (
      type !== 'play' &&
      hasClientTimes &&
      report.clientTime! < before.clientTime! &&
      report.position <= before.position
    )
      continue
    const reached = log.findLast(logged => logged.key === key)?.position
    log.push(report)
    if ((type === 'play' || !before) && reached !== undefined && isCounted(input)) {
      const knownTicks = new Set([
        ...(watched.get(key) ?? []),
        ...waiting.filter(candidate => candidate.key === key).map(({ tick }) => tick),
      ])
      let jumped = 0
      for (let tick = reached; tick < report.position; tick += 1) if (!knownTicks.has(tick)) jumped += 1
      if (jumped > tolerance + (before ? 10 / tickS : 0)) note(key, 'skipped', jumped)
    }

    const distance = before && type !== 'play' ? report.position - before.position : 0
    const elapsed = before ? (hasClientTimes ? report.clientTime! - before.clientTime! : now - before.now) : -1
    const fastest = Math.max(before?.rate ?? 0, report.rate)
    const isBelievable = distance > 0 && elapsed >= 0 && distance <= Math.min(elapsed, maxElapsed) * fastest + tolerance
    if (!isCounted(input)) {
      const ends = type === 'pause' || type === 'ended'
      const changesDevice =
        ends && [...fences.values()].some(({ sid: owner, to }) => owner === sid && to >= now - 40 / tickS)
      if (isBelievable && !changesDevice) note(key, 'elsewhere', distance)
      else if (!ends) note(key, 'elsewhere', 0)
    } else if (isBelievable && report.hidden) note(key, 'hidden', distance)
    else if (isBelievable) {
      for (let tick = before!.position; tick < report.position; tick += 1) waiting.push({ key, tick })
      payWaiting(now)
      const excess = waiting.length - maxWaiting * maxRate
      if (excess > 0) {
        waiting.length = maxWaiting * maxRate
        note(key, 'too_fast', excess)
      }
    } else if (distance > 0) note(key, 'skipped', distance)
  }

  for (const [key, ticks] of watched) videos[key]!.watched = [...ticks].sort((left, right) => left - right)
  return { balance: balance * tickS, waiting: waiting.map(({ key, tick }) => `${key} ${tick}`), videos, completed }
}
