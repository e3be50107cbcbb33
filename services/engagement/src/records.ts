import type { EngagementRecord } from '@watchline/contracts/engagement'
import type { EngagementContext } from './context.ts'
import { presentRecord } from './presenters.ts'
import { readVideoKey } from './rules/watch-state.ts'
import type { Watches } from './store/watchers.ts'

/** The records of some people: one a person and video that was ever reported, each person's latest first. */
export async function recordsOf(
  { projections }: Pick<EngagementContext, 'projections'>,
  watched: readonly { personId: string; watches: Watches }[],
): Promise<EngagementRecord[]> {
  const all = watched.flatMap(({ personId, watches }) =>
    Object.entries(watches)
      .sort(([, one], [, other]) => other.lastReportAt - one.lastReportAt)
      .map(([key, watch]) => ({ personId, key, watch, playlistId: readVideoKey(key).playlistId })),
  )
  const playlists = await projections.known(all.map(each => each.playlistId))
  return all.map(({ personId, key, watch, playlistId }) =>
    presentRecord(personId, key, watch, playlists.get(playlistId)),
  )
}

/** Latest first, as far as ISO times go; ties by id, so that pages neither repeat nor leave out. */
export function latestFirst(
  one: Pick<EngagementRecord, 'last_updated' | 'id'>,
  other: Pick<EngagementRecord, 'last_updated' | 'id'>,
): number {
  if (one.last_updated !== other.last_updated) return one.last_updated < other.last_updated ? 1 : -1
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0
}
