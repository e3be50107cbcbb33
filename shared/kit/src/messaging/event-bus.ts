import { createHash } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import type { Logger } from '../observability/log.ts'

/**
 * Domain events between services. Delivery is at least once and in no promised order, so consumers
 * are idempotent. Adapters: `rabbitmq/`, and `in-process/` for the all-in-one process.
 */
export interface EventBus {
  /**
   * Resolves only when the event is safe, and rejects otherwise. RabbitMQ: the broker confirmed it,
   * and every consumer group of the type has a queue. In process: every such group has handled it
   * or added it to its dead letters. The outbox retries, so an event may arrive twice.
   */
  publish(event: DomainEvent): Promise<void>
  /**
   * Durable. A consumer group (a service's name) has one queue, which its replicas share. Each
   * replica handles at most `prefetch` events at once (default 250). Every delivery is a copy.
   *
   * When the handler rejects, the event is delivered again after a growing delay. After a bounded
   * number of retries, or at once for a PoisonError, it becomes a dead letter.
   */
  consume(
    options: { consumerGroup: string; types: readonly string[]; prefetch?: number },
    handler: (event: unknown, delivery: Delivery) => Promise<void>,
  ): Promise<Subscription>
  /** Every subscriber gets each event from now on; events during an outage are missed. */
  subscribeLive(options: { types: readonly string[] }, handler: (event: unknown) => void): Promise<Subscription>
  /** Undefined when healthy, otherwise the problem. */
  health(): string | undefined
  /**
   * Called when a connection is established or re-established: live subscribers may have missed
   * events.
   */
  onReconnect(listener: () => void): void
  /** Called when events that could not be published may be published now. */
  onPublishable(listener: () => void): void
  /** The oldest, at most `limit` (default 1,000); reading does not remove them. */
  deadLetters(consumerGroup: string, limit?: number): Promise<DeadLetter[]>
  /**
   * Gives the consumer group its dead letters again, with fresh retries: those with these ids, or
   * all. Resolves to their number.
   */
  redrive(consumerGroup: string, ids?: readonly string[]): Promise<number>
  /**
   * Removes dead letters for good: those with these ids, or all. Resolves to their number. Each is
   * removed only after `archive` has resolved for it, so a crash in between loses none.
   */
  drop(
    consumerGroup: string,
    ids: readonly string[] | 'all',
    archive: (letter: DeadLetter) => Promise<void>,
  ): Promise<number>
  /**
   * Replaces the events of the dead letters with these ids; without a replacement a letter is
   * removed. They stay dead letters, with their reasons. Resolves to their number.
   */
  replaceDeadLetters(
    consumerGroup: string,
    ids: readonly string[],
    replacementOf: (letter: DeadLetter) => object | undefined,
  ): Promise<number>
  /**
   * The consumer group's events that wait for their first delivery, and its dead letters; undefined
   * for an unknown group.
   */
  depth(consumerGroup: string): Promise<QueueDepth | undefined>
  /** Completes accepted and outgoing events, then closes. */
  close(): Promise<void>
}

export interface Subscription {
  /** Accepts no more events, and resolves when the accepted ones are handled. */
  cancel(): Promise<void>
}

export interface Delivery {
  /**
   * Counts from 1; higher numbers are retries. Redeliveries after a lost connection do not count.
   */
  attempt: number
  /**
   * The broker user that published the event, as the broker verified it; empty if it stated none.
   * Undefined on a bus without a user for each service.
   */
  publisher?: string
}

export interface QueueDepth {
  waiting: number
  dead: number
}

export interface FailedAttempt {
  /** ISO 8601. */
  at: string
  reason: string
}

export interface DeadLetter {
  /** The event's own id, or a hash of its content if it has none: the same at every reading. */
  id: string
  /** The raw text if it is not JSON. */
  event: unknown
  reason: string
  /** The time at which it became a dead letter, ISO 8601. */
  at: string
  /**
   * Failed attempts, oldest first, those before a redrive included; at most {@link attemptsKept}.
   */
  tries: FailedAttempt[]
}

export interface EventBusOptions {
  /** The consumer groups that must get events of a type: `consumersOf` of the catalogue. */
  consumersOf(type: string): readonly string[]
  /** The pauses before the retries, one for each retry. */
  retryDelaysMs?: readonly number[]
  log?: BusLog
}

export type BusLog = Pick<Logger, 'info' | 'warn' | 'error'>

/** Thrown by a handler for an event that no retry can make acceptable. */
export class PoisonError extends Error {
  override name = 'PoisonError'
}

/**
 * The event may not be safe: the bus is unavailable, blocked or closed, or lacks the queue of a
 * group that must get the event.
 */
export class EventBusUnavailable extends Error {
  override name = 'EventBusUnavailable'
}

export const defaultPrefetch = 250
export const deadLettersListed = 1_000
export const attemptsKept = 20

/** The id of a dead letter: the event's id, or a hash of its content if it has no readable one. */
export function deadLetterId(text: string, event: unknown): string {
  const id = (event as { id?: unknown } | null)?.id
  if (typeof id === 'string' && id !== '') return id
  return `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** The raw text if it is not JSON. */
export function parseDeadLetter(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function addAttempt(tries: readonly FailedAttempt[], failed: FailedAttempt): FailedAttempt[] {
  return [...tries, failed].slice(-attemptsKept)
}

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500)
}
