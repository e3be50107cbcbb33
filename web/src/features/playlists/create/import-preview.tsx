import type { ResponseOf } from '@watchline/contracts/operation'
import type { previewImport } from '@watchline/contracts/playlist-imports'
import { formatCount, formatDuration } from '../../../ui/dates/format.ts'
import listStyles from '../../../ui/lists/list.module.css'
import styles from '../playlists.module.css'
import { VideoList } from '../video-lines.tsx'

/** Enough videos to recognise the playlist. */
const previewCount = 5

/** The content that importing a playlist would bring. */
export function ImportPreview({ preview }: { preview: ResponseOf<typeof previewImport> }) {
  const { title, description, videos, total_duration, left_out } = preview
  const unavailableCount = videos.filter(video => video.unavailable).length
  return (
    <section className={styles.preview} aria-label="What YouTube has">
      <div role="status">
        <h3 className={styles.section}>
          <span className="wl-hidden">Found: </span>
          {title}
        </h3>
        <div className={listStyles.facts}>
          <span>{formatCount(videos.length, 'video')}</span>
          <span>{formatDuration(total_duration)}</span>
          {unavailableCount > 0 ? <span>{unavailableCount} cannot be played here</span> : null}
        </div>
        {left_out > 0 ? (
          <p className={listStyles.dim}>
            {formatCount(left_out, 'item is', 'items are')} left out: private, deleted, without a length or longer than
            24 hours.
          </p>
        ) : null}
      </div>
      {description ? <p className={`${styles.description} ${styles.clamped}`}>{description}</p> : null}
      <VideoList videos={videos} initialCount={previewCount} />
    </section>
  )
}
