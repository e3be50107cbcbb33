import { useId } from 'react'
import { EmptyState } from '../../ui/states.tsx'
import { useCredit } from './credit-context.tsx'
import styles from './credited.module.css'
import { CreditedState } from './credited-state.tsx'
import { CreditedVideo } from './credited-video.tsx'

interface CreditedCardProps {
  videoId: string
  /** The positions of the video that have comments, in seconds. */
  ticks: readonly number[]
}

/** The credited ranges of the shown video, with the missing ones. */
export function CreditedCard({ videoId, ticks }: CreditedCardProps) {
  const title = useId()
  const { watched, error, isFetching, refetch, offline, at } = useCredit()
  const video = watched?.videos.find(candidate => candidate.video_id === videoId)
  return (
    <section className={styles.card} aria-labelledby={title}>
      <h2 id={title}>Credited</h2>
      <CreditedState error={error} isFetching={isFetching} refetch={refetch} offline={offline} at={at} rows={4}>
        {watched ? (
          video && !video.unavailable ? (
            <CreditedVideo key={videoId} video={video} ticks={ticks} />
          ) : (
            <EmptyState title="Nothing to credit here">
              {video
                ? 'This video cannot be played, so it is left out.'
                : 'This video is not in the playlist any more.'}
            </EmptyState>
          )
        ) : undefined}
      </CreditedState>
    </section>
  )
}
