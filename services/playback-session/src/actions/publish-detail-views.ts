import type { Person } from '@watchline/identity/people'
import type { Calendar } from '@watchline/kit/core/calendar'
import type { Clock } from '@watchline/kit/core/clock'
import type { Outbox } from '@watchline/kit/messaging/outbox'

interface Deps {
  outbox: Outbox
  clock: Clock
  calendar: Calendar
}
type Viewer = Pick<Person, 'id'>

export type DetailViewPublisher = (viewer: Viewer, personIds: readonly string[]) => Promise<void>

const maxPublishedKeys = 100_000

/**
 * Publishes who saw details of people, for the record of these: each viewer and person once a day,
 * because pages read their lists again and again. Another replica, or this one after a restart, may
 * publish it again; engagement records it once.
 */
export function createDetailViewPublisher({ outbox, clock, calendar }: Deps): DetailViewPublisher {
  /** The views that are known to be published. */
  const publishedKeys = new Set<string>()

  return async (viewer, personIds) => {
    const at = clock.now()
    const keyOf = (personId: string) => `${personId}:${calendar.dateOf(at)}:${viewer.id}`
    const newIds = personIds.filter(personId => !publishedKeys.has(keyOf(personId)))
    if (newIds.length === 0) return
    await outbox.transaction(async tx =>
      tx.publish('user.details_viewed', viewer.id, {
        person_ids: newIds,
        by: viewer.id,
        viewed_at: new Date(at).toISOString(),
      }),
    )
    if (publishedKeys.size > maxPublishedKeys) publishedKeys.clear()
    for (const personId of newIds) publishedKeys.add(keyOf(personId))
  }
}
