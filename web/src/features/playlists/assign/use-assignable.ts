import type { Playlist } from '@watchline/contracts/playlists'
import { useEffect, useState } from 'react'
import { useListTeamQuery } from '../../../api/lists.ts'
import { assignableTeam } from './assignable-team.ts'

/**
 * A page of the people who match the search and do not have the playlist yet. Skips pages without
 * such people, so an empty page means that there is nobody to choose.
 */
export function useAssignable(playlist: Pick<Playlist, 'assigned_users'>, search: string) {
  const [place, setPlace] = useState<{ search: string; cursor?: string }>({ search })
  const cursor = place.search === search ? place.cursor : undefined
  const { query } = assignableTeam(search)
  const { currentData, error, isFetching, refetch } = useListTeamQuery(
    { query: { ...query, cursor } },
    { refetchOnMountOrArgChange: true },
  )
  const candidates = currentData?.items.filter(({ id }) => !playlist.assigned_users.includes(id))
  const onTo = candidates?.length === 0 ? currentData?.nextCursor : undefined

  useEffect(() => {
    if (onTo !== undefined) setPlace({ search, cursor: onTo })
  }, [onTo, search])

  return {
    page: onTo === undefined && currentData ? { ...currentData, first: cursor === undefined } : undefined,
    candidates: onTo === undefined ? candidates : undefined,
    error,
    isFetching,
    refetch,
  }
}
