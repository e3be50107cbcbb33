import { useEffect, useRef } from 'react'
import { useConnection } from '../../api/connection.ts'
import { asFailure } from '../../api/failure.ts'
import type { Subscribable } from '../../ui/subscribable.ts'
import { useGetWatchedQuery } from './credited-api.ts'

/** A report of playback that the server accepted. */
export interface Report {
  type: 'play' | 'pause' | 'playing' | 'ended' | 'playlist_completed'
}

/**
 * The shortest interval between two refreshes during playback; the end of a play refreshes soon.
 */
const whilePlayingMs = 15_000
const afterPlayingMs = 300

/** The credited ranges of a playlist, refreshed as reports are accepted. */
export function useWatched(playlistId: string, reported?: Subscribable<Report | undefined>) {
  const connection = useConnection()
  const { currentData, error, isFetching, fulfilledTimeStamp, refetch } = useGetWatchedQuery(
    { params: { playlistId } },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  const latest = useRef({ refetch, askedAt: Date.now() })
  latest.current.refetch = refetch

  useEffect(() => {
    if (!reported) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      timer = undefined
      latest.current.askedAt = Date.now()
      void latest.current.refetch()
    }
    const stop = reported.subscribe(() => {
      const report = reported.get()
      if (!report) return
      const goesOn = report.type === 'play' || report.type === 'playing'
      if (goesOn && Date.now() - latest.current.askedAt < whilePlayingMs) return
      timer ??= setTimeout(ask, afterPlayingMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [reported])

  const offline = connection === 'offline' || (error !== undefined && asFailure(error).status === 0)
  return { watched: currentData, error, isFetching, refetch, offline, at: fulfilledTimeStamp }
}
