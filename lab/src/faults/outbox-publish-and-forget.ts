import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Outbox, OutboxOptions } from '@watchline/kit/messaging/outbox'
import { inTransaction } from '@watchline/kit/mongo/database'

export * from '@watchline/kit/messaging/outbox'

/**
 * The common mistake that an outbox prevents. It commits the state and then publishes the event
 * once, even if no broker is there. The product never uses it; the fault tests must detect it.
 */
export function createOutbox({ connection, source, live, clock }: OutboxOptions): Outbox {
  let bus: EventBus | undefined
  return {
    transaction: async work => {
      let events: DomainEvent[] = []
      let bumpedKeys = new Set<string>()
      let steps: (() => void)[] = []
      const result = await inTransaction(connection, session => {
        events = []
        bumpedKeys = new Set()
        steps = []
        return work({
          session,
          publish: (type, subject, data) => {
            const time = new Date(clock.now()).toISOString()
            events.push({ specversion: '1.0', id: randomUUID(), source, type, subject, time, data })
          },
          bumpVersions: (...keys) => {
            for (const key of keys) bumpedKeys.add(key)
          },
          afterCommit: step => void steps.push(step),
        })
      })
      if (bumpedKeys.size > 0) await live.versions.bump([...bumpedKeys]).catch(() => {})
      for (const event of events) bus?.publish(event).catch(() => {})
      for (const step of steps) step()
      return result
    },
    backlog: async () => ({ count: 0, oldest: undefined }),
    startRelay: eventBus => {
      bus = eventBus
    },
    stopRelay: async () => {},
  }
}
