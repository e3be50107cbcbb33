import { limits } from '@watchline/contracts/limits'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../observability/log.ts'
import type { LiveStore, PresenceReport } from './live-store.ts'

export interface PresenceRecorderOptions {
  live: LiveStore
  clock: Clock
  log: Logger
}

/** Tells the live store who was active, off the path of the request that showed it. */
export interface PresenceRecorder {
  /** A sign of life of a login session; `loginTime` in ms. Costs nothing when it was noted less than 10 s ago. */
  note(personId: string, sid: string, loginTime: number): void
  /** The session has ended: what waits for it is not written any more, and what is just being written is taken back. */
  forget(personId: string, sid: string): void
  start(): void
  /** Writes what waits. */
  stop(): Promise<void>
}

const flushMs = 250
const batchSize = 1_000
const rememberedSessions = 100_000

/**
 * Collects the sightings of a quarter of a second into one pipelined write, at most one a session in limits.presenceNoteMs.
 * Presence may be forgotten: when the live store is away, sightings are dropped and the next activity notes anew.
 */
export function createPresenceRecorder({ live, clock, log }: PresenceRecorderOptions): PresenceRecorder {
  const notedAt = new LRUCache<string, number>({ max: rememberedSessions })
  let waiting = new Map<string, PresenceReport>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let underWay: ReadonlyMap<string, PresenceReport> | undefined
  let away = false

  const keyOf = (personId: string, sid: string) => `${personId} ${sid}`

  function write(): Promise<void> {
    if (writing || waiting.size === 0) return writing ?? Promise.resolve()
    const batch = waiting
    waiting = new Map()
    underWay = batch
    writing = writeBatch(batch).finally(() => {
      writing = undefined
      underWay = undefined
    })
    return writing
  }

  async function writeBatch(batch: Map<string, PresenceReport>) {
    try {
      const sightings = [...batch.values()]
      for (let at = 0; at < sightings.length; at += batchSize)
        await live.presence.note(sightings.slice(at, at + batchSize))
      away = false
    } catch (error) {
      for (const key of batch.keys()) notedAt.delete(key)
      if (!away) log.warn({ err: error }, 'presence is not noted')
      away = true
    }
  }

  return {
    note: (personId, sid, loginTime) => {
      const key = keyOf(personId, sid)
      const at = clock.now()
      const last = notedAt.get(key)
      if (last !== undefined && at - last < limits.presenceNoteMs) return
      notedAt.set(key, at)
      waiting.set(key, { personId, sid, loginTime, at })
    },
    forget: (personId, sid) => {
      const key = keyOf(personId, sid)
      waiting.delete(key)
      notedAt.delete(key)
      if (underWay?.has(key)) void writing?.then(() => live.presence.forget(personId, sid)).catch(() => {})
    },
    start: () => {
      timer = setInterval(() => void write(), flushMs)
    },
    stop: async () => {
      clearInterval(timer)
      timer = undefined
      await writing
      await write()
    },
  }
}
