import { useId } from 'react'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { useCredit } from './credit-context.tsx'
import { CreditLoadState } from './credit-load-state.tsx'
import { VideoCredit } from './video-credit.tsx'
import styles from './watch-credit.module.css'

interface CreditedRangesCardProps {
  videoId: string
  /** The positions of the video that have comments, in seconds. */
  ticks: readonly number[]
}

/** The credited ranges of the shown video, with the missing ones. */
export function CreditedRangesCard({ videoId, ticks }: CreditedRangesCardProps) {
  const title = useId()
  const { playlistWatch, error, isFetching, refetch, offline, at } = useCredit()
  const video = playlistWatch?.videos.find(candidate => candidate.video_id === videoId)
  return (
    <section className={styles.card} aria-labelledby={title}>
      <h2 id={title}>Credited</h2>
      <CreditLoadState error={error} isFetching={isFetching} refetch={refetch} offline={offline} at={at} rows={4}>
        {playlistWatch ? (
          video && !video.unavailable ? (
            <VideoCredit key={videoId} video={video} ticks={ticks} />
          ) : (
            <EmptyState title="Nothing to credit here">
              {video
                ? 'This video cannot be played, so it is left out.'
                : 'This video is not in the playlist any more.'}
            </EmptyState>
          )
        ) : undefined}
      </CreditLoadState>
    </section>
  )
}
