import { randomUUID } from 'node:crypto'
import type { EventData } from '@watchline/contracts/events'
import type { Clock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import type { HintPublisher, RoomChange } from '../rules/hints.ts'
import { messagesVersion, roomsVersion } from '../rules/versions.ts'

export interface HintPublisherDeps {
  bus: EventBus
  live: LiveStore
  clock: Clock
  log: Logger
}

/** Further hints are dropped: pages catch up by polling. */
const maxWaiting = 5_000

/**
 * Publishes one event at a time; the changes that arrive meanwhile go into the next one. Best
 * effort: hints are lost while the broker is unavailable.
 */
export function createHintPublisher({ bus, live, clock, log }: HintPublisherDeps): HintPublisher & Lifecycle {
  let waiting = new Map<string, RoomChange>()
  let publishing: Promise<void> | undefined

  async function publishWaiting() {
    while (waiting.size > 0) {
      const changes = [...waiting.values()]
      waiting = new Map()
      const data: EventData<'chat.changed'> = { changes }
      const subject = changes[0]!.room_id
      const time = new Date(clock.now()).toISOString()
      await bus
        .publish({ specversion: '1.0', id: randomUUID(), source: 'chat', type: 'chat.changed', subject, time, data })
        .catch(error => log.debug({ err: error }, 'publish of hints failed, open pages catch up by polling'))
    }
    publishing = undefined
  }

  function publishHints(changes: readonly RoomChange[]) {
    for (const change of changes)
      if (waiting.size < maxWaiting) waiting.set(`${change.what} ${change.room_id} ${change.by}`, change)
    if (waiting.size > 0) publishing ??= publishWaiting()
  }

  return {
    publishChanges: async changes => {
      const keys = new Set<string>()
      for (const { what, room_id, person_ids } of changes) {
        for (const id of person_ids) keys.add(roomsVersion(id))
        if (what === 'message') keys.add(messagesVersion(room_id))
      }
      await live.versions
        .bump([...keys])
        .catch(error => log.warn({ err: error }, 'version bump failed, cached answers stay until they expire'))
      publishHints(changes)
    },
    publishHints,
    start: () => {},
    stop: async () => {
      await publishing
    },
  }
}
