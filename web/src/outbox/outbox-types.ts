import type { Answer } from '../api/call-operation.ts'
import type { Failure } from '../api/failure.ts'
import type { Schedule } from '../api/schedule.ts'
import type { Subscribable } from '../ui/hooks/subscribable.ts'

/** A call without a final answer of the server. */
export interface OutboxEntry<Call> {
  /** The same at every attempt, so that a repeated call is harmless. */
  readonly id: string
  /** The time at which the call was added, in ms. */
  readonly at: number
  readonly call: Call
  readonly problem?: Problem | undefined
}

/**
 * The reason why an entry is not sent yet. Entries that `failed` or are `limited` are retried
 * automatically.
 */
export type Problem =
  | { kind: 'failed' }
  /** The rate limit was exceeded. The next attempt is at `until` (ms), never earlier. */
  | { kind: 'limited'; until: number }
  /** The server refused it. It waits for the person's decision, and its lane goes on without it. */
  | { kind: 'refused'; failure: Failure }

/**
 * The consequence of a failed attempt. `retry`: the lane waits, longer each time. `limit`: the lane
 * waits for exactly Retry-After. `drop`: the entry is removed. `keep`: the entry stays until the
 * person acts.
 */
export type FailureDecision = 'retry' | 'limit' | 'drop' | 'keep'

/**
 * Entries to send in order when the page is hidden. `covered` is removed after they have arrived.
 */
export interface HideLane<Call> {
  entries: readonly OutboxEntry<Call>[]
  covered?: readonly OutboxEntry<Call>[]
}

/** The rules of one kind of calls. */
export interface OutboxRules<Call> {
  /** Prefix of the Web Locks that keep two tabs from sending at the same time. */
  lockName: string
  /** Calls of one lane are sent in order; lanes do not wait for each other. */
  laneOf(call: Call): string
  /** The call overtakes the others of its lane. */
  goesFirst?(call: Call): boolean
  decide(failure: Failure, attemptedBefore: boolean): FailureDecision
  /** The id that the call itself carries. */
  idOf?(call: Call): string | undefined
  /**
   * Matches the earlier entries that the call replaces. `isUnsent`: of this tab and not in flight.
   */
  replaces?(call: Call, isUnsent: (id: string) => boolean): (earlier: OutboxEntry<Call>) => boolean
  /** An expired entry is removed unsent. */
  isExpired?(entry: OutboxEntry<Call>, now: number): boolean
  /** If it is missing, all entries go in one lane. */
  hideLanes?(entries: readonly OutboxEntry<Call>[]): readonly HideLane<Call>[]
  /** Sending continues after `close` until the lane is empty or an attempt fails. */
  finishesOnClose?: boolean
}

/**
 * Keeps entries when the page is closed. Operations take effect in the order of their calls. A
 * storage that answers without a promise is durable and visible at once.
 */
export interface OutboxStorage<Call> {
  /** All entries, oldest first, including those of other tabs and earlier visits. */
  read(): readonly OutboxEntry<Call>[] | Promise<readonly OutboxEntry<Call>[]>
  /** Stores the entry, then removes those that it replaces. False: it cannot be stored. */
  add(entry: OutboxEntry<Call>, replaces: (earlier: OutboxEntry<Call>) => boolean): boolean | Promise<boolean>
  remove(entries: readonly OutboxEntry<Call>[]): void | Promise<void>
  /** Calls back when another tab has added or removed an entry. */
  onChange?(listener: () => void): () => void
  close?(): void
}

export interface RequestOptions {
  id: string
  /** The request must outlive the page. */
  keepalive: boolean
  signal: AbortSignal
}

export interface OutboxOptions<Call, Result> {
  request(call: Call, options: RequestOptions): Promise<Answer<Result>>
  storage: OutboxStorage<Call>
  /**
   * `navigator.locks`. Without it two tabs may send the same entry; the server recognises its id.
   */
  locks?: Pick<LockManager, 'request'> | undefined
  online?: boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: Schedule
  log?: (message: string, detail: unknown) => void
}

/**
 * Unsent calls of one person in this browser. An entry is stored before it is sent, and sent in
 * order within its lane. It survives reloads, offline time and closed tabs until the server has
 * answered.
 */
export interface Outbox<Call, Result = unknown> {
  /** Oldest first, including those of other tabs and earlier visits. */
  readonly entries: Subscribable<readonly OutboxEntry<Call>[]>
  /** False after an attempt without an answer. */
  readonly online: Subscribable<boolean>
  add(call: Call): void
  /** Sends the call once, ahead of all entries, and removes the entries that it replaces. */
  sendFirst(call: Call): Promise<Answer<Result>>
  /** The entries after a fresh read of the storage. */
  read(): Promise<readonly OutboxEntry<Call>[]>
  /** Sends everything now. Resolves when every lane is empty or has failed. */
  flush(): Promise<void>
  /** While paused, only `sendFirst` and `sendOnHide` send. */
  setPaused(paused: boolean): void
  /**
   * The page may close at any moment: sends this tab's entries by requests that outlive the page.
   */
  sendOnHide(): void
  /** Retries an entry at the person's request, optionally with a changed call. */
  retry(id: string, call?: Call): void
  remove(id: string): void
  /** Called before an entry is removed because the server accepted or finally refused it. */
  onAnswered(listener: (call: Call, answer: Answer<Result>) => void): () => void
  close(): void
}
