import type { Playlist } from '@watchline/contracts/playlists'
import { useListTeamQuery } from '../../../api/lists.ts'
import { assignableTeam } from './assignable-team.ts'

/** Tells if everybody in the team has a playlist; then assigning it is not the next step. */
export function useFullyAssigned(isSkipped = false): (playlist: Pick<Playlist, 'assigned_users'>) => boolean {
  const { data } = useListTeamQuery(assignableTeam(), { skip: isSkipped })
  return ({ assigned_users }) => {
    if (!data || data.nextCursor !== undefined || data.items.length === 0) return false
    const assigneeIds = new Set(assigned_users)
    return data.items.every(({ id }) => assigneeIds.has(id))
  }
}
