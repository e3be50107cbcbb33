import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import type { ViewedPart } from '../store/detail-views.ts'

/** Records that a person looked at the details of others, at `at` in ms. */
export async function recordDetailView(
  { detailViews, calendar, clock }: Pick<EngagementContext, 'detailViews' | 'calendar' | 'clock'>,
  viewer: Pick<Person, 'id'>,
  people: readonly Pick<Person, 'id'>[],
  what: ViewedPart,
  at = clock.now(),
): Promise<void> {
  const personIds = people.map(({ id }) => id)
  await detailViews.record({ viewerId: viewer.id, personIds, what, day: calendar.dateOf(at), at })
}
