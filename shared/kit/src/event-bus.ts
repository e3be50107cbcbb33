import type { DomainEvent } from '@watchline/contracts/events'
import type { Logger } from 'pino'

/**
 * Domain events between services. Delivery is at least once and in no promised order; consumers are idempotent.
 * Adapters: RabbitMQ (`event-bus-rabbitmq.ts`) and, for the all-in-one process, `event-bus-in-process.ts`.
 */
export interface EventBus {
  /**
   * Resolves only when the event is safe. RabbitMQ: confirmed by the broker, with a queue for every group that must
   * get the type. In-process: every such group has handled it, or put it to its dead letters. Rejects otherwise; the
   * outbox tries again, so an event may arrive twice.
   */
  publish(event: DomainEvent): Promise<void>
  /**
   * Durable: one queue a group (a service's name), shared by all that consume in its name, at most `prefetch` (default
   * 100) events at once each. Every delivery is a copy of its own. When the handler rejects, the event comes again
   * after a growing delay, a bounded number of times, then goes to the dead letters; after a PoisonError at once.
   */
  consume(
    options: { group: string; types: readonly string[]; prefetch?: number },
    handler: (event: unknown) => Promise<void>,
  ): Promise<Subscription>
  /** Live only: everyone who follows gets each event from now on; what happens while away is missed. */
  follow(options: { types: readonly string[] }, handler: (event: unknown) => void): Promise<Subscription>
  /** Undefined when well, else why not. */
  health(): string | undefined
  /** Called whenever the connection was established or re-established: those who follow may have missed events. */
  onReconnect(listener: () => void): void
  /** At most the 1,000 oldest; looking does not remove them. */
  deadLetters(group: string): Promise<DeadLetter[]>
  /** Gives the group its dead letters again, with fresh retries; resolves to how many. */
  redrive(group: string): Promise<number>
  /** Finishes what was taken and what is being published, then lets go. */
  close(): Promise<void>
}

export interface Subscription {
  /** Takes no more, and resolves when what was taken is finished. */
  cancel(): Promise<void>
}

/** `event` is the raw text where it was not JSON; `at` is an ISO 8601 time. */
export interface DeadLetter {
  event: unknown
  reason: string
  at: string
}

export interface EventBusOptions {
  /** The groups that must get events of a type: `consumersOf` of the catalogue. */
  consumersOf(type: string): readonly string[]
  /** The waits between tries, one a retry. */
  retryDelaysMs?: readonly number[]
  log?: BusLog
}

export type BusLog = Pick<Logger, 'info' | 'warn' | 'error'>

/** Thrown by a handler for an event that no number of tries will make acceptable. */
export class PoisonError extends Error {
  override name = 'PoisonError'
}

/** The event is not known to be safe: the bus is away, blocked or closed, or has no queue for those who must get it. */
export class EventBusUnavailable extends Error {
  override name = 'EventBusUnavailable'
}

export const defaultPrefetch = 100
export const deadLettersListed = 1_000

export function reasonOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500)
}
