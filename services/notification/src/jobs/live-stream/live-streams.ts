import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import type { Person } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { Logger } from '@watchline/kit/observability/log'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { type AudienceHint, spreadHint } from '../../rules/hints.ts'
import { openBrowserStream, type StreamBounds } from './browser-stream.ts'
import { createEndedSessions } from './ended-sessions.ts'
import type { OrgPositions } from './org-positions.ts'
import { createStreamRegistry, type OwnedStream } from './stream-registry.ts'

/** The open streams of this replica. */
export interface LiveStreams extends Lifecycle {
  readonly size: number
  /** Refuses a session that has ended (401), and everybody once this replica stops (503). */
  admit(sid: string): Promise<void>
  open(res: ServerResponse, caller: { person: Person; sid: string; missed: boolean }): void
  send(hint: Omit<AudienceHint, 'repeat' | 'isDelayed'>): void
  updatePosition(person: Person): void
  /** After a gap in the event feed: sends every stream a `hello` and rereads what it can. */
  recoverFromGap(): Promise<void>
}

export interface LiveStreamsDeps {
  positions: OrgPositions
  live: LiveStore
  clock: Clock
  log: Logger
  metrics: Metrics
  bounds?: Partial<StreamBounds>
}

/** A `hello` makes every page refetch: they are spread over this time. */
const helloSpreadMs = 2_000
const helloSteps = 20
const refreshPauseMs = 60_000
const peoplePerLookup = 500

export function createLiveStreams({ positions, live, clock, log, metrics, ...options }: LiveStreamsDeps): LiveStreams {
  const bounds: StreamBounds = {
    heartbeatMs: limits.streamHeartbeatMs,
    lifeMs: limits.streamLifetimeMs,
    bufferBytes: limits.streamBufferBytes,
    perPerson: limits.streamsPerPerson,
    ...options.bounds,
  }
  const registry = createStreamRegistry()
  const endedSessions = createEndedSessions(clock)
  const replica = randomBytes(4).toString('hex')
  const helloTimers = new Set<NodeJS.Timeout>()
  const hintCounter = metrics.counter('watchline_hints_total', 'Hints sent to browsers, by type', ['type'])
  metrics.gauge('watchline_streams_open', 'Open live streams', () => registry.size)
  let lastId = 0
  let isStopping = false
  const refreshJob = createRepeatedJob(refresh, { pauseMs: refreshPauseMs, jitter: true, onError: logRefreshFailure })

  function send({ hint, audiences, endsStream }: Omit<AudienceHint, 'repeat' | 'isDelayed'>) {
    if (endsStream) for (const audience of audiences) if ('sid' in audience) endedSessions.add(audience.sid)
    const receivers = registry.streamsFor(audiences)
    const sent = spreadHint(hint, receivers.size)
    for (const stream of receivers) {
      stream.send(sent)
      if (endsStream) stream.end()
    }
  }

  /** Applies missed events about ended sessions and about people: their state can be read again. */
  async function refresh() {
    for (const sid of await live.revocations.all(clock.now())) {
      const audiences = [{ sid }]
      if (registry.streamsFor(audiences).size > 0)
        send({ hint: { type: 'session', what: 'signed_out' }, audiences, endsStream: true })
    }
    const ids = registry.personIds()
    for (let start = 0; start < ids.length; start += peoplePerLookup) {
      const people = await Promise.all(ids.slice(start, start + peoplePerLookup).map(positions.find))
      for (const person of people) if (person) registry.updatePosition(person)
    }
  }

  function logRefreshFailure(error: unknown) {
    log.warn({ err: error }, 'refresh of open streams failed, retrying')
  }

  function sendHelloToAll() {
    const streams = registry.allStreams()
    const streamsPerStep = Math.ceil(streams.length / helloSteps)
    const hello: Hint = { type: 'hello', missed: true }
    for (let step = 0; step * streamsPerStep < streams.length; step += 1) {
      const batch = streams.slice(step * streamsPerStep, (step + 1) * streamsPerStep)
      const timer = setTimeout(
        () => {
          helloTimers.delete(timer)
          for (const stream of batch) stream.send(hello)
        },
        (step * helloSpreadMs) / helloSteps,
      )
      helloTimers.add(timer)
    }
  }

  return {
    get size() {
      return registry.size
    },
    admit: async sid => {
      if (isStopping) fail('unavailable', { retryAfterS: 1 })
      // Gateways check it too: without the live store this check passes.
      const hasEnded = endedSessions.has(sid) || (await live.revocations.has(sid, clock.now()).catch(() => false))
      if (hasEnded) fail('no_session')
    },
    open: (res, { person, sid, missed }) => {
      const browser = openBrowserStream(res, {
        bounds,
        missed,
        endsAt: clock.now() + bounds.lifeMs * (0.9 + Math.random() * 0.2),
        now: () => clock.now(),
        nextId: () => `${replica}-${(lastId++).toString(36)}`,
        onSent: hint => hintCounter.inc({ type: hint.type }),
        onClosed: () => registry.remove(stream),
      })
      const stream: OwnedStream = Object.assign(browser, { personId: person.id, sid })
      registry.add(stream, positions.newest(person))
      const streams = registry.streamsOf(person.id)
      if (streams.length > bounds.perPerson) streams[0]!.end()
      // The session or this replica may have ended since `admit`.
      if (isStopping || endedSessions.has(sid)) stream.end()
    },
    send,
    updatePosition: registry.updatePosition,
    recoverFromGap: async () => {
      sendHelloToAll()
      await refresh().catch(logRefreshFailure)
    },
    start: signal => {
      refreshJob.start(signal)
      // On the signal, before the server waits for open requests: a stream never ends by itself.
      signal.addEventListener('abort', () => {
        isStopping = true
        for (const timer of helloTimers) clearTimeout(timer)
        for (const stream of registry.allStreams()) stream.end()
      })
    },
    stop: () => refreshJob.stop(),
  }
}
