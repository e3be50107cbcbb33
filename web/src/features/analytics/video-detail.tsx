import type { VideoWatch } from '@watchline/contracts/engagement'
import { formatPosition } from '../../ui/dates/format.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { describeMissing } from '../../ui/progress/describe-video-watch.ts'
import { WatchStrip } from '../../ui/progress/watch-strip.tsx'
import styles from './analytics.module.css'
import { describeIntegrityNote } from './describe-integrity-note.ts'

/** A person's progress in one video. */
export function VideoDetail({ video }: { video: VideoWatch }) {
  return (
    <>
      <div className={styles.videoTop}>
        <span className={listStyles.cut} title={video.title}>
          {video.title}
        </span>
        {video.completed ? <span className={styles.completed}>Completed</span> : null}
        {video.removed ? <span className={listStyles.dim}>Removed from the playlist</span> : null}
        {video.unavailable && !video.removed ? <span className={styles.unavailable}>Cannot be played</span> : null}
        <span className={listStyles.dim}>{formatPosition(video.duration)}</span>
      </div>
      {video.unavailable && video.watched.length === 0 ? (
        <p className={listStyles.dim}>This video does not count in the playlist’s completion.</p>
      ) : (
        <>
          <WatchStrip
            length={video.duration}
            ranges={video.watched.map(([from, to]) => ({ from, to }))}
            percent={video.completion_rate}
            label={video.title}
          />
          <p className={listStyles.dim}>
            {video.removed ? 'This video does not count in the playlist’s completion' : describeMissing(video)}
            {video.last_updated ? (
              <>
                {' · last watched '}
                <RelativeTime time={video.last_updated} inline />
              </>
            ) : null}
          </p>
        </>
      )}
      {video.notes.length > 0 ? (
        <ul className={styles.notes} aria-label={`Integrity notes: ${video.title}`}>
          {video.notes.map(note => (
            <li key={note.code}>{describeIntegrityNote(note)}</li>
          ))}
        </ul>
      ) : null}
    </>
  )
}
