import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { useEffect, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { useConnection } from '../../api/connection.ts'
import { asFailure } from '../../api/failure.ts'
import type { CacheDispatch } from '../../api/gateway.ts'
import { playlistWatchApi, useGetWatchedQuery, withReportedVideo } from '../../api/playlist-watch.ts'
import type { Subscribable } from '../../ui/hooks/subscribable.ts'

/** A report of playback that the server accepted or finally refused. */
export interface AnsweredReport {
  type: 'play' | 'pause' | 'playing' | 'ended' | 'playlist_completed'
  /** The time of the report and of its answer, in ms. */
  at: number
  answeredAt: number
  /** The credit after the report, if the server sent it. */
  watched?: PlaylistWatch | undefined
}

/**
 * Answers without figures come in groups: one refresh serves all that are answered within this
 * time.
 */
const afterAnswerMs = 300
/** The shortest interval between two refreshes during playback, for reports sent late. */
const whilePlayingMs = 8_000

/**
 * The credited ranges of a playlist, kept up to date by the answers to reports; an answer without
 * figures causes a refresh. `confirmedAt`: the ranges contain what was reported until then (ms), as
 * far as the server credits it. `at`: the time of the figures, in ms.
 */
export function usePlaylistWatch(playlistId: string, latestAnswer?: Subscribable<AnsweredReport | undefined>) {
  const connection = useConnection()
  const { currentData, error, isFetching, startedTimeStamp, fulfilledTimeStamp, refetch } = useGetWatchedQuery(
    { params: { playlistId } },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  const dispatch = useDispatch<CacheDispatch>()
  const [confirmedAt, setConfirmedAt] = useState(0)
  const [mergedAt, setMergedAt] = useState(0)
  const unconfirmed = useRef<AnsweredReport[]>([])
  const latest = useRef({ refetch, refreshedAt: Date.now(), canMerge: false })
  latest.current.refetch = refetch
  // The answer of a request in flight may be older than that of a report.
  latest.current.canMerge = currentData !== undefined && !isFetching && error === undefined

  useEffect(() => {
    if (!latestAnswer) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    async function refresh() {
      timer = undefined
      latest.current.refreshedAt = Date.now()
      const wantedFrom = latestAnswer?.get()?.answeredAt ?? 0
      const { startedTimeStamp: startedAt = wantedFrom } = await latest.current.refetch()
      // It may have joined a request that began before the report was answered.
      if (startedAt < wantedFrom && !stopped) await latest.current.refetch()
    }
    function merge({ at, answeredAt }: AnsweredReport, reported: PlaylistWatch) {
      dispatch(
        playlistWatchApi.util.updateQueryData('getWatched', { params: { playlistId } }, watch =>
          withReportedVideo(watch, reported),
        ),
      )
      unconfirmed.current = []
      setConfirmedAt(before => Math.max(before, at))
      setMergedAt(answeredAt)
    }
    const stop = latestAnswer.subscribe(() => {
      const answer = latestAnswer.get()
      if (!answer) return
      if (answer.watched?.playlist_id === playlistId && latest.current.canMerge) return merge(answer, answer.watched)
      unconfirmed.current.push(answer)
      // Starting playback adds no credit.
      if (answer.type === 'play') return
      if (answer.type !== 'playing') clearTimeout(timer)
      else if (timer) return
      const sinceMs = Date.now() - latest.current.refreshedAt
      const waitMs = answer.type === 'playing' ? Math.max(afterAnswerMs, whilePlayingMs - sinceMs) : afterAnswerMs
      timer = setTimeout(() => void refresh(), waitMs)
    })
    return () => {
      stopped = true
      stop()
      clearTimeout(timer)
    }
  }, [latestAnswer, playlistId, dispatch])

  useEffect(() => {
    if (isFetching || error !== undefined || startedTimeStamp === undefined || fulfilledTimeStamp === undefined) return
    const isContained = ({ answeredAt }: AnsweredReport) => answeredAt <= startedTimeStamp
    const times = unconfirmed.current.filter(isContained).map(({ at }) => at)
    unconfirmed.current = unconfirmed.current.filter(answer => !isContained(answer))
    if (times.length > 0) setConfirmedAt(before => Math.max(before, ...times))
  }, [isFetching, error, startedTimeStamp, fulfilledTimeStamp])

  const offline = connection === 'offline' || (error !== undefined && asFailure(error).status === 0)
  const at = fulfilledTimeStamp === undefined ? undefined : Math.max(fulfilledTimeStamp, mergedAt)
  return { playlistWatch: currentData, confirmedAt, error, isFetching, refetch, offline, at }
}
