import type { Video } from '@watchline/contracts/playlists'
import { formatPosition } from '../../ui/format.ts'
import styles from './position-strip.module.css'

interface PositionStripProps {
  videos: readonly Video[]
  index: number
  /** Seconds into that video. */
  seconds: number
}

/**
 * The playlist's videos end to end, in proportion to their lengths, with the person's position.
 * Nothing is filled, because a position does not tell what was watched.
 */
export function PositionStrip({ videos, index, seconds }: PositionStripProps) {
  const current = videos[index]
  return (
    <div
      className={styles.strip}
      role="img"
      aria-label={`Position: video ${index + 1} of ${videos.length}, ${formatPosition(seconds)} of ${formatPosition(current?.duration ?? 0)}`}
    >
      {videos.map((video, position) => (
        <div key={video.id} className={styles.video} style={{ flexGrow: Math.max(video.duration, 1) }}>
          {position === index && video.duration > 0 ? (
            <div
              className={styles.playhead}
              style={{ insetInlineStart: `${Math.min(100, (seconds / video.duration) * 100)}%` }}
            />
          ) : null}
        </div>
      ))}
    </div>
  )
}
