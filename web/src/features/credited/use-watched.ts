import { useEffect, useRef } from 'react'
import { useConnection } from '../../api/connection.ts'
import { asFailure } from '../../api/failure.ts'
import type { Subscribable } from '../../ui/subscribable.ts'
import { useGetWatchedQuery } from './credited-api.ts'

/** A report of playback that the server has taken. */
export interface Report {
  type: 'play' | 'pause' | 'playing' | 'ended' | 'playlist_completed'
}

/** While it plays, the figures are asked for this often at most; what ends a play asks soon. */
const whilePlayingMs = 15_000
const afterPlayingMs = 300

/** What has been credited of a playlist, asked for again as reports are taken. */
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
