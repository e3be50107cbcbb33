import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { useDispatch } from 'react-redux'
import { type CacheDispatch, gateway } from '../../../api/gateway.ts'
import { usePolling } from '../../../api/polling.ts'
import { useListGroupAssignmentsQuery } from '../playlists-api.ts'

const shownGroups = 50

/**
 * The groups to which the caller may assign, with what they have of the playlist. While tasks of a
 * group are changing, with `isPolled`, it asks again and again how far the update has come.
 */
export function useAssignableGroups(playlistId: string, { search = '', isPolled = false, limit = shownGroups } = {}) {
  const input = { params: { id: playlistId }, query: { limit, search: search || undefined } }
  const [isBusy, setIsBusy] = useState(false)
  const polling = usePolling(limits.groupProgressPollMs, isPolled && isBusy)
  const { currentData, error, isFetching, refetch } = useListGroupAssignmentsQuery(input, {
    ...polling,
    refetchOnMountOrArgChange: true,
  })
  const dispatch = useDispatch<CacheDispatch>()
  const isWorking = currentData?.items.some(({ assignment }) => assignment?.progress) ?? false

  useEffect(() => {
    setIsBusy(isWorking)
    // The lists of people who have the playlist are old now.
    if (isBusy && !isWorking) dispatch(gateway.util.invalidateTags(['Playlists', 'Tasks', 'Today']))
  }, [isBusy, isWorking, dispatch])

  return { groups: currentData?.items, hasMore: currentData?.nextCursor !== undefined, error, isFetching, refetch }
}
