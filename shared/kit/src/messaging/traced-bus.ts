import { errorType, type Tracer } from '../observability/tracing.ts'
import type { EventBus } from './event-bus.ts'

/**
 * A bus that publishes each event as a span of the trace that wrote it. Consumers continue that
 * span.
 */
export function withPublishSpans(bus: EventBus, tracer: Tracer): Pick<EventBus, 'publish' | 'onPublishable'> {
  return {
    onPublishable: bus.onPublishable.bind(bus),
    publish: async event => {
      const span = tracer.start(`publish ${event.type}`, {
        kind: 'producer',
        parent: event.traceparent,
        attributes: { 'messaging.message.id': event.id, 'watchline.event_type': event.type },
      })
      try {
        await bus.publish({ ...event, traceparent: span.traceparent })
        span.end()
      } catch (error) {
        span.end(errorType(error))
        throw error
      }
    },
  }
}
