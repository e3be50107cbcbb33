import type { Playlist } from '@watchline/contracts/playlists'
import { useEffect, useState } from 'react'
import { useListTeamQuery } from '../../../api/lists.ts'
import { assignableTeam } from './assignable-team.ts'
import { useAssignedIds } from './use-assigned-ids.ts'

/** Thousands of people in a row who have the playlist: a search then finds the others sooner. */
const maxSkippedPages = 10

/**
 * A page of the active people, in the server's order, who match the search and do not have the
 * playlist yet. Skips pages without such people, so an empty page without a next one means that
 * there is nobody to choose.
 */
export function useAssignable(playlist: Playlist, search: string) {
  const [position, setPosition] = useState<{ search: string; cursor?: string; skipped: number }>({ search, skipped: 0 })
  const { cursor, skipped } = position.search === search ? position : { cursor: undefined, skipped: 0 }
  const { query } = assignableTeam(search)
  const team = useListTeamQuery({ query: { ...query, cursor } }, { refetchOnMountOrArgChange: true })
  const { currentData } = team
  const assigned = useAssignedIds(
    playlist,
    currentData?.items.map(({ id }) => id),
  )
  const assigneeIds = assigned.ids
  const candidates =
    assigneeIds && currentData?.items.filter(({ id, deactivated_at }) => !assigneeIds.has(id) && !deactivated_at)
  const nextCursor = candidates?.length === 0 && skipped < maxSkippedPages ? currentData?.nextCursor : undefined

  useEffect(() => {
    if (nextCursor !== undefined) setPosition({ search, cursor: nextCursor, skipped: skipped + 1 })
  }, [nextCursor, search, skipped])

  const isFound = candidates !== undefined && nextCursor === undefined
  return {
    page: isFound && currentData ? { ...currentData, isFirst: cursor === undefined } : undefined,
    candidates: isFound ? candidates : undefined,
    error: team.error ?? assigned.error,
    isFetching: team.isFetching || assigned.isFetching,
    refetch: () => void (team.error ? team : assigned).refetch(),
  }
}
