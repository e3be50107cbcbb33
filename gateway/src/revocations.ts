import { cloudEvent, events } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { EventBus, Subscription } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'

export interface Revocations {
  has(sid: string, now: number): boolean
  start(): Promise<void>
  stop(): Promise<void>
}

const reloadMs = 30_000
const retryMs = 1_000
/** An access token outlives its session by its own life at most; a minute for clocks that differ. */
const keepMs = (limits.accessTokenTtlS + 60) * 1_000

/**
 * The login sessions that have ended while their access tokens are still good, kept in memory so that a request costs no
 * lookup: followed by event, loaded from the live store at start, after every reconnection of the bus, and every 30 s in case
 * an event was lost. When the live store is away at start the gateway serves all the same and keeps trying: access tokens
 * live for ten minutes, and shutting everybody out would be worse than a late sign-out.
 */
export function createRevocations(options: {
  bus: EventBus
  live: LiveStore
  clock: Clock
  log: Logger
  /** Called once for every session that is found to have ended; whose it was only an event says. */
  ended(sid: string, personId?: string): void
}): Revocations {
  const { bus, live, clock, log, ended } = options
  const until = new Map<string, number>()
  let subscription: Subscription | undefined
  let timer: NodeJS.Timeout | undefined
  let running = false

  function add(sid: string, now: number, personId?: string) {
    const known = until.has(sid)
    until.set(sid, now + keepMs)
    if (!known) ended(sid, personId)
  }

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    let next = reloadMs
    try {
      const now = clock.now()
      for (const sid of await live.revocations.all(now)) add(sid, now)
      for (const [sid, end] of until) if (end <= now) until.delete(sid)
    } catch (error) {
      log.warn({ err: error }, 'revocations not loaded; trying again')
      next = retryMs
    }
    if (!running) return
    clearTimeout(timer)
    timer = setTimeout(load, next)
  }

  return {
    has: (sid, now) => {
      const end = until.get(sid)
      return end !== undefined && end > now
    },
    start: async () => {
      running = true
      bus.onReconnect(() => {
        if (running) void load()
      })
      // Followed first: what is revoked between the two is then in one of them.
      subscription = await bus.subscribeLive({ types: ['session.revoked'] }, raw => {
        const data = events['session.revoked'].data.safeParse(cloudEvent.safeParse(raw).data?.data)
        if (data.success) add(data.data.sid, clock.now(), data.data.person_id)
        else log.warn('an event session.revoked that no schema accepts was ignored')
      })
      await load()
    },
    stop: async () => {
      running = false
      clearTimeout(timer)
      await subscription?.cancel()
    },
  }
}
