import type { Answer } from '../api/call-operation.ts'
import type { Failure } from '../api/failure.ts'
import type { Schedule } from '../api/schedule.ts'
import type { Subscribable } from '../ui/subscribable.ts'

/** A call that the server has not answered for good. */
export interface OutboxEntry<Call> {
  /** The same at every attempt, so that a repeated call is harmless. */
  readonly id: string
  /** When the call was added, in ms. */
  readonly at: number
  readonly call: Call
  readonly problem?: Problem | undefined
}

/** Why an entry is not sent yet. Entries that `failed` or are `limited` are retried automatically. */
export type Problem =
  | { kind: 'failed' }
  /** The rate limit was exceeded; the next attempt is at `until` (ms), never earlier. */
  | { kind: 'limited'; until: number }
  /** The server refused it; it waits for the person's decision, and its lane goes on without it. */
  | { kind: 'refused'; failure: Failure }

/**
 * What a failed attempt means. `retry`: the lane waits, longer each time. `limit`: the lane waits for
 * exactly Retry-After. `drop`: the entry is removed. `keep`: the entry stays until the person acts.
 */
export type FailureDecision = 'retry' | 'limit' | 'drop' | 'keep'

/** Entries to send in order when the page is hidden. `covered` is removed once they have arrived. */
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
  decide(failure: Failure, attemptedBefore: boolean): FailureDecision
  /** The id that the call itself carries. */
  idOf?(call: Call): string | undefined
  /** Which earlier entries the call makes superfluous. `isUnsent`: added by this tab and not under way. */
  replaces?(call: Call, isUnsent: (id: string) => boolean): (earlier: OutboxEntry<Call>) => boolean
  /** An expired entry is removed unsent. */
  isExpired?(entry: OutboxEntry<Call>, now: number): boolean
  /** All of them in one lane where this is missing. */
  hideLanes?(entries: readonly OutboxEntry<Call>[]): readonly HideLane<Call>[]
  /** Goes on sending after `close` until the lane is empty or an attempt fails. */
  finishesOnClose?: boolean
}

/**
 * Where entries outlive the page. Operations take effect in the order of their calls. A storage that
 * answers without a promise is durable and visible at once.
 */
export interface OutboxStorage<Call> {
  /** All entries, oldest first, also those of other tabs and earlier visits. */
  read(): readonly OutboxEntry<Call>[] | Promise<readonly OutboxEntry<Call>[]>
  /** Stores the entry and removes those it replaces in one step. False: it cannot be stored here. */
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
  /** `navigator.locks`. Without it two tabs may send the same entry; the server recognises its id. */
  locks?: Pick<LockManager, 'request'> | undefined
  online?: boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: Schedule
  log?: (message: string, detail: unknown) => void
}

/**
 * Unsent calls of one person in this browser. An entry is stored before it is sent, sent in order within
 * its lane, and kept through reloads, offline time and closed tabs until the server has answered.
 */
export interface Outbox<Call, Result = unknown> {
  /** Oldest first, also those of other tabs and earlier visits. */
  readonly entries: Subscribable<readonly OutboxEntry<Call>[]>
  /** False after an attempt without an answer. */
  readonly online: Subscribable<boolean>
  add(call: Call): void
  /** Sends the call ahead of what waits, once, in place of the entries it replaces. */
  sendFirst(call: Call): Promise<Answer<Result>>
  /** The entries as other tabs have left them. */
  read(): Promise<readonly OutboxEntry<Call>[]>
  /** Sends everything now; resolves when every lane is empty or has failed. */
  flush(): Promise<void>
  /** While paused, only `sendFirst` and `sendOnHide` send. */
  setPaused(paused: boolean): void
  /** The page may be gone in a moment: sends what this tab has added by requests that outlive it. */
  sendOnHide(): void
  /** Tries an entry again at the person's request, if wanted with a changed call. */
  retry(id: string, call?: Call): void
  remove(id: string): void
  /** Called before an entry leaves because the server accepted it or refused it for good. */
  onAnswered(listener: (call: Call, answer: Answer<Result>) => void): () => void
  close(): void
}
