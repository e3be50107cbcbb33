import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { useId } from 'react'
import { EmptyState } from '../../ui/states.tsx'
import type { Subscribable } from '../../ui/subscribable.ts'
import { WatchStrip } from '../../ui/watch-strip.tsx'
import styles from './credited.module.css'
import { CreditedState } from './credited-state.tsx'
import { CreditedVideo } from './credited-video.tsx'
import { PlaylistStrip } from './playlist-strip.tsx'
import type { GapPlayer } from './use-gap-tour.ts'
import { type AcceptedReport, useWatched } from './use-watched.ts'
import { overallInWords, wholePercent } from './watch-words.ts'

interface CreditedCardProps extends GapPlayer {
  playlistId: string
  videoId: string
  latestReport: Subscribable<AcceptedReport | undefined>
  /** The positions of the video that have comments, in seconds. */
  ticks: readonly number[]
}

/** The credited ranges of the shown video, with the missing ones, and of the playlist. */
export function CreditedCard({ playlistId, videoId, latestReport, ticks, ...player }: CreditedCardProps) {
  const title = useId()
  const { watched, ...state } = useWatched(playlistId, latestReport)
  const video = watched?.videos.find(candidate => candidate.video_id === videoId)
  return (
    <section className={styles.card} aria-labelledby={title}>
      <h2 id={title}>Credited</h2>
      <CreditedState {...state} rows={4}>
        {watched ? (
          <>
            {video && !video.unavailable ? (
              <CreditedVideo key={videoId} video={video} ticks={ticks} player={player} />
            ) : (
              <EmptyState title="Nothing to credit here">
                {video
                  ? 'This video cannot be played, so it is left out.'
                  : 'This video is not in the playlist any more.'}
              </EmptyState>
            )}
            <WholePlaylist watch={watched} current={videoId} />
          </>
        ) : undefined}
      </CreditedState>
    </section>
  )
}

function WholePlaylist({ watch, current }: { watch: PlaylistWatch; current: string }) {
  if (watch.videos.length < 2) return null
  return (
    <div className={styles.whole}>
      <h3>Whole playlist</h3>
      <PlaylistStrip watch={watch} />
      <p className={styles.dim}>{overallInWords(watch)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={styles.videos} tabIndex={0} aria-label="Credited video by video">
        <ul>
          {watch.videos.map(video => (
            <li key={video.video_id} aria-current={video.video_id === current || undefined}>
              <span className={styles.videoTitle} title={video.title}>
                {video.title}
              </span>
              {video.unavailable ? (
                <span className={styles.dim}>cannot be played; left out</span>
              ) : (
                <WatchStrip
                  length={video.duration}
                  ranges={video.watched.map(([from, to]) => ({ from, to }))}
                  percent={wholePercent(video.completion_rate)}
                />
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
