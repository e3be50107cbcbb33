import { consumersOf, type DomainEvent } from '@watchline/contracts/events'
import { until } from '../../../../tools/src/provision/wait.ts'
import type { CallLog } from '../call-log.ts'
import type { FaultWorld } from '../fault-world.ts'

export const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat'] as const
export type Service = (typeof services)[number]

interface OutboxRow {
  _id: string
  seq: Date
  event?: DomainEvent
  pending?: true
}

type Looking = Pick<FaultWorld, 'databases' | 'bus'>

const outboxOf = ({ databases }: Looking, service: Service) => databases.of(service).collection<OutboxRow>('outbox')

/** The relay never queries events by age alone, but these checks do. */
export async function indexOutboxes(world: Looking): Promise<void> {
  for (const service of services) await outboxOf(world, service).createIndex({ seq: 1 }, { name: 'checks' })
}

/** Events written between two instants that are unpublished, or that some group has not consumed. */
async function missing(world: Looking, from: number, to: number) {
  const unpublished: string[] = []
  const expected = new Map<Service, Map<string, string>>()
  for (const service of services) {
    const rows = await outboxOf(world, service)
      .find({ seq: { $gte: new Date(from), $lt: new Date(to) } })
      .toArray()
    for (const { _id, event, pending } of rows) {
      if (pending) unpublished.push(`${event?.type ?? 'versions'} ${_id}`)
      for (const group of event ? consumersOf(event.type) : []) {
        const wanted = expected.get(group as Service) ?? new Map<string, string>()
        expected.set(group as Service, wanted.set(_id, event!.type))
      }
    }
  }
  const unconsumed: string[] = []
  for (const [group, wanted] of expected) {
    const found = await world.databases
      .of(group)
      .collection<{ _id: string }>('consumed_events')
      .find({ _id: { $in: [...wanted.keys()] } }, { projection: { _id: 1 } })
      .toArray()
    for (const { _id } of found) wanted.delete(_id)
    for (const [id, type] of wanted) unconsumed.push(`${type} ${id} by ${group}`)
  }
  return { unpublished, unconsumed }
}

/** Checks the events of all services, cycle by cycle. */
export function createEventChecks(world: Looking, callLog: CallLog) {
  let checkedTo = 0

  return {
    /**
     * Waits until every event of before `mark` has been published and consumed by every group that must get it; resolves to some of those that
     * it waited for last.
     */
    drained: async (mark: number, limitMs: number): Promise<string> => {
      let last = ''
      await until(
        async () => {
          const { unpublished, unconsumed } = await missing(world, checkedTo, mark)
          if (unpublished.length + unconsumed.length === 0) return true
          last = `${unpublished.length} unpublished, ${unconsumed.length} not consumed: ${[...unpublished, ...unconsumed].slice(0, 3)}`
          return false
        },
        { condition: 'events are consumed', limitMs, everyMs: 250 },
      ).catch(() => {
        callLog.violation('slow events', `after ${limitMs / 1_000} s ${last}`)
      })
      // With a margin for slow commits, because an event's time is the start of its transaction.
      checkedTo = mark - 20_000
      return last
    },

    /** Checks all events, and that no outbox lacks a consumed event. Returns the number of events. */
    final: async (): Promise<number> => {
      const { unpublished, unconsumed } = await missing(world, 0, Date.now())
      for (const each of unpublished) callLog.violation('event not published', each)
      for (const each of unconsumed) callLog.violation('event lost', each)
      const known = new Set<string>()
      for (const service of services)
        for (const { _id } of await outboxOf(world, service)
          .find({}, { projection: { _id: 1 } })
          .toArray())
          known.add(_id)
      // A build without outboxes is judged by the effects of its events.
      for (const group of known.size === 0 ? [] : services) {
        const consumed = world.databases.of(group).collection<{ _id: string }>('consumed_events')
        const strange = (await consumed.find().toArray()).filter(({ _id }) => !known.has(_id))
        if (strange.length > 0)
          callLog.violation('event from nowhere', `${group} consumed ${strange.length} that are in no outbox`)
      }
      for (const group of services.filter(each => each !== 'auth'))
        for (const { event, reason } of await world.bus.deadLetters(group))
          callLog.violation('dead letter', `${group}: ${reason}: ${JSON.stringify(event)?.slice(0, 200)}`)
      return known.size
    },
  }
}
