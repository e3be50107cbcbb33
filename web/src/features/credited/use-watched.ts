import { useEffect, useRef } from 'react'
import { useConnection } from '../../api/connection.ts'
import { asFailure } from '../../api/failure.ts'
import type { Subscribable } from '../../ui/subscribable.ts'
import { useGetWatchedQuery } from './credited-api.ts'

/** A report of playback that the server accepted. */
export interface AcceptedReport {
  type: 'play' | 'pause' | 'playing' | 'ended' | 'playlist_completed'
}

/**
 * The shortest interval between two refreshes during playback; the end of a play refreshes soon.
 */
const whilePlayingMs = 15_000
const afterPlayingMs = 300

/** The credited ranges of a playlist, refreshed as reports are accepted. */
export function useWatched(playlistId: string, latestReport?: Subscribable<AcceptedReport | undefined>) {
  const connection = useConnection()
  const { currentData, error, isFetching, fulfilledTimeStamp, refetch } = useGetWatchedQuery(
    { params: { playlistId } },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  const latest = useRef({ refetch, refreshedAt: Date.now() })
  latest.current.refetch = refetch

  useEffect(() => {
    if (!latestReport) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      latest.current.refreshedAt = Date.now()
      void latest.current.refetch()
    }
    const stop = latestReport.subscribe(() => {
      const report = latestReport.get()
      if (!report) return
      const isPlaying = report.type === 'play' || report.type === 'playing'
      if (isPlaying && Date.now() - latest.current.refreshedAt < whilePlayingMs) return
      timer ??= setTimeout(refresh, afterPlayingMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [latestReport])

  const offline = connection === 'offline' || (error !== undefined && asFailure(error).status === 0)
  return { watched: currentData, error, isFetching, refetch, offline, at: fulfilledTimeStamp }
}
