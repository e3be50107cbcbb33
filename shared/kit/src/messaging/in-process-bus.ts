import type { DomainEvent } from '@watchline/contracts/events'
import {
  addAttempt,
  type DeadLetter,
  type Delivery,
  deadLetterId,
  deadLettersListed,
  defaultPrefetch,
  type EventBus,
  type EventBusOptions,
  EventBusUnavailable,
  type FailedAttempt,
  PoisonError,
  parseDeadLetter,
  reasonOf,
} from './event-bus.ts'

/** Short, because a publisher's outbox waits for the outcome. */
const defaultRetryDelaysMs = [200, 1_000, 5_000, 15_000]
const maxDeadLetters = 10_000

interface Member {
  types: ReadonlySet<string>
  prefetch: number
  handler: (event: unknown, delivery: Delivery) => Promise<void>
  running: Set<Promise<void>>
}

/** One event on its way to one group. `text`, not the object: each delivery is parsed anew, so nothing is shared. */
interface Item {
  type: string
  text: string
  attempt: number
  tries: FailedAttempt[]
  done(error?: Error): void
}

interface Group {
  members: Set<Member>
  queue: Item[]
  backingOff: Map<Item, NodeJS.Timeout>
  abandoning?: NodeJS.Timeout
  dead: Dead[]
  /** Put back and not handled yet: still dead letters, should the process end now. */
  redriving: Set<Dead>
}

interface Dead {
  letter: Pick<DeadLetter, 'reason' | 'at' | 'tries'>
  type: string
  text: string
  again?: true
}

/** A dead letter as it is kept: `text` is the event's JSON. */
export interface StoredDeadLetter {
  group: string
  type: string
  text: string
  reason: string
  at: string
  /** Absent in files of before it was kept. */
  tries?: FailedAttempt[]
  /** To be given again to its group as soon as that consumes: asked for while the process was away. */
  again?: true
}

/** Where dead letters survive the process. Both calls are rare, and done before the bus goes on. */
export interface DeadLetterStore {
  load(): StoredDeadLetter[]
  save(letters: readonly StoredDeadLetter[]): void
}

/**
 * The bus of the all-in-one process. It keeps no events and need not: `publish` resolves only once everyone has handled the event,
 * and until then the event stands in its publisher's outbox. Dead letters, which nobody else has any more, go to `keeper`.
 * `subscriberWaitMs` is how long publish waits for a group nobody consumes for yet (services start one after another).
 */
export function createInProcessBus(
  options: EventBusOptions & { subscriberWaitMs?: number; keeper?: DeadLetterStore },
): EventBus {
  const { consumersOf, retryDelaysMs = defaultRetryDelaysMs, subscriberWaitMs = 5_000, keeper, log } = options
  const groups = new Map<string, Group>()
  const followers = new Set<{ types: ReadonlySet<string>; handler: (event: unknown) => void }>()
  const subscriberWaits = new Set<{ check(): void; stop(): void }>()
  const publishing = new Set<Promise<void>>()
  let closed = false

  function groupOf(name: string): Group {
    const known = groups.get(name)
    if (known) return known
    const group: Group = { members: new Set(), queue: [], backingOff: new Map(), dead: [], redriving: new Set() }
    groups.set(name, group)
    return group
  }

  for (const { group, type, text, reason, at, tries = [], again } of keeper?.load() ?? []) {
    groupOf(group).dead.push({ letter: { reason, at, tries }, type, text, ...(again && { again }) })
  }

  function bury(name: string, dead: Dead): void {
    const group = groupOf(name)
    group.dead.push(dead)
    if (group.dead.length > maxDeadLetters) {
      const lost = group.dead.shift()!
      log?.error(
        { group: name, type: lost.type, event_id: letterOf(lost).id },
        'too many dead letters: the oldest is lost',
      )
    }
    keepDead()
  }

  function keepDead(): void {
    keeper?.save(
      [...groups].flatMap(([group, { dead, redriving }]) =>
        [...redriving, ...dead].map(({ letter, ...rest }) => ({ group, ...rest, ...letter })),
      ),
    )
  }

  const consumes = (group: Group, type: string) => [...group.members].some(member => member.types.has(type))

  /** Resolves as soon as somebody consumes `type` in the name of `group`; rejects when the wait is over. */
  function subscriber(name: string, type: string): Promise<void> {
    const group = groupOf(name)
    if (consumes(group, type)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer)
        subscriberWaits.delete(wait)
        act()
      }
      const fail = (why: string) => finish(() => reject(new EventBusUnavailable(why)))
      const wait = {
        check: () => consumes(group, type) && finish(resolve),
        stop: () => fail('the event bus is closed'),
      }
      const timer = setTimeout(() => fail(`${name} does not consume ${type}`), subscriberWaitMs)
      subscriberWaits.add(wait)
    })
  }

  function deliver(name: string, type: string, text: string, tries: FailedAttempt[] = []): Promise<void> {
    const group = groupOf(name)
    return new Promise((resolve, reject) => {
      const item: Item = { type, text, attempt: 0, tries, done: error => (error ? reject(error) : resolve()) }
      group.queue.push(item)
      pump(name, group)
    })
  }

  /** Hands out what waits to those with room; the least busy takes first. */
  function pump(name: string, group: Group): void {
    const held: Item[] = []
    for (let item = group.queue.shift(); item; item = group.queue.shift()) {
      const taker = [...group.members]
        .filter(member => member.types.has(item.type) && member.running.size < member.prefetch)
        .sort((a, b) => a.running.size / a.prefetch - b.running.size / b.prefetch)[0]
      if (taker) take(name, group, taker, item)
      else {
        held.push(item)
        if ([...group.members].every(member => member.running.size >= member.prefetch)) break
      }
    }
    group.queue.unshift(...held)
    if (group.queue.length > 0 && !group.abandoning) abandonLater(name, group)
  }

  /** Nobody in the group consumes these any longer: their publishers are told, and try again. */
  function abandonLater(name: string, group: Group): void {
    group.abandoning = setTimeout(() => {
      group.abandoning = undefined
      const orphans = group.queue.filter(item => !consumes(group, item.type))
      group.queue = group.queue.filter(item => consumes(group, item.type))
      for (const { type, done } of orphans) done(new EventBusUnavailable(`${name} does not consume ${type} any longer`))
      pump(name, group)
    }, subscriberWaitMs)
    group.abandoning.unref()
  }

  function take(name: string, group: Group, member: Member, item: Item): void {
    const work = (async () => {
      try {
        await member.handler(JSON.parse(item.text), { attempt: item.attempt + 1 })
        item.done()
      } catch (error) {
        failed(name, group, item, error)
      }
    })().finally(() => {
      member.running.delete(work)
      pump(name, group)
    })
    member.running.add(work)
  }

  function failed(name: string, group: Group, item: Item, error: unknown): void {
    const reason = reasonOf(error)
    const at = new Date().toISOString()
    const delay = retryDelaysMs[item.attempt]
    item.tries = addAttempt(item.tries, { at, reason })
    if (error instanceof PoisonError || delay === undefined) {
      log?.error({ group: name, type: item.type, reason }, 'event put to the dead letters')
      try {
        bury(name, { letter: { reason, at, tries: item.tries }, type: item.type, text: item.text })
        item.done()
      } catch (unkept) {
        // Not safe anywhere but in its outbox: there it stays.
        item.done(new EventBusUnavailable(`the dead letters could not be kept: ${reasonOf(unkept)}`))
      }
    } else if (closed) {
      item.done(new EventBusUnavailable('the event bus is closed'))
    } else {
      log?.warn({ group: name, type: item.type, reason, attempt: item.attempt }, 'event will be retried')
      item.attempt++
      const again = () => {
        group.backingOff.delete(item)
        group.queue.push(item)
        pump(name, group)
      }
      group.backingOff.set(item, setTimeout(again, delay))
    }
  }

  function redriveThose(name: string, wanted: (dead: Dead) => boolean): number {
    const group = groupOf(name)
    const picked: Dead[] = []
    const left: Dead[] = []
    for (const dead of group.dead) (wanted(dead) ? picked : left).push(dead)
    group.dead = left
    for (const { again: _asked, ...dead } of picked) {
      group.redriving.add(dead)
      deliver(name, dead.type, dead.text, dead.letter.tries)
        .finally(() => group.redriving.delete(dead))
        // The publisher was already told that the event is safe, so an undeliverable event stays a
        // dead letter.
        .then(keepDead, error =>
          bury(name, { ...dead, letter: { ...dead.letter, reason: reasonOf(error), at: new Date().toISOString() } }),
        )
        .catch(error => log?.error({ group: name, type: dead.type, reason: reasonOf(error) }, 'dead letters not kept'))
    }
    return picked.length
  }

  async function publishNow(event: DomainEvent): Promise<void> {
    const { type } = event
    const text = JSON.stringify(event)
    const expected = consumersOf(type)
    await Promise.all(expected.map(name => subscriber(name, type)))
    if (closed) throw new EventBusUnavailable('the event bus is closed')
    for (const follower of followers) {
      if (!follower.types.has(type)) continue
      queueMicrotask(() => {
        try {
          follower.handler(JSON.parse(text))
        } catch (error) {
          log?.error({ type, reason: reasonOf(error) }, 'a follower failed')
        }
      })
    }
    const others = [...groups].filter(([name, group]) => !expected.includes(name) && consumes(group, type))
    await Promise.all([...expected, ...others.map(([name]) => name)].map(name => deliver(name, type, text)))
  }

  return {
    publish(event) {
      if (closed) return Promise.reject(new EventBusUnavailable('the event bus is closed'))
      const work = publishNow(event).finally(() => publishing.delete(work))
      publishing.add(work)
      return work
    },

    async consume({ group: name, types, prefetch = defaultPrefetch }, handler) {
      const group = groupOf(name)
      const member: Member = { types: new Set(types), prefetch, handler, running: new Set() }
      group.members.add(member)
      for (const wait of subscriberWaits) wait.check()
      redriveThose(name, dead => dead.again === true && member.types.has(dead.type))
      pump(name, group)
      return {
        async cancel() {
          group.members.delete(member)
          await Promise.all(member.running)
        },
      }
    },

    async subscribeLive({ types }, handler) {
      const follower = { types: new Set(types), handler }
      followers.add(follower)
      return {
        async cancel() {
          followers.delete(follower)
        },
      }
    },

    health: () => (closed ? 'the event bus is closed' : undefined),
    onReconnect() {},
    onPublishable() {},

    async deadLetters(name) {
      return groupOf(name).dead.slice(0, deadLettersListed).map(letterOf)
    },

    async redrive(name, ids) {
      const wanted = ids && new Set(ids)
      return redriveThose(name, dead => !wanted || wanted.has(letterOf(dead).id))
    },

    async drop(name, ids, keep) {
      const group = groupOf(name)
      const wanted = ids === 'all' ? undefined : new Set(ids)
      let dropped = 0
      for (const dead of [...group.dead]) {
        const letter = letterOf(dead)
        if (wanted && !wanted.has(letter.id)) continue
        await keep(letter)
        const at = group.dead.indexOf(dead)
        if (at === -1) continue
        group.dead.splice(at, 1)
        keepDead()
        dropped++
      }
      return dropped
    },

    async depth(name) {
      const group = groups.get(name)
      return group && { waiting: group.queue.length, dead: group.dead.length + group.redriving.size }
    },

    async close() {
      closed = true
      followers.clear()
      for (const wait of subscriberWaits) wait.stop()
      const gone = new EventBusUnavailable('the event bus is closed')
      const running: Promise<void>[] = []
      for (const group of groups.values()) {
        for (const timer of [group.abandoning, ...group.backingOff.values()]) clearTimeout(timer)
        for (const item of [...group.backingOff.keys(), ...group.queue.splice(0)]) item.done(gone)
        group.backingOff.clear()
        for (const member of group.members) running.push(...member.running)
        group.members.clear()
      }
      await Promise.allSettled([...running, ...publishing])
    },
  }
}

function letterOf({ letter, text }: Dead): DeadLetter {
  const event = parseDeadLetter(text)
  return { id: deadLetterId(text, event), event, ...letter }
}
