import type { ListedAssignment as Assignment } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { matchesSearch } from '@watchline/contracts/search-text'
import { countAssignees, listsAllAssignees } from '../../../api/assignees.ts'
import { asFailure } from '../../../api/failure.ts'
import { useListTeamQuery } from '../../../api/lists.ts'
import { useFindAssignmentsQuery, useListAssigneesQuery } from '../playlists-api.ts'
import { assignableTeam } from './assignable-team.ts'

/** A person who has the playlist. Only people of the page of the team have more than a name. */
export type Member = Pick<User, 'id' | 'name'> & Partial<Pick<User, 'email' | 'email_verified' | 'picture'>>

/**
 * The people who have the playlist, and their assignments. If these do not fit on one page, they
 * are those of a page of the team that matches the search, and deactivated people.
 */
export function useAssignees(playlist: Playlist, search: string) {
  const isOnePage = countAssignees(playlist) <= limits.pageMax
  const searchTerm = isOnePage ? '' : search
  const firstPage = useListTeamQuery(assignableTeam())
  const team = useListTeamQuery(assignableTeam(searchTerm))
  const members = team.currentData?.items
  const { assignments, isKnown, ...state } = useAssignments(playlist, isOnePage, members)
  const assigneeIds = new Set(listsAllAssignees(playlist) ? playlist.assigned_users : assignments.keys())
  const assigned = members?.filter(({ id }) => assigneeIds.has(id)) ?? []
  const teamError = members ? undefined : team.error
  // Every person has an assignment here, so the team is not needed.
  const failure = state.failure ?? (teamError && !isOnePage ? asFailure(teamError) : undefined)
  return {
    assignments,
    members: listMembers(assigned, assignments, searchTerm),
    isSearchable: !isOnePage && firstPage.data?.nextCursor !== undefined,
    // The buttons, the due dates and the people appear together, so that none of them moves.
    isReady: failure !== undefined || (isKnown && (members ?? teamError) !== undefined),
    failure,
    reload: () => void (state.failure ? state : team).refetch(),
    isLoading: state.isFetching || team.isFetching,
  }
}

/** The people of the team, then those who are not on its page, or in no team any more. */
function listMembers(
  team: readonly User[],
  assignments: ReadonlyMap<string, Assignment>,
  searchTerm: string,
): Member[] {
  const teamIds = new Set(team.map(({ id }) => id))
  const others = [...assignments.values()].flatMap(({ user_id, name, deactivated }) => {
    const knownName = name ?? deactivated?.name
    return knownName !== undefined && !teamIds.has(user_id) && matchesSearch(searchTerm, knownName)
      ? [{ id: user_id, name: knownName }]
      : []
  })
  return [...team, ...others]
}

/**
 * The assignments of a playlist: all if they fit on one page, or those of the team and of
 * deactivated people.
 */
function useAssignments(playlist: Playlist, isOnePage: boolean, team: readonly User[] | undefined) {
  const { id } = playlist
  const isEmpty = countAssignees(playlist) === 0
  const all = useListAssigneesQuery(
    { params: { id }, query: { limit: limits.pageMax } },
    { skip: isEmpty || !isOnePage, refetchOnMountOrArgChange: true },
  )
  const deactivated = useListAssigneesQuery(
    { params: { id }, query: { limit: limits.pageMax, deactivated: 'true' } },
    { skip: isOnePage, refetchOnMountOrArgChange: true },
  )
  const ofTeam = useFindAssignmentsQuery(
    { playlistId: id, personIds: team?.map(member => member.id) ?? [] },
    { skip: isOnePage || !team, refetchOnMountOrArgChange: true },
  )
  const queries = isOnePage ? [all] : [deactivated, ofTeam]
  const found = isOnePage ? all.currentData?.items : joinIfKnown(deactivated.currentData?.items, ofTeam.currentData)
  const error = queries.find(query => query.error)?.error
  return {
    isKnown: isEmpty || found !== undefined,
    assignments: new Map(found?.map(assignment => [assignment.user_id, assignment])),
    failure: error && asFailure(error),
    refetch: () => {
      for (const query of queries) if (!query.isUninitialized) query.refetch()
    },
    isFetching: queries.some(query => query.isFetching),
  }
}

/** Earlier versions of the server list active people, too, of whom only some are on the page. */
function joinIfKnown(
  deactivated: readonly Assignment[] | undefined,
  ofTeam: readonly Assignment[] | undefined,
): Assignment[] | undefined {
  return deactivated && ofTeam && [...deactivated.filter(assignment => assignment.deactivated), ...ofTeam]
}
