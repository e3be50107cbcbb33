import type { DomainEvent } from '@watchline/contracts/events'
import { defaultPrefetch, type EventBus, type EventBusOptions, reasonOf } from '../event-bus.ts'
import { createGroupDeadLetters, type DeadEvent, type DeadLetterStore, type GroupDeadLetters } from './dead-letters.ts'
import { closedError, createGroupQueue, type GroupMember, type GroupQueue } from './group-queue.ts'

/** Short, because a publisher's outbox waits for the outcome. */
const defaultRetryDelaysMs = [200, 1_000, 5_000, 15_000]

export interface InProcessBusOptions extends EventBusOptions {
  /**
   * How long `publish` waits for a group without a consumer, in ms: services start one after
   * another.
   */
  subscriberWaitMs?: number
  /** Without one, dead letters end with the process. */
  deadLetterStore?: DeadLetterStore
}

interface Group {
  queue: GroupQueue
  deadLetters: GroupDeadLetters
}

/**
 * The bus of the all-in-one process. It stores no events: `publish` resolves only when every group
 * has handled the event, and until then the event is in its publisher's outbox. Dead letters have
 * no other place, so they go to `deadLetterStore`.
 */
export function createInProcessBus(options: InProcessBusOptions): EventBus {
  const { consumersOf, retryDelaysMs = defaultRetryDelaysMs, subscriberWaitMs = 5_000, deadLetterStore, log } = options
  const groups = new Map<string, Group>()
  const liveSubscribers = new Set<{ types: ReadonlySet<string>; handler: (event: unknown) => void }>()
  const publishing = new Set<Promise<void>>()
  let closed = false

  const loaded = Map.groupBy(deadLetterStore?.load() ?? [], letter => letter.group)
  for (const name of loaded.keys()) findOrCreateGroup(name)

  function findOrCreateGroup(name: string): Group {
    const group = groups.get(name) ?? createGroup(name)
    groups.set(name, group)
    return group
  }

  function createGroup(name: string): Group {
    const queue: GroupQueue = createGroupQueue({
      name,
      retryDelaysMs,
      subscriberWaitMs,
      isClosed: () => closed,
      addDeadLetter: dead => deadLetters.add(dead),
      log,
    })
    const deadLetters = createGroupDeadLetters({
      group: name,
      loaded: (loaded.get(name) ?? []).map(
        ({ group: _group, tries = [], ...letter }): DeadEvent => ({ ...letter, tries }),
      ),
      deliver: ({ type, text, tries }) => queue.deliver(type, text, tries),
      save: saveDeadLetters,
      log,
    })
    return { queue, deadLetters }
  }

  function saveDeadLetters(): void {
    deadLetterStore?.save(
      [...groups].flatMap(([group, { deadLetters }]) => deadLetters.stored().map(dead => ({ group, ...dead }))),
    )
  }

  async function publishNow(event: DomainEvent): Promise<void> {
    const { type } = event
    const text = JSON.stringify(event)
    const required = consumersOf(type)
    await Promise.all(required.map(name => findOrCreateGroup(name).queue.waitForConsumer(type)))
    if (closed) throw closedError()
    for (const { types, handler } of liveSubscribers) {
      if (!types.has(type)) continue
      queueMicrotask(() => {
        try {
          handler(JSON.parse(text))
        } catch (error) {
          log?.error({ type, reason: reasonOf(error) }, 'live subscriber failed')
        }
      })
    }
    const optional = [...groups].filter(([name, { queue }]) => !required.includes(name) && queue.consumes(type))
    const receivers = [...required, ...optional.map(([name]) => name)]
    await Promise.all(receivers.map(name => findOrCreateGroup(name).queue.deliver(type, text)))
  }

  return {
    publish(event) {
      if (closed) return Promise.reject(closedError())
      const work = publishNow(event).finally(() => publishing.delete(work))
      publishing.add(work)
      return work
    },

    async consume({ consumerGroup, types, prefetch = defaultPrefetch }, handler) {
      const { queue, deadLetters } = findOrCreateGroup(consumerGroup)
      const member: GroupMember = { types: new Set(types), prefetch, handler, running: new Set() }
      queue.addMember(member)
      deadLetters.redriveRequested(member.types)
      return {
        async cancel() {
          queue.removeMember(member)
          await Promise.all(member.running)
        },
      }
    },

    async subscribeLive({ types }, handler) {
      const subscriber = { types: new Set(types), handler }
      liveSubscribers.add(subscriber)
      return {
        async cancel() {
          liveSubscribers.delete(subscriber)
        },
      }
    },

    health: () => (closed ? closedError().message : undefined),
    onReconnect() {},
    onPublishable() {},
    deadLetters: async (consumerGroup, limit) => findOrCreateGroup(consumerGroup).deadLetters.list(limit),
    redrive: async (consumerGroup, ids) => findOrCreateGroup(consumerGroup).deadLetters.redrive(ids),
    replaceDeadLetters: async (consumerGroup, ids, replacementOf) =>
      findOrCreateGroup(consumerGroup).deadLetters.replace(ids, replacementOf),
    drop: async (consumerGroup, ids, archive) => findOrCreateGroup(consumerGroup).deadLetters.drop(ids, archive),

    async depth(name) {
      const group = groups.get(name)
      return group && { waiting: group.queue.waiting, dead: group.deadLetters.stored().length }
    },

    async close() {
      closed = true
      liveSubscribers.clear()
      const running = [...groups.values()].flatMap(({ queue }) => queue.close())
      await Promise.allSettled([...running, ...publishing])
    },
  }
}
