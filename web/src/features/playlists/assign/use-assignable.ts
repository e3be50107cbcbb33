import type { Playlist } from '@watchline/contracts/playlists'
import { useEffect, useState } from 'react'
import { useListTeamQuery } from '../../../api/lists.ts'
import { assignableTeam } from './assignable-team.ts'

/**
 * A page of the people, in the server's order, who match the search and do not have the playlist
 * yet. Skips pages without such people, so an empty page means that there is nobody to choose.
 */
export function useAssignable(playlist: Pick<Playlist, 'assigned_users'>, search: string) {
  const [position, setPosition] = useState<{ search: string; cursor?: string }>({ search })
  const cursor = position.search === search ? position.cursor : undefined
  const { query } = assignableTeam(search)
  const { currentData, error, isFetching, refetch } = useListTeamQuery(
    { query: { ...query, cursor } },
    { refetchOnMountOrArgChange: true },
  )
  const candidates = currentData?.items.filter(({ id }) => !playlist.assigned_users.includes(id))
  const nextCursor = candidates?.length === 0 ? currentData?.nextCursor : undefined

  useEffect(() => {
    if (nextCursor !== undefined) setPosition({ search, cursor: nextCursor })
  }, [nextCursor, search])

  return {
    page: nextCursor === undefined && currentData ? { ...currentData, isFirst: cursor === undefined } : undefined,
    candidates: nextCursor === undefined ? candidates : undefined,
    error,
    isFetching,
    refetch,
  }
}
