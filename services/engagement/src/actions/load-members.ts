import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { type MemberOverview, summariseMember } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import type { Watches } from '../rules/watch-state.ts'

/** A person with their assigned playlists and what they watched. */
export interface Member {
  person: Person
  assigned: Playlist[]
  watches: Watches
  overview: MemberOverview
}

/**
 * At most three database commands for any number of people: watchers by id, assignments by index,
 * and the playlists that are not in memory.
 */
export async function loadMembers(
  { watchers, projections }: Pick<EngagementContext, 'watchers' | 'projections'>,
  people: readonly Person[],
): Promise<Member[]> {
  if (people.length === 0) return []
  const ids = people.map(({ id }) => id)
  const [allWatches, assignments] = await Promise.all([
    watchers.loadWatches(ids),
    projections.assignments.playlistsOfMany(ids),
  ])
  const playlists = await projections.loadKnown([...assignments.values()].flat())
  return people.map(person => {
    const assigned = (assignments.get(person.id) ?? []).flatMap(id => {
      const playlist = playlists.get(id)
      return playlist?.deletedAt === null ? [playlist] : []
    })
    const watches = allWatches.get(person.id) ?? {}
    return { person, assigned, watches, overview: summariseMember(assigned, watches) }
  })
}
