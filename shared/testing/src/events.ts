import { type DomainEvent, type EventData, type EventType, events, producersOf } from '@watchline/contracts/events'
import { type Clock, systemClock } from '@watchline/kit/core/clock'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { newId } from '@watchline/kit/mongo/database'

/**
 * Publishes as the (first) producer of the type does; resolves as `publish` does. `at` in ms, by
 * default now.
 */
export type PublishEvent = <T extends EventType>(
  type: T,
  data: EventData<T>,
  options?: { id?: string; at?: number },
) => Promise<void>

export function createEventPublisher(bus: EventBus, clock: Clock = systemClock): PublishEvent {
  return (type, data, { id = newId(), at = clock.now() } = {}) => {
    const time = new Date(at).toISOString()
    const source = producersOf(events[type])[0]!
    return bus.publish({ specversion: '1.0', id, source, type, subject: id, time, data } as DomainEvent)
  }
}

export interface PublishedEvents {
  /** Every event of the service that reached the bus, once and in order. */
  published: DomainEvent[]
  of<T extends EventType>(type: T): EventData<T>[]
  /** The bus for the service to publish on. */
  through(bus: EventBus): EventBus
}

/** Records the published events of a service, without a queue. */
export function recordPublishedEvents(service: string): PublishedEvents {
  const published: DomainEvent[] = []
  return {
    published,
    of: type => published.filter(event => event.type === type).map(event => event.data) as never,
    through: bus => ({
      ...bus,
      publish: async event => {
        await bus.publish(event)
        // Two relays may publish the same event; consumers drop the repeat, and so does this list.
        if (event.source === service && !published.some(({ id }) => id === event.id)) published.push(event)
      },
    }),
  }
}
