import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import type { Person } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { Logger } from '@watchline/kit/observability/log'
import type { Metrics } from '@watchline/kit/observability/metrics'
import type { Said } from '../../rules/hints.ts'
import { openStream, type StreamBounds } from './browser-stream.ts'
import type { Places } from './org-positions.ts'
import { createRegistry, type Open } from './stream-registry.ts'

/** The open streams of this replica. */
export interface Streams extends Lifecycle {
  readonly size: number
  /** Refuses whoever may not have one: their session has ended, or this replica is. */
  admit(sid: string): Promise<void>
  open(res: ServerResponse, caller: { person: Person; sid: string; missed: boolean }): void
  say(said: Pick<Said, 'hint' | 'to' | 'last'>): void
  /** Somebody was given another role, supervisor or manager. */
  moved(person: Person): void
  /** Something may have been missed here: everybody is told so, and what can be looked up is. */
  missed(): Promise<void>
}

export interface StreamsOptions {
  places: Places
  live: LiveStore
  clock: Clock
  log: Logger
  metrics: Metrics
  bounds?: Partial<StreamBounds>
}

/** Sessions that ended so lately that a request of theirs may still be on its way. */
const endedLatelyMs = 60_000
/** Everybody asks again after a `hello`: they are told over this time, not at once. */
const spreadMs = 2_000
const spreadSteps = 20
const lookMs = 60_000
const lookedAtTogether = 500

export function createStreams({ places, live, clock, log, metrics, ...options }: StreamsOptions): Streams {
  const bounds: StreamBounds = {
    heartbeatMs: limits.streamHeartbeatMs,
    lifeMs: limits.streamLifeMs,
    bufferBytes: limits.streamBufferBytes,
    perPerson: limits.streamsPerPerson,
    ...options.bounds,
  }
  const registry = createRegistry()
  const replica = randomBytes(4).toString('hex')
  const endedLately = new Map<string, number>()
  const telling = new Set<NodeJS.Timeout>()
  const hints = metrics.counter('watchline_hints_total', 'Hints said to browsers, by type', ['type'])
  metrics.gauge('watchline_streams_open', 'Open live streams', () => registry.size)
  let told = 0
  let stopping = false
  let looking: NodeJS.Timeout | undefined

  function endSession(sid: string) {
    const now = clock.now()
    endedLately.delete(sid)
    endedLately.set(sid, now)
    for (const [each, at] of endedLately) {
      if (at > now - endedLatelyMs) break
      endedLately.delete(each)
    }
  }

  function say({ hint, to, last }: Pick<Said, 'hint' | 'to' | 'last'>) {
    if (last) for (const whom of to) if ('sid' in whom) endSession(whom.sid)
    for (const open of registry.of(to)) {
      open.say(hint)
      if (last) open.end()
    }
  }

  const signOut = (sid: string) => say({ hint: { type: 'session', what: 'signed_out' }, to: [{ sid }], last: true })

  /** What was missed about people, and about ended sessions, can be looked up. */
  async function lookAgain() {
    try {
      for (const sid of await live.revocations.all(clock.now())) if (registry.of([{ sid }]).size > 0) signOut(sid)
      const ids = registry.people()
      for (let at = 0; at < ids.length; at += lookedAtTogether) {
        const people = await Promise.all(ids.slice(at, at + lookedAtTogether).map(places.of))
        for (const person of people) if (person) registry.moved(person)
      }
    } catch (error) {
      log.warn({ err: error }, 'the open streams were not looked through')
    }
  }

  function sayTo(opens: readonly Open[], hint: Hint) {
    for (const open of opens) open.say(hint)
  }

  return {
    get size() {
      return registry.size
    },
    admit: async sid => {
      if (stopping) fail('unavailable', { retryAfterS: 1 })
      // Gateways know it too; away, the live store shuts nobody out.
      const ended = endedLately.has(sid) || (await live.revocations.has(sid, clock.now()).catch(() => false))
      if (ended) fail('no_session')
    },
    open: (res, { person, sid, missed }) => {
      const stream = openStream(res, {
        bounds,
        missed,
        endsAt: clock.now() + bounds.lifeMs * (0.9 + Math.random() * 0.2),
        now: () => clock.now(),
        nextId: () => `${replica}-${(told++).toString(36)}`,
        said: hint => hints.inc({ type: hint.type }),
        closed: () => registry.remove(open),
      })
      const open: Open = Object.assign(stream, { personId: person.id, sid })
      registry.add(open, places.newest(person))
      const theirs = registry.ofPerson(person.id)
      if (theirs.length > bounds.perPerson) theirs[0]!.end()
      // Between being admitted and now it may all have ended.
      if (stopping || endedLately.has(sid)) stream.end()
    },
    say,
    moved: registry.moved,
    missed: async () => {
      const all = registry.all()
      const atOnce = Math.ceil(all.length / spreadSteps)
      for (let step = 0; step * atOnce < all.length; step += 1) {
        const part = all.slice(step * atOnce, (step + 1) * atOnce)
        const timer = setTimeout(
          () => {
            telling.delete(timer)
            sayTo(part, { type: 'hello', missed: true })
          },
          (step * spreadMs) / spreadSteps,
        )
        telling.add(timer)
      }
      await lookAgain()
    },
    start: signal => {
      looking = setInterval(() => void lookAgain(), lookMs * (0.75 + Math.random() / 2))
      // At once, before the server waits for what is under way: a stream never ends by itself in time.
      signal.addEventListener('abort', () => {
        stopping = true
        for (const timer of telling) clearTimeout(timer)
        for (const open of registry.all()) open.end()
      })
    },
    stop: () => clearInterval(looking),
  }
}
