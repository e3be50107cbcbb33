import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { memo, useId } from 'react'
import { EmptyState } from '../../ui/states.tsx'
import { WatchStrip } from '../../ui/watch-strip.tsx'
import { useCredit, usePlayed } from './credit-context.tsx'
import { type PlayedRange, videoFigures } from './credit-figures.ts'
import styles from './credited.module.css'
import { CreditedState } from './credited-state.tsx'
import { CreditedVideo } from './credited-video.tsx'
import { PlaylistStrip } from './playlist-strip.tsx'
import { overallInWords } from './watch-words.ts'

interface CreditedCardProps {
  videoId: string
  /** The positions of the video that have comments, in seconds. */
  ticks: readonly number[]
}

/** The credited ranges of the shown video, with the missing ones, and of the playlist. */
export function CreditedCard({ videoId, ticks }: CreditedCardProps) {
  const title = useId()
  const { watched, error, isFetching, refetch, offline, at } = useCredit()
  const video = watched?.videos.find(candidate => candidate.video_id === videoId)
  return (
    <section className={styles.card} aria-labelledby={title}>
      <h2 id={title}>Credited</h2>
      <CreditedState error={error} isFetching={isFetching} refetch={refetch} offline={offline} at={at} rows={4}>
        {watched ? (
          <>
            {video && !video.unavailable ? (
              <CreditedVideo key={videoId} video={video} ticks={ticks} />
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
  const played = usePlayed()
  if (watch.videos.length < 2) return null
  return (
    <div className={styles.whole}>
      <h3>Whole playlist</h3>
      <PlaylistStrip watch={watch} played={played} />
      <p className={styles.dim}>{overallInWords(watch)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={styles.videos} tabIndex={0} aria-label="Credited video by video">
        <ul>
          {watch.videos.map(video => (
            <VideoRow
              key={video.video_id}
              video={video}
              isCurrent={video.video_id === current}
              played={played.some(({ videoId }) => videoId === video.video_id) ? played : undefined}
            />
          ))}
        </ul>
      </section>
    </div>
  )
}

interface VideoRowProps {
  video: VideoWatch
  isCurrent: boolean
  played: readonly PlayedRange[] | undefined
}

/** Memoised, because only the rows of the played videos change every second. */
const VideoRow = memo(function VideoRow({ video, isCurrent, played }: VideoRowProps) {
  return (
    <li aria-current={isCurrent || undefined}>
      <span className={styles.videoTitle} title={video.title}>
        {video.title}
      </span>
      {video.unavailable ? (
        <span className={styles.dim}>cannot be played; left out</span>
      ) : (
        <WatchStrip {...videoFigures(video, played)} />
      )}
    </li>
  )
})
