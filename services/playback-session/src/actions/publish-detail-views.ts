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

const maxRemembered = 100_000

/**
 * Publishes who saw details of people, for the record of these: each viewer and person once a day,
 * because pages read their lists again and again. Another replica, or this one after a restart, may
 * publish it again; engagement records it once.
 */
export function createDetailViewPublisher({ outbox, clock, calendar }: Deps): DetailViewPublisher {
  /** The views that are known to be published. */
  const remembered = new Set<string>()

  return async (viewer, personIds) => {
    const at = clock.now()
    const keyOf = (personId: string) => `${personId}:${calendar.dateOf(at)}:${viewer.id}`
    const unpublished = personIds.filter(personId => !remembered.has(keyOf(personId)))
    if (unpublished.length === 0) return
    await outbox.transaction(async tx =>
      tx.publish('user.details_viewed', viewer.id, {
        person_ids: unpublished,
        by: viewer.id,
        viewed_at: new Date(at).toISOString(),
      }),
    )
    if (remembered.size > maxRemembered) remembered.clear()
    for (const personId of unpublished) remembered.add(keyOf(personId))
  }
}
