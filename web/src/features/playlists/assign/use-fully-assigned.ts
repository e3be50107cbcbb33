import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees, listsAllAssignees } from '../../../api/assignees.ts'
import { useListTeamQuery } from '../../../api/lists.ts'
import { assignableTeam } from './assignable-team.ts'
import { useAssignedIds } from './use-assigned-ids.ts'

/**
 * Tells if everybody in the team has a playlist of a list; then assigning it is not the next step.
 * It is false of a playlist that does not list all its people, so that a list needs no more calls.
 */
export function useFullyAssigned(): (playlist: Playlist) => boolean {
  const teamIds = useWholeTeam()
  return playlist =>
    teamIds !== undefined && listsAllAssignees(playlist) && haveAll(new Set(playlist.assigned_users), teamIds)
}

/** The same of one playlist, of any number of people. */
export function useIsFullyAssigned(playlist: Playlist, isSkipped: boolean): boolean {
  const teamIds = useWholeTeam(isSkipped)
  const mayBeFull = teamIds !== undefined && countAssignees(playlist) >= teamIds.length
  const { ids } = useAssignedIds(playlist, mayBeFull ? teamIds : undefined)
  return mayBeFull && ids !== undefined && haveAll(ids, teamIds)
}

/**
 * The ids of the team's active people; undefined if it is empty, larger than a page, or unknown.
 */
function useWholeTeam(isSkipped = false): readonly string[] | undefined {
  const { data } = useListTeamQuery(assignableTeam(), { skip: isSkipped })
  if (!data || data.nextCursor !== undefined || data.items.length === 0) return undefined
  return data.items.flatMap(({ id, deactivated_at }) => (deactivated_at ? [] : [id]))
}

function haveAll(assigneeIds: ReadonlySet<string>, teamIds: readonly string[]): boolean {
  return teamIds.every(id => assigneeIds.has(id))
}
