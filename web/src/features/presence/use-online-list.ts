import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure, type Failure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import {
  everyoneOnline,
  type OnlinePage,
  useLazyListOnlinePagesQuery,
  useListOnlinePagesQuery,
  useListOnlineQuery,
} from './presence-api.ts'

interface Seen {
  page: OnlinePage
  /** ms */
  at: number
}

export interface OnlineList {
  seen: Seen | undefined
  failure: Failure | undefined
  fetching: boolean
  auto: boolean
  switchAuto: (on: boolean) => void
  refresh: () => Promise<void>
  readMore: ReadMore
}

/** Reads one more page; returns the reason if it failed. */
export type ReadMore = () => Promise<Failure | undefined>

/**
 * Who is online, refreshed every 15 s and as soon as the live stream tells of a change, as long as the switch is on; off,
 * the list stands until it is refreshed by hand. Begins with one page; however many are read, all of them are kept fresh.
 */
export function useOnlineList(): OnlineList {
  const [auto, setAuto] = useState(true)
  const [held, setHeld] = useState<Seen>()
  const [pages, setPages] = useState(1)
  const options = { ...usePolling(limits.onlinePanelPollMs, auto), refetchOnMountOrArgChange: true }
  const first = useListOnlineQuery(everyoneOnline, { ...options, skip: pages > 1 })
  const further = useListOnlinePagesQuery(pages, {
    ...options,
    skip: pages === 1,
    // `readMore` has just read it.
    refetchOnMountOrArgChange: limits.onlinePanelPollMs / 1000,
  })
  const [read] = useLazyListOnlinePagesQuery()
  const query = pages === 1 ? first : further
  const latest = query.data && { page: query.data, at: query.fulfilledTimeStamp ?? 0 }
  const seen = auto ? latest : (held ?? latest)

  async function refresh() {
    const { data, fulfilledTimeStamp } = await query.refetch()
    if (data) setHeld(before => before && { page: data, at: fulfilledTimeStamp ?? Date.now() })
  }

  return {
    seen,
    failure: query.error === undefined ? undefined : asFailure(query.error),
    fetching: query.isFetching,
    auto,
    refresh,
    switchAuto(on) {
      setAuto(on)
      setHeld(on ? undefined : latest)
      if (on) void query.refetch()
    },
    async readMore() {
      const answer = await read(pages + 1)
      if (!answer.data) return asFailure(answer.error)
      const page = answer.data
      setPages(pages + 1)
      setHeld(before => before && { page, at: answer.fulfilledTimeStamp ?? Date.now() })
      return undefined
    },
  }
}
