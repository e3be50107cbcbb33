import { cloudEvent, type EventData, type EventType, events, isFromProducer } from '@watchline/contracts/events'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { personFromSnapshot } from '@watchline/identity/person-snapshot'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { EventBus, Subscription } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { hintedEvents, hintsFor, type OrgPosition, peopleToLocate } from '../../rules/hints.ts'
import type { LiveStreams } from './live-streams.ts'
import type { OrgPositions } from './org-positions.ts'

export interface EventHintsDeps {
  bus: EventBus
  streams: LiveStreams
  positions: OrgPositions
  log: Logger
}

/** Within this time the other services have applied the same event. */
const repeatAfterMs = 1_000

/**
 * Turns events into hints for the streams of this replica. Every replica subscribes by itself; a
 * reconnect to the bus counts as a gap, after which every page refetches.
 */
export function createEventHints({ bus, streams, positions, log }: EventHintsDeps): Lifecycle {
  const repeatTimers = new Set<NodeJS.Timeout>()
  let subscription: Subscription | undefined
  let isRunning = false

  async function sendHints<T extends EventType>(type: T, data: EventData<T>) {
    // Positions are read before the event changes them.
    const before = streams.size > 0 ? await locate(peopleToLocate(type, data)) : undefined
    for (const person of peopleIn(data).map(personFromSnapshot)) {
      positions.record(person)
      streams.updatePosition(positions.newest(person))
    }
    if (!before) return
    for (const hint of hintsFor(type, data, id => before.get(id))) {
      if (!hint.isDelayed) streams.send(hint)
      if (hint.repeat || hint.isDelayed) runLater(() => streams.send(hint))
    }
  }

  /** The positions of these people and of their supervisors. */
  async function locate(ids: readonly string[]): Promise<Map<string, OrgPosition>> {
    const located = new Map<string, OrgPosition>()
    const addPositions = async (personIds: readonly (string | null)[]) => {
      const missing = [...new Set(personIds)].filter(id => id !== null && !located.has(id)) as string[]
      for (const person of await Promise.all(missing.map(positions.find))) if (person) located.set(person.id, person)
    }
    await addPositions(ids)
    await addPositions([...located.values()].map(position => position.supervisorId))
    return located
  }

  function runLater(task: () => void) {
    const timer = setTimeout(() => {
      repeatTimers.delete(timer)
      task()
    }, repeatAfterMs)
    repeatTimers.add(timer)
  }

  function receive(raw: unknown) {
    const envelope = cloudEvent.safeParse(raw)
    const type = envelope.data?.type as EventType
    if (envelope.success && !isFromProducer(envelope.data)) {
      log.warn({ type, source: envelope.data.source }, 'event not from its producer, ignored')
      return
    }
    const data = hintedEvents.includes(type) ? events[type].data.safeParse(envelope.data?.data) : undefined
    if (!data?.success) {
      log.warn({ type }, 'event data invalid, no hint sent')
      return
    }
    sendHints(type, data.data as EventData<EventType>).catch(error =>
      log.warn({ err: error, type }, 'sending hints failed, open pages catch up by polling'),
    )
  }

  return {
    start: async () => {
      isRunning = true
      bus.onReconnect(() => {
        if (isRunning) void streams.recoverFromGap()
      })
      subscription = await bus.subscribeLive({ types: hintedEvents }, receive)
    },
    stop: async () => {
      isRunning = false
      for (const timer of repeatTimers) clearTimeout(timer)
      await subscription?.cancel()
    },
  }
}

/** The people whose new state an event carries. */
function peopleIn(data: object): readonly PersonSnapshot[] {
  if ('person' in data) return [data.person as PersonSnapshot]
  return 'import_id' in data ? (data as EventData<'users.imported'>).people : []
}
