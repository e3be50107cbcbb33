import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure, type Failure } from '../../api/failure.ts'
import { useHintedPolling } from '../../api/polling.ts'
import type { OnlineQuery } from './online-filters.tsx'
import {
  everyoneOnline,
  type OnlinePage,
  useLazyListOnlinePagesQuery,
  useListOnlinePagesQuery,
  useListOnlineQuery,
} from './presence-api.ts'

interface LoadedPage {
  /** The filters that the page answers. */
  key: string
  page: OnlinePage
  /** In ms since the epoch. */
  loadedAt: number
}

export interface OnlineList {
  shownPage: LoadedPage | undefined
  failure: Failure | undefined
  isFetching: boolean
  isAutomatic: boolean
  switchAutomatic: (isOn: boolean) => void
  refresh: () => Promise<void>
  readMore: ReadMore
}

/** Reads one more page; returns the reason if it failed. */
export type ReadMore = () => Promise<Failure | undefined>

/**
 * The list of online people. With the switch on, it refreshes every 15 s and at live changes; with
 * the switch off, only by hand and for other filters. It starts with one page; a refresh loads all
 * pages read so far.
 */
export function useOnlineList(filter: OnlineQuery): OnlineList {
  const key = JSON.stringify(filter)
  const [isAutomatic, setAutomatic] = useState(true)
  const [lastFrozenPage, setFrozenPage] = useState<LoadedPage>()
  const frozenPage = lastFrozenPage?.key === key ? lastFrozenPage : undefined
  const [readPageCount, setReadPageCount] = useState({ key, count: 1 })
  const pageCount = readPageCount.key === key ? readPageCount.count : 1
  const options = { ...useHintedPolling(limits.onlinePanelPollMs, isAutomatic), refetchOnMountOrArgChange: true }
  const firstPage = useListOnlineQuery(
    { query: { ...everyoneOnline.query, ...filter } },
    { ...options, skip: pageCount > 1 },
  )
  const laterPages = useListOnlinePagesQuery(
    { pageCount, filter },
    {
      ...options,
      skip: pageCount === 1,
      // `readMore` has just read these pages.
      refetchOnMountOrArgChange: limits.onlinePanelPollMs / 1000,
    },
  )
  const [readPages] = useLazyListOnlinePagesQuery()
  const query = pageCount === 1 ? firstPage : laterPages
  const latestPage = query.data && { key, page: query.data, loadedAt: query.fulfilledTimeStamp ?? 0 }
  // With the switch off, the first answer to other filters stays, too.
  if (!isAutomatic && !frozenPage && latestPage && query.currentData) setFrozenPage(latestPage)
  const shownPage = isAutomatic ? latestPage : (frozenPage ?? latestPage)

  async function refresh() {
    const { data, fulfilledTimeStamp } = await query.refetch()
    if (data) setFrozenPage(previous => previous && { key, page: data, loadedAt: fulfilledTimeStamp ?? Date.now() })
  }

  return {
    shownPage,
    failure: query.error === undefined ? undefined : asFailure(query.error),
    isFetching: query.isFetching,
    isAutomatic,
    refresh,
    switchAutomatic(isOn) {
      setAutomatic(isOn)
      setFrozenPage(isOn ? undefined : latestPage)
      if (isOn) void query.refetch()
    },
    async readMore() {
      const response = await readPages({ pageCount: pageCount + 1, filter })
      if (!response.data) return asFailure(response.error)
      const page = response.data
      setReadPageCount({ key, count: pageCount + 1 })
      setFrozenPage(previous => previous && { key, page, loadedAt: response.fulfilledTimeStamp ?? Date.now() })
      return undefined
    },
  }
}
