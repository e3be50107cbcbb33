import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { findAffectedPresenceKeys } from '../actions/bump-presence-versions.ts'
import type { PlaybackContext } from '../context.ts'

export interface PresenceWatcherDeps extends Pick<PlaybackContext, 'clock' | 'live' | 'people'> {
  bus: EventBus
  log: Logger
  /** The name of the service, for the events. */
  source: string
}

export interface PresenceWatcher extends Lifecycle {
  /** Publishes the changes since the last run and returns the number of changed people. */
  publishChanges(): Promise<number>
}

const batchSize = 500

/**
 * Publishes `presence.changed` every limits.presenceWatchMs, also for people who fell silent. Each
 * change goes to one replica. A replica that is killed loses its changes; clients also poll.
 * While the live store is unavailable the job retries.
 */
export function createPresenceWatcher({ clock, live, people, bus, log, source }: PresenceWatcherDeps): PresenceWatcher {
  /** Changes not published yet: person id to online; the latest of each person counts. */
  let pending = new Map<string, boolean>()
  let liveStoreAway = false

  async function publishChanges(): Promise<number> {
    const { arrived, left } = await live.presence.claimChanges(clock.now(), batchSize)
    for (const personId of left) pending.set(personId, false)
    for (const personId of arrived) pending.set(personId, true)
    if (pending.size === 0) return 0
    // Taken before the first await, so that two runs at the same time do not publish the same
    // change.
    const changes = pending
    pending = new Map()
    try {
      // Versions are bumped before the event, so that a client that refetches gets the new list.
      await live.versions.bump(await findAffectedPresenceKeys({ people }, ...changes.keys()))
    } catch (error) {
      pending = new Map([...changes, ...pending])
      throw error
    }
    publish(changes)
    const hasMore = arrived.length === batchSize || left.length === batchSize
    return changes.size + (hasMore ? await publishChanges() : 0)
  }

  /** Best effort, past the outbox: only open pages use the event. */
  function publish(changes: ReadonlyMap<string, boolean>) {
    const event: DomainEvent<'presence.changed'> = {
      specversion: '1.0',
      id: randomUUID(),
      source,
      type: 'presence.changed',
      subject: 'presence',
      time: new Date(clock.now()).toISOString(),
      data: { people: [...changes].map(([person_id, online]) => ({ person_id, online })) },
    }
    bus.publish(event).catch(error => log.debug({ err: error }, 'publish of presence.changed failed, not retrying'))
  }

  const job = createRepeatedJob(
    async () => {
      await publishChanges()
      liveStoreAway = false
    },
    {
      pauseMs: limits.presenceWatchMs,
      onError: error => {
        if (!liveStoreAway) log.warn({ err: error }, 'presence watch failed, retrying')
        liveStoreAway = true
      },
    },
  )

  return { publishChanges, ...job }
}
