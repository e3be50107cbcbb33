import { cloudEvent, type EventData, type EventType, events } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { personFromSnapshot } from '@watchline/identity/people'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { EventBus, Subscription } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { askedBy, followed, type Place, saidOf } from '../../rules/hints.ts'
import type { Streams } from './live-streams.ts'
import type { Places } from './org-positions.ts'

/** By then the other services know, too, what an event has told everyone of. */
const againMs = 1_000

/**
 * Makes hints of the events as they happen, for the streams of this replica. Every replica follows by itself; what is missed while the
 * bus is away is made good by telling everybody that something was.
 */
export function createHints(options: { bus: EventBus; streams: Streams; places: Places; log: Logger }): Lifecycle {
  const { bus, streams, places, log } = options
  const waiting = new Set<NodeJS.Timeout>()
  let subscription: Subscription | undefined
  let running = false

  async function tell<T extends EventType>(type: T, data: EventData<T>) {
    const before = streams.size > 0 ? await placesOf(askedBy(type, data)) : undefined
    for (const person of peopleIn(data).map(personFromSnapshot)) {
      places.note(person)
      streams.moved(places.newest(person))
    }
    if (!before) return
    for (const said of saidOf(type, data, id => before.get(id))) {
      streams.say(said)
      if (said.again) later(() => streams.say(said))
    }
  }

  /** Those asked for, and their supervisors. */
  async function placesOf(ids: readonly string[]): Promise<Map<string, Place>> {
    const known = new Map<string, Place>()
    const look = async (wanted: readonly (string | null)[]) => {
      const missing = [...new Set(wanted)].filter(id => id !== null && !known.has(id)) as string[]
      for (const person of await Promise.all(missing.map(places.of))) if (person) known.set(person.id, person)
    }
    await look(ids)
    await look([...known.values()].map(place => place.supervisorId))
    return known
  }

  function later(step: () => void) {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      step()
    }, againMs)
    waiting.add(timer)
  }

  function hear(raw: unknown) {
    const envelope = cloudEvent.safeParse(raw)
    const type = envelope.data?.type as EventType
    const data = followed.includes(type) ? events[type].data.safeParse(envelope.data?.data) : undefined
    if (!data?.success) {
      log.warn({ type }, 'an event that no schema accepts made no hint')
      return
    }
    tell(type, data.data as EventData<EventType>).catch(error => log.warn({ err: error, type }, 'a hint was not said'))
  }

  return {
    start: async () => {
      running = true
      bus.onReconnect(() => {
        if (running) void streams.missed()
      })
      subscription = await bus.subscribeLive({ types: followed }, hear)
    },
    stop: async () => {
      running = false
      for (const timer of waiting) clearTimeout(timer)
      await subscription?.cancel()
    },
  }
}

/** The people an event tells of as they are now. */
function peopleIn(data: object): readonly PersonSnapshot[] {
  if ('person' in data) return [data.person as PersonSnapshot]
  return 'import_id' in data ? (data as EventData<'users.imported'>).people : []
}
