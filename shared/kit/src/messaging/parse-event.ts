import { cloudEvent, type DomainEvent, type EventType, events, isFromProducer } from '@watchline/contracts/events'
import type { z } from 'zod'
import { PoisonError } from './event-bus.ts'

/** A received event that a consumer must not see, because a repetition would not make it valid. */
export class RefusedEvent extends PoisonError {
  /** Undefined if no known type was recognised. */
  readonly type: EventType | undefined

  constructor(type: EventType | undefined, reason: string) {
    super(reason)
    this.type = type
  }
}

/**
 * The event and those of the consumers that consume its type. Throws RefusedEvent. Drops unknown
 * fields, because a newer producer may send more; known fields must be valid. Each type has one
 * producer, so that a service which is taken over cannot speak for another one.
 */
export function parseEvent<Consumer extends { type: EventType }>(
  raw: unknown,
  publisher: string | undefined,
  consumers: readonly Consumer[],
): { event: DomainEvent; matching: readonly Consumer[] } {
  const envelope = cloudEvent.safeParse(raw)
  if (!envelope.success) throw new RefusedEvent(undefined, `not a CloudEvent: ${describeIssues(envelope.error)}`)
  const { type: typeName, source } = envelope.data
  const matching = consumers.filter(consumer => consumer.type === typeName)
  if (matching.length === 0) throw new RefusedEvent(undefined, `this service has no consumer of ${typeName}`)
  const { type } = matching[0]!
  if (!isFromProducer(envelope.data))
    throw new RefusedEvent(type, `${type} came from ${source}, but only ${events[type].producer} publishes it`)
  if (publisher !== undefined && publisher !== source)
    throw new RefusedEvent(
      type,
      `${type} names ${source} as its source, but the broker got it from ${publisher || 'an unknown user'}`,
    )
  const data = events[type].data.safeParse(envelope.data.data)
  if (!data.success)
    throw new RefusedEvent(type, `the data of ${type} does not match its schema: ${describeIssues(data.error)}`)
  return { event: { ...envelope.data, data: data.data } as DomainEvent, matching }
}

/** Names the invalid fields, without their values. */
function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || '(all of it)'} (${message})`).join(', ')
}
