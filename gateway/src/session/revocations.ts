import { cloudEvent, events, isFromProducer } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { EventBus, Subscription } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'

export interface Revocations {
  isRevoked(sid: string, now: number): boolean
  start(): Promise<void>
  stop(): Promise<void>
}

const reloadMs = 30_000
const retryMs = 1_000
/** The minute covers clocks that differ. */
const keepMs = (limits.revocationS + 60) * 1_000

/**
 * The revoked login sessions whose access tokens may still count, in memory so that a request
 * costs no lookup. Sources: live events, and the live store at start, after every reconnection of
 * the bus and every 30 s, because an event may be lost. Without the live store the gateway still
 * starts and retries: a late sign-out is better than shutting everybody out.
 */
export function createRevocations(options: {
  bus: EventBus
  live: LiveStore
  clock: Clock
  log: Logger
  /** Called once for every revoked session. Only an event contains the person. */
  onRevoked(sid: string, personId?: string): void
}): Revocations {
  const { bus, live, clock, log, onRevoked } = options
  /** By session: the end of its revocation, ms. */
  const expiries = new Map<string, number>()
  let subscription: Subscription | undefined
  let timer: NodeJS.Timeout | undefined
  let running = false

  function add(sid: string, now: number, personId?: string) {
    const isNew = !expiries.has(sid)
    expiries.set(sid, now + keepMs)
    if (isNew) onRevoked(sid, personId)
  }

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    let delayMs = reloadMs
    try {
      const now = clock.now()
      for (const sid of await live.revocations.all(now)) add(sid, now)
      for (const [sid, expiry] of expiries) if (expiry <= now) expiries.delete(sid)
    } catch (error) {
      log.warn({ err: error }, 'revocations load failed, retrying')
      delayMs = retryMs
    }
    if (!running) return
    clearTimeout(timer)
    timer = setTimeout(load, delayMs)
  }

  return {
    isRevoked: (sid, now) => {
      const expiry = expiries.get(sid)
      return expiry !== undefined && expiry > now
    },
    start: async () => {
      running = true
      bus.onReconnect(() => {
        if (running) void load()
      })
      // Before the load: a session revoked between the two is then in one of them.
      subscription = await bus.subscribeLive({ types: ['session.revoked'] }, raw => {
        const event = cloudEvent.safeParse(raw).data
        const data = events['session.revoked'].data.safeParse(event?.data)
        if (event && !isFromProducer(event))
          log.warn({ type: event.type, source: event.source }, 'event not from its producer, ignored')
        else if (data.success) add(data.data.sid, clock.now(), data.data.person_id)
        else log.warn('session.revoked event does not match its schema, ignored')
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
