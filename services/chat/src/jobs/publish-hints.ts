import { randomUUID } from 'node:crypto'
import type { EventData } from '@watchline/contracts/events'
import type { Clock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { messagesVersion, roomsVersion } from '../rules/versions.ts'

export type Change = EventData<'chat.changed'>['changes'][number]

export interface Telling extends Lifecycle {
  /** What was stored can be read: polls find it from now on, and open pages hear of it. */
  changed(changes: readonly Change[]): Promise<void>
  /** Open pages hear of it, if they can. */
  hint(changes: readonly Change[]): void
}

/** What waits while an event is on its way; beyond it hints are lost, as polls find everything anyhow. */
const mostWaiting = 5_000

/**
 * One event is on its way at a time, and takes along what has gathered meanwhile. Best effort: it is not kept for a broker that is away.
 */
export function createTelling({
  bus,
  live,
  clock,
  log,
}: {
  bus: EventBus
  live: LiveStore
  clock: Clock
  log: Logger
}): Telling {
  let waiting = new Map<string, Change>()
  let publishing: Promise<void> | undefined

  async function publish() {
    while (waiting.size > 0) {
      const changes = [...waiting.values()]
      waiting = new Map()
      const data: EventData<'chat.changed'> = { changes }
      const subject = changes[0]!.room_id
      const time = new Date(clock.now()).toISOString()
      await bus
        .publish({ specversion: '1.0', id: randomUUID(), source: 'chat', type: 'chat.changed', subject, time, data })
        .catch(error => log.debug({ err: error }, 'open pages were not told; they will ask'))
    }
    publishing = undefined
  }

  function hint(changes: readonly Change[]) {
    for (const change of changes)
      if (waiting.size < mostWaiting) waiting.set(`${change.what} ${change.room_id} ${change.by}`, change)
    if (waiting.size > 0) publishing ??= publish()
  }

  return {
    changed: async changes => {
      const keys = new Set<string>()
      for (const { what, room_id, person_ids } of changes) {
        for (const id of person_ids) keys.add(roomsVersion(id))
        if (what === 'message') keys.add(messagesVersion(room_id))
      }
      // Without it polls answer what they know until that is no longer fresh.
      await live.versions.bump([...keys]).catch(error => log.warn({ err: error }, 'versions could not be raised'))
      hint(changes)
    },
    hint,
    start: () => {},
    stop: async () => {
      await publishing
    },
  }
}
