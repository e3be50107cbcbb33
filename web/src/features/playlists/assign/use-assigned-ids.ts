import type { Playlist } from '@watchline/contracts/playlists'
import { useMemo } from 'react'
import { listsAllAssignees } from '../../../api/assignees.ts'
import { useFindAssignmentsQuery } from '../playlists-api.ts'

interface AssignedIds {
  /** Undefined until it is known. */
  ids: ReadonlySet<string> | undefined
  error?: unknown
  isFetching: boolean
  refetch: () => void
}

/**
 * The people who have the playlist: all, if it lists all; otherwise those of `personIds`, for whom
 * the server is asked. Nobody is asked for while `personIds` is undefined.
 */
export function useAssignedIds(playlist: Playlist, personIds: readonly string[] | undefined): AssignedIds {
  const isComplete = listsAllAssignees(playlist)
  const isSkipped = isComplete || !personIds
  const { currentData, error, isFetching, refetch } = useFindAssignmentsQuery(
    { playlistId: playlist.id, personIds: personIds ?? [] },
    { skip: isSkipped, refetchOnMountOrArgChange: true },
  )
  const ids = useMemo(() => {
    if (isComplete) return new Set(playlist.assigned_users)
    return currentData && !isSkipped ? new Set(currentData.map(({ user_id }) => user_id)) : undefined
  }, [isComplete, isSkipped, playlist.assigned_users, currentData])
  return { ids, error: isSkipped ? undefined : error, isFetching: !isSkipped && isFetching, refetch }
}
