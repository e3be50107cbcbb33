import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { sightKeys } from '../actions/bump-presence-versions.ts'
import type { PlaybackContext } from '../context.ts'

type Watching = Pick<PlaybackContext, 'clock' | 'live' | 'people'>

/** So many of either kind are taken, and told of, at once. */
const together = 500

export interface PresenceWatcher extends Lifecycle {
  /** Takes what changed and tells of it; answers how many people came or went. */
  lookOnce(): Promise<number>
}

/**
 * Turns presence into events: looks every limits.presenceWatchMs who came online and whose presence ended, silence included, which no
 * call tells of. Any number of replicas look; each change is given to one of them, and what that one loses by being killed is lost: the
 * lists it stands for are old after a while by themselves. While the live store is away it keeps trying.
 */
export function createPresenceWatcher(
  ctx: Watching,
  { bus, log, source }: { bus: EventBus; log: Logger; source: string },
): PresenceWatcher {
  /** Taken, and not told yet; the latest of each person counts. */
  let changed = new Map<string, boolean>()
  let away = false

  async function lookOnce(): Promise<number> {
    const { arrived, left } = await ctx.live.presence.takeChanges(ctx.clock.now(), together)
    for (const personId of left) changed.set(personId, false)
    for (const personId of arrived) changed.set(personId, true)
    if (changed.size === 0) return 0
    // Before anybody is told: who then asks finds another version.
    await ctx.live.versions.bump(await sightKeys(ctx, ...changed.keys()))
    const told = changed
    changed = new Map()
    tell(told)
    const isMore = arrived.length === together || left.length === together
    return told.size + (isMore ? await lookOnce() : 0)
  }

  /** Best effort, and nobody waits for it: only open pages follow, and they poll besides. */
  function tell(people: ReadonlyMap<string, boolean>) {
    const event: DomainEvent<'presence.changed'> = {
      specversion: '1.0',
      id: randomUUID(),
      source,
      type: 'presence.changed',
      subject: 'presence',
      time: new Date(ctx.clock.now()).toISOString(),
      data: { people: [...people].map(([person_id, online]) => ({ person_id, online })) },
    }
    bus.publish(event).catch(error => log.debug({ err: error }, 'presence.changed was not told'))
  }

  const repeater = createRepeatedJob(
    async () => {
      await lookOnce()
      away = false
    },
    {
      pauseMs: limits.presenceWatchMs,
      failed: error => {
        if (!away) log.warn({ err: error }, 'presence is not watched; trying again')
        away = true
      },
    },
  )

  return { lookOnce, ...repeater }
}
