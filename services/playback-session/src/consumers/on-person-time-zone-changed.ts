import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

/**
 * Keeps the time zone for due dates from now on. Tasks keep their due dates. Erased and deleted
 * people do not come back.
 */
export const onPersonTimeZoneChanged = defineConsumer(
  'person.time_zone_changed',
  async ({ event, tx }, ctx: PlaybackContext) => {
    const { person_id: personId, time_zone: timeZone, changed_at } = event.data
    const [person] = await ctx.people.byIds([personId], tx.session)
    const deletedIds = await ctx.people.findDeleted([personId], tx.session)
    if (person?.erasedAt || deletedIds.has(personId)) return
    await ctx.timeZones.apply({ personId, timeZone, changedAt: new Date(changed_at) }, tx.session)
  },
  { partitionKey: event => event.data.person_id },
)
