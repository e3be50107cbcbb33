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

type CheckedWorld = Pick<FaultWorld, 'databases' | 'bus'>

const outboxOf = ({ databases }: CheckedWorld, service: Service) =>
  databases.of(service).collection<OutboxRow>('outbox')

/** The relay never queries events by age alone, but these checks do. */
export async function indexOutboxes(world: CheckedWorld): Promise<void> {
  for (const service of services) await outboxOf(world, service).createIndex({ seq: 1 }, { name: 'checks' })
}

/**
 * Events written between two instants (ms) that are unpublished, or that a group has not consumed.
 */
async function findMissingEvents(world: CheckedWorld, from: number, to: number) {
  const unpublished: string[] = []
  const expected = new Map<Service, Map<string, string>>()
  for (const service of services) {
    const rows = await outboxOf(world, service)
      .find({ seq: { $gte: new Date(from), $lt: new Date(to) } })
      .toArray()
    for (const { _id, event, pending } of rows) {
      if (pending) unpublished.push(`${event?.type ?? 'versions'} ${_id}`)
      for (const group of event ? consumersOf(event.type) : []) {
        const missingTypes = expected.get(group as Service) ?? new Map<string, string>()
        expected.set(group as Service, missingTypes.set(_id, event!.type))
      }
    }
  }
  const unconsumed: string[] = []
  for (const [group, missingTypes] of expected) {
    const found = await world.databases
      .of(group)
      .collection<{ _id: string }>('consumed_events')
      .find({ _id: { $in: [...missingTypes.keys()] } }, { projection: { _id: 1 } })
      .toArray()
    for (const { _id } of found) missingTypes.delete(_id)
    for (const [id, type] of missingTypes) unconsumed.push(`${type} ${id} by ${group}`)
  }
  return { unpublished, unconsumed }
}

/** Checks the events of all services, cycle by cycle. */
export function createEventChecks(world: CheckedWorld, callLog: CallLog) {
  let checkedTo = 0

  return {
    /**
     * Waits until every event before `mark` is published, and consumed by every group that must get
     * it. Resolves to examples of the last missing events.
     */
    drain: async (mark: number, limitMs: number): Promise<string> => {
      let lastMissing = ''
      await until(
        async () => {
          const { unpublished, unconsumed } = await findMissingEvents(world, checkedTo, mark)
          if (unpublished.length + unconsumed.length === 0) return true
          lastMissing = `${unpublished.length} unpublished, ${unconsumed.length} not consumed: ${[...unpublished, ...unconsumed].slice(0, 3)}`
          return false
        },
        { condition: 'events are consumed', limitMs, everyMs: 250 },
      ).catch(() => {
        callLog.reportViolation('slow events', `after ${limitMs / 1_000} s ${lastMissing}`)
      })
      // With a margin for slow commits, because an event's time is the start of its transaction.
      checkedTo = mark - 20_000
      return lastMissing
    },

    /**
     * Checks all events, and that no outbox lacks a consumed event. Returns the number of events.
     */
    checkAll: async (): Promise<number> => {
      const { unpublished, unconsumed } = await findMissingEvents(world, 0, Date.now())
      for (const event of unpublished) callLog.reportViolation('event not published', event)
      for (const event of unconsumed) callLog.reportViolation('event lost', event)
      const writtenIds = new Set<string>()
      for (const service of services)
        for (const { _id } of await outboxOf(world, service)
          .find({}, { projection: { _id: 1 } })
          .toArray())
          writtenIds.add(_id)
      // A build without outboxes is judged by the effects of its events.
      for (const group of writtenIds.size === 0 ? [] : services) {
        const consumed = world.databases.of(group).collection<{ _id: string }>('consumed_events')
        const unknown = (await consumed.find().toArray()).filter(({ _id }) => !writtenIds.has(_id))
        if (unknown.length > 0)
          callLog.reportViolation(
            'event from nowhere',
            `${group} consumed ${unknown.length} events that are in no outbox`,
          )
      }
      for (const group of services.filter(service => service !== 'auth'))
        for (const { event, reason } of await world.bus.deadLetters(group))
          callLog.reportViolation('dead letter', `${group}: ${reason}: ${JSON.stringify(event)?.slice(0, 200)}`)
      return writtenIds.size
    },
  }
}
