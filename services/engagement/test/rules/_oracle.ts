import type { NoteCode } from '../../src/rules/watch-state.ts'

/*
 * A slow, independent implementation of the rules. It cuts time and videos into ticks of half a
 * second and stores each locked, waiting and watched tick. It interprets a report by the log of all
 * reports.
 */

export const tickS = 0.5
const overdraft = 3 / tickS
const mostInBank = 300 / tickS
const mostWaiting = 300 / tickS
const longestStep = 300 / tickS
const tolerance = 1 / tickS

/** All instants, positions and lengths in ticks. */
export interface HoldInput {
  kind: 'hold'
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

export type Input = HoldInput | ReportInput

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

export function expectedOf(inputs: readonly Input[], maxRate: number): Expected {
  const held = new Set<number>()
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

  const pay = (now: number) => {
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

  const hold = (fence: number, sid: string, from: number, to: number, now: number) => {
    const known = fences.get(fence) ?? { sid, from, to }
    fences.set(fence, { sid: known.sid, from: Math.min(known.from, from), to: Math.max(known.to, to) })
    const all = fences.get(fence)!
    for (let instant = all.from; instant < all.to; instant += 1) {
      if (held.has(instant)) continue
      held.add(instant)
      balance += maxRate
      pay(now)
      balance = Math.min(balance, mostInBank)
    }
  }

  const counts = (input: ReportInput) => {
    if (input.lock) return input.lock.sid === input.sid
    const latest = Math.max(...fences.keys())
    return fences.get(latest)?.sid === input.sid
  }

  for (const input of inputs) {
    if (input.kind === 'hold') {
      hold(input.fence, input.sid, input.from, input.to, input.now)
      continue
    }
    if (ids.has(input.eventId)) continue
    const { key, sid, type, now, lock } = input
    if (type !== 'playlist_completed' && input.position > input.duration + 2 / tickS) continue
    ids.add(input.eventId)
    if (lock) hold(lock.fence, lock.sid, lock.acquiredAt, now, now)
    if (type === 'playlist_completed') continue
    videoOf(key)
    durations.set(key, input.duration)
    const here = { ...input, position: Math.min(input.position, input.duration) }

    const last = log.findLast(each => each.key === key && each.sid === sid)
    const before = last && (last.type === 'play' || last.type === 'playing') ? last : undefined
    const clocks = before && before.clientTime !== null && here.clientTime !== null
    if (type !== 'play' && clocks && here.clientTime! < before.clientTime! && here.position <= before.position) continue
    const reached = log.findLast(each => each.key === key)?.position
    log.push(here)
    if ((type === 'play' || !before) && reached !== undefined && counts(input)) {
      const known = new Set([
        ...(watched.get(key) ?? []),
        ...waiting.filter(each => each.key === key).map(each => each.tick),
      ])
      let jumped = 0
      for (let tick = reached; tick < here.position; tick += 1) if (!known.has(tick)) jumped += 1
      if (jumped > tolerance + (before ? 10 / tickS : 0)) note(key, 'skipped', jumped)
    }

    const way = before && type !== 'play' ? here.position - before.position : 0
    const elapsed = before ? (clocks ? here.clientTime! - before.clientTime! : now - before.now) : -1
    const fastest = Math.max(before?.rate ?? 0, here.rate)
    const believable = way > 0 && elapsed >= 0 && way <= Math.min(elapsed, longestStep) * fastest + tolerance
    if (!counts(input)) {
      if (believable) note(key, 'elsewhere', way)
      else if (type === 'play' || type === 'playing') note(key, 'elsewhere', 0)
    } else if (believable && here.hidden) note(key, 'hidden', way)
    else if (believable) {
      for (let tick = before!.position; tick < here.position; tick += 1) waiting.push({ key, tick })
      pay(now)
      const excess = waiting.length - mostWaiting
      if (excess > 0) {
        waiting.length = mostWaiting
        note(key, 'too_fast', excess)
      }
    } else if (way > 0) note(key, 'skipped', way)
  }

  for (const [key, ticks] of watched) videos[key]!.watched = [...ticks].sort((one, other) => one - other)
  return { balance: balance * tickS, waiting: waiting.map(({ key, tick }) => `${key} ${tick}`), videos, completed }
}
