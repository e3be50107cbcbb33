import { Button } from '@mantine/core'
import type { Video } from '@watchline/contracts/playlists'
import { useState } from 'react'
import { formatPosition } from '../../ui/format.ts'
import { VideoPoster } from '../../ui/video-poster.tsx'
import styles from './trainee.module.css'

const maxShownVideos = 5

/** The videos of a task with their lengths. */
export function TaskVideos({ videos }: { videos: readonly Video[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? videos : videos.slice(0, maxShownVideos)
  return (
    <div className={styles.videos}>
      <ol aria-label="Videos of this task">
        {shown.map(video => (
          <li key={video.id}>
            <span className={styles.thumbnail}>
              <VideoPoster video={video} />
            </span>
            <span className={styles.rowTitle} title={video.title}>
              {video.title}
            </span>
            <span className={styles.dim}>
              {video.unavailable ? 'cannot be played; left out' : formatPosition(video.duration)}
            </span>
          </li>
        ))}
      </ol>
      {shown.length < videos.length ? (
        <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
          Show all {videos.length} videos
        </Button>
      ) : null}
    </div>
  )
}
