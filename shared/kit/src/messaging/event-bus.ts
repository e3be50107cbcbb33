import { createHash } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import type { Logger } from '../observability/log.ts'

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
   * 250) events at once each. Every delivery is a copy of its own. When the handler rejects, the event comes again
   * after a growing delay, a bounded number of times, then goes to the dead letters; after a PoisonError at once.
   */
  consume(
    options: { group: string; types: readonly string[]; prefetch?: number },
    handler: (event: unknown, delivery: Delivery) => Promise<void>,
  ): Promise<Subscription>
  /** Live only: everyone who follows gets each event from now on; what happens while away is missed. */
  subscribeLive(options: { types: readonly string[] }, handler: (event: unknown) => void): Promise<Subscription>
  /** Undefined when well, else why not. */
  health(): string | undefined
  /** Called whenever the connection was established or re-established: those who follow may have missed events. */
  onReconnect(listener: () => void): void
  /** Called whenever what could not be published before may be published now. */
  onPublishable(listener: () => void): void
  /** At most the 1,000 oldest; looking does not remove them. */
  deadLetters(group: string): Promise<DeadLetter[]>
  /** Gives the group its dead letters again, with fresh retries: those of these ids, or all; resolves to how many. */
  redrive(group: string, ids?: readonly string[]): Promise<number>
  /**
   * Removes dead letters for good: those of these ids, or all; resolves to how many. Each goes only when `keep` has resolved for it,
   * so that it can be kept elsewhere; killed in between, it is still there.
   */
  drop(group: string, ids: readonly string[] | 'all', keep: (letter: DeadLetter) => Promise<void>): Promise<number>
  /** How much of the group's waits to be handled for the first time, and how much is dead; undefined when nothing was ever kept for it. */
  depth(group: string): Promise<QueueDepth | undefined>
  /** Finishes what was taken and what is being published, then lets go. */
  close(): Promise<void>
}

export interface Subscription {
  /** Takes no more, and resolves when what was taken is finished. */
  cancel(): Promise<void>
}

export interface Delivery {
  /** Counts from 1; more than that is a retry. Deliveries that a lost connection repeats are not counted. */
  attempt: number
}

export interface QueueDepth {
  waiting: number
  dead: number
}

/** A try that failed: when (ISO 8601), and why. */
export interface FailedAttempt {
  at: string
  reason: string
}

/** `event` is the raw text where it was not JSON; `at` is an ISO 8601 time, of its death. */
export interface DeadLetter {
  /** The event's own id, or one made of its content where it has none: the same at every look. */
  id: string
  event: unknown
  reason: string
  at: string
  /** The tries that failed, oldest first, earlier lives included; at most the latest {@link attemptsKept}. */
  tries: FailedAttempt[]
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

export const defaultPrefetch = 250
export const deadLettersListed = 1_000
export const attemptsKept = 20

/** The id of a dead letter: the event's id, or a hash of its content if it has no readable one. */
export function deadLetterId(text: string, event: unknown): string {
  const id = (event as { id?: unknown } | null)?.id
  if (typeof id === 'string' && id !== '') return id
  return `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** The raw text where it is not JSON. */
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
