import type { ListedProgress, MemberProgress } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { findMemberProgress } from '../rules/member-progress.ts'
import { isPlaylistComplete, type MemberOverview, summariseMember, watchedPlaylistIds } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import type { Watches } from '../rules/watch-state.ts'

/** A person with their assigned playlists and what they watched. */
export interface Member {
  person: Person
  assigned: Playlist[]
  /** The earliest of the present assignments, ms; null if unknown. */
  firstAssignedAt: number | null
  watches: Watches
  overview: MemberOverview
  /** Tasks that are not completed and whose due date has passed. */
  overdueTasks: number
  progress: MemberProgress
}

/**
 * At most three database commands for any number of people: watchers by id, assignments by index,
 * and the playlists that are not in memory.
 */
export async function loadMembers(
  { watchers, projections, clock }: Pick<EngagementContext, 'watchers' | 'projections' | 'clock'>,
  people: readonly Person[],
): Promise<Member[]> {
  if (people.length === 0) return []
  const ids = people.map(({ id }) => id)
  const [allWatches, assignments] = await Promise.all([
    watchers.loadWatches(ids),
    projections.assignments.assignmentsOfMany(ids),
  ])
  const playlists = await projections.loadKnown([...assignments.values()].flat().map(({ playlistId }) => playlistId))
  return people.map(person => {
    const own = assignments.get(person.id) ?? []
    const assigned = own.flatMap(({ playlistId }) => {
      const playlist = playlists.get(playlistId)
      return playlist?.deletedAt === null ? [playlist] : []
    })
    const watches = allWatches.get(person.id) ?? {}
    const overview = summariseMember(assigned, watches)
    const now = clock.now()
    const overdueTasks = own.filter(({ playlistId, dueAt }) => {
      const playlist = playlists.get(playlistId)
      return dueAt && dueAt.getTime() <= now && playlist?.deletedAt === null && !isPlaylistComplete(playlist, watches)
    }).length
    const progress = findMemberProgress(overview, own[0]?.at?.getTime() ?? null, now)
    const firstAssignedAt = own.findLast(({ at }) => at)?.at.getTime() ?? null
    return { person, assigned, firstAssignedAt, watches, overview, overdueTasks, progress }
  })
}

/** Whether the member belongs to the list of this state. */
export function isListedAs({ progress, overdueTasks }: Member, state: ListedProgress): boolean {
  return state === 'overdue' ? overdueTasks > 0 : progress === state
}

/** The playlists of a member's record: the assigned ones, then those watched without an assignment. */
export async function loadRecordedPlaylists(
  { projections }: Pick<EngagementContext, 'projections'>,
  { assigned, watches }: Pick<Member, 'assigned' | 'watches'>,
): Promise<Playlist[]> {
  const assignedIds = new Set(assigned.map(({ id }) => id))
  const unassigned = await projections.loadKnown(watchedPlaylistIds(watches).filter(id => !assignedIds.has(id)))
  return [...assigned, ...unassigned.values()]
}
