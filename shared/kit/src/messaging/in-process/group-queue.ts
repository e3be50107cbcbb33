import {
  addAttempt,
  type BusLog,
  type Delivery,
  EventBusUnavailable,
  type FailedAttempt,
  PoisonError,
  reasonOf,
} from '../event-bus.ts'
import type { DeadEvent } from './dead-letters.ts'

export interface GroupMember {
  types: ReadonlySet<string>
  prefetch: number
  handler: (event: unknown, delivery: Delivery) => Promise<void>
  running: Set<Promise<void>>
}

/** The events on their way to one group, in memory only: their publishers' outboxes store them. */
export interface GroupQueue {
  /** Events that wait for a member with room. */
  readonly waiting: number
  consumes(type: string): boolean
  /** Resolves when a member consumes the type; rejects after `subscriberWaitMs` or at `close`. */
  waitForConsumer(type: string): Promise<void>
  addMember(member: GroupMember): void
  removeMember(member: GroupMember): void
  /**
   * Resolves when the event is handled or a dead letter, rejects when it is neither. It takes the
   * text because each delivery is parsed anew, so that handlers share nothing.
   */
  deliver(type: string, text: string, tries?: FailedAttempt[]): Promise<void>
  /** Rejects what waits, and removes all members. Returns the work that still runs. */
  close(): Promise<void>[]
}

export interface GroupQueueOptions {
  name: string
  retryDelaysMs: readonly number[]
  /** How long an event waits for a consumer of its type. */
  subscriberWaitMs: number
  isClosed(): boolean
  /** Throws if the dead letter cannot be stored. */
  addDeadLetter(dead: DeadEvent): void
  log: BusLog | undefined
}

interface QueuedEvent {
  type: string
  text: string
  attempt: number
  tries: FailedAttempt[]
  settle(error?: Error): void
}

export const closedError = () => new EventBusUnavailable('the event bus is closed')

export function createGroupQueue(options: GroupQueueOptions): GroupQueue {
  const { name, retryDelaysMs, subscriberWaitMs, isClosed, addDeadLetter, log } = options
  const members = new Set<GroupMember>()
  const consumerWaits = new Set<{ check(): void; cancel(): void }>()
  const backingOff = new Map<QueuedEvent, NodeJS.Timeout>()
  let queue: QueuedEvent[] = []
  let rejectionTimer: NodeJS.Timeout | undefined

  const consumes = (type: string) => [...members].some(member => member.types.has(type))

  function waitForConsumer(type: string): Promise<void> {
    if (consumes(type)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        consumerWaits.delete(wait)
        settle()
      }
      const wait = {
        check: () => consumes(type) && finish(resolve),
        cancel: () => finish(() => reject(closedError())),
      }
      const notConsumed = new EventBusUnavailable(`${name} does not consume ${type}`)
      const timer = setTimeout(() => finish(() => reject(notConsumed)), subscriberWaitMs)
      consumerWaits.add(wait)
    })
  }

  /** Hands waiting events to members with room, to the least busy one first. */
  function pump(): void {
    const unmatched: QueuedEvent[] = []
    for (let item = queue.shift(); item; item = queue.shift()) {
      const member = leastBusyMember(item.type)
      if (member) handle(member, item)
      else {
        unmatched.push(item)
        if ([...members].every(isFull)) break
      }
    }
    queue.unshift(...unmatched)
    if (queue.length > 0) rejectionTimer ??= setTimeout(rejectUnconsumed, subscriberWaitMs).unref()
  }

  function leastBusyMember(type: string): GroupMember | undefined {
    return [...members]
      .filter(member => member.types.has(type) && !isFull(member))
      .sort((a, b) => a.running.size / a.prefetch - b.running.size / b.prefetch)[0]
  }

  /** No member consumes these types any longer, so their publishers must retry. */
  function rejectUnconsumed(): void {
    rejectionTimer = undefined
    const unconsumed = queue.filter(item => !consumes(item.type))
    queue = queue.filter(item => consumes(item.type))
    for (const { type, settle } of unconsumed)
      settle(new EventBusUnavailable(`${name} does not consume ${type} any longer`))
    pump()
  }

  function handle(member: GroupMember, item: QueuedEvent): void {
    const work = (async () => {
      try {
        await member.handler(JSON.parse(item.text), { attempt: item.attempt + 1 })
        item.settle()
      } catch (error) {
        retryOrBury(item, error)
      }
    })().finally(() => {
      member.running.delete(work)
      pump()
    })
    member.running.add(work)
  }

  function retryOrBury(item: QueuedEvent, error: unknown): void {
    const reason = reasonOf(error)
    const at = new Date().toISOString()
    const delay = retryDelaysMs[item.attempt]
    const fields = { group: name, type: item.type, reason }
    item.tries = addAttempt(item.tries, { at, reason })
    if (error instanceof PoisonError || delay === undefined) {
      log?.error(fields, 'event put to the dead letters')
      bury(item, reason, at)
    } else if (isClosed()) {
      item.settle(closedError())
    } else {
      log?.warn({ ...fields, attempt: item.attempt }, 'event will be retried')
      item.attempt += 1
      backingOff.set(
        item,
        setTimeout(() => retry(item), delay),
      )
    }
  }

  function bury({ type, text, tries, settle }: QueuedEvent, reason: string, at: string): void {
    try {
      addDeadLetter({ type, text, reason, at, tries })
      settle()
    } catch (error) {
      // The event is safe in its publisher's outbox only, so it must stay there.
      settle(new EventBusUnavailable(`the dead letters could not be kept: ${reasonOf(error)}`))
    }
  }

  function retry(item: QueuedEvent): void {
    backingOff.delete(item)
    queue.push(item)
    pump()
  }

  return {
    get waiting() {
      return queue.length
    },
    consumes,
    waitForConsumer,
    addMember: member => {
      members.add(member)
      for (const wait of consumerWaits) wait.check()
      pump()
    },
    removeMember: member => void members.delete(member),
    deliver: (type, text, tries = []) =>
      new Promise((resolve, reject) => {
        queue.push({ type, text, attempt: 0, tries, settle: error => (error ? reject(error) : resolve()) })
        pump()
      }),
    close: () => {
      for (const wait of consumerWaits) wait.cancel()
      for (const timer of [rejectionTimer, ...backingOff.values()]) clearTimeout(timer)
      for (const item of [...backingOff.keys(), ...queue.splice(0)]) item.settle(closedError())
      backingOff.clear()
      const running = [...members].flatMap(member => [...member.running])
      members.clear()
      return running
    },
  }
}

const isFull = (member: GroupMember) => member.running.size >= member.prefetch
