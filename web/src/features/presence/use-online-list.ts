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

interface LoadedPage {
  page: OnlinePage
  /** The time of the load, in ms. */
  at: number
}

export interface OnlineList {
  shownPage: LoadedPage | undefined
  failure: Failure | undefined
  fetching: boolean
  auto: boolean
  switchAuto: (isOn: boolean) => void
  refresh: () => Promise<void>
  readMore: ReadMore
}

/** Reads one more page; returns the reason if it failed. */
export type ReadMore = () => Promise<Failure | undefined>

/**
 * The list of online people. With the switch on, it refreshes every 15 s and at live changes; with
 * the switch off, only by hand. It starts with one page; a refresh loads all pages read so far.
 */
export function useOnlineList(): OnlineList {
  const [auto, setAuto] = useState(true)
  const [frozen, setFrozen] = useState<LoadedPage>()
  const [pages, setPages] = useState(1)
  const options = { ...usePolling(limits.onlinePanelPollMs, auto), refetchOnMountOrArgChange: true }
  const first = useListOnlineQuery(everyoneOnline, { ...options, skip: pages > 1 })
  const further = useListOnlinePagesQuery(pages, {
    ...options,
    skip: pages === 1,
    // `readMore` has just read these pages.
    refetchOnMountOrArgChange: limits.onlinePanelPollMs / 1000,
  })
  const [read] = useLazyListOnlinePagesQuery()
  const query = pages === 1 ? first : further
  const latest = query.data && { page: query.data, at: query.fulfilledTimeStamp ?? 0 }
  const shownPage = auto ? latest : (frozen ?? latest)

  async function refresh() {
    const { data, fulfilledTimeStamp } = await query.refetch()
    if (data) setFrozen(previous => previous && { page: data, at: fulfilledTimeStamp ?? Date.now() })
  }

  return {
    shownPage,
    failure: query.error === undefined ? undefined : asFailure(query.error),
    fetching: query.isFetching,
    auto,
    refresh,
    switchAuto(isOn) {
      setAuto(isOn)
      setFrozen(isOn ? undefined : latest)
      if (isOn) void query.refetch()
    },
    async readMore() {
      const response = await read(pages + 1)
      if (!response.data) return asFailure(response.error)
      const page = response.data
      setPages(pages + 1)
      setFrozen(previous => previous && { page, at: response.fulfilledTimeStamp ?? Date.now() })
      return undefined
    },
  }
}
