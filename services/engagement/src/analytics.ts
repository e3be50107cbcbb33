import type { Person } from '@watchline/identity/people'
import { z } from 'zod'
import type { EngagementContext } from './context.ts'
import { type MemberOverview, overviewOfMember } from './rules/overview.ts'
import type { Playlist } from './rules/playlist.ts'
import type { Watches } from './store/watchers.ts'

/** A person with what they have and what they watched. */
export interface Member {
  person: Person
  assigned: Playlist[]
  watches: Watches
  overview: MemberOverview
}

/** What `scopePage` goes on from, as it travels in a cursor. */
export const personPlace = z.object({ id: z.string().max(64), name: z.string().max(500) })

/** Three commands, whoever and however many they are: documents by id, assignments by index, playlists from memory. */
export async function membersOf(
  { watchers, projections }: Pick<EngagementContext, 'watchers' | 'projections'>,
  people: readonly Person[],
): Promise<Member[]> {
  if (people.length === 0) return []
  const ids = people.map(each => each.id)
  const [watches, assignments] = await Promise.all([
    watchers.watches(ids),
    projections.assignments.playlistsOfMany(ids),
  ])
  const playlists = await projections.known([...assignments.values()].flat())
  return people.map(person => {
    const assigned = (assignments.get(person.id) ?? []).flatMap(id => {
      const playlist = playlists.get(id)
      return playlist?.deletedAt === null ? [playlist] : []
    })
    const own = watches.get(person.id) ?? {}
    return { person, assigned, watches: own, overview: overviewOfMember(assigned, own) }
  })
}
