import type { DomainEvent } from '@watchline/contracts/events'

/** The port for domain events. Two adapters, RabbitMQ and in-process, pass one contract test. */
export interface EventBus {
  /**
   * Resolves only when the event is safe: RabbitMQ has confirmed it for every queue the catalogue names, or, in-process, every
   * expected group has handled it (or put it to its dead letters). Rejects otherwise; the outbox then tries again.
   */
  publish(event: DomainEvent): Promise<void>
  /**
   * Durable: one queue a group (the service's name), shared by its replicas. A handler's rejection means redelivery with
   * back-off, a bounded number of times, then the dead letters; a {@link PoisonError} goes there at once.
   */
  consume(
    options: { group: string; types: readonly string[]; prefetch?: number },
    handler: (event: unknown) => Promise<void>,
  ): Promise<Subscription>
  /** Live only: every instance that follows gets each event from now on; what comes while it is away is lost to it. */
  follow(options: { types: readonly string[] }, handler: (event: unknown) => void): Promise<Subscription>
  /** Undefined when well, else why not. */
  health(): string | undefined
  /** Called whenever the connection was established again: what followed may have missed events. */
  onReconnect(listener: () => void): void
  deadLetters(group: string): Promise<DeadLetter[]>
  /** Puts a group's dead letters back and answers how many. */
  redrive(group: string): Promise<number>
  /** Finishes what is under way. */
  close(): Promise<void>
}

export interface Subscription {
  /** Takes nothing more and finishes what it took. */
  cancel(): Promise<void>
}

export interface DeadLetter {
  event: unknown
  reason: string
  /** ISO 8601 */
  at: string
}

/** What no redelivery can mend. */
export class PoisonError extends Error {}
