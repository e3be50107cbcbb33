import { Button, UnstyledButton } from '@mantine/core'
import type { Video } from '@watchline/contracts/playlists'
import { useState } from 'react'
import { formatPosition } from '../../ui/dates/format.ts'
import { VideoPoster } from '../../ui/progress/video-poster.tsx'
import styles from './trainee.module.css'

const maxShownVideos = 5

interface TaskVideosProps {
  videos: readonly Video[]
  onPlay: (videoId: string) => void
}

/** The videos of a task with their lengths. A press on one plays it. */
export function TaskVideos({ videos, onPlay }: TaskVideosProps) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? videos : videos.slice(0, maxShownVideos)
  return (
    <div className={styles.videos}>
      <ol aria-label="Videos of this task">
        {shown.map(video => (
          <li key={video.id}>
            {video.unavailable ? (
              <span className={styles.video}>
                <VideoLine video={video} detail="cannot be played; left out" />
              </span>
            ) : (
              <UnstyledButton className={styles.video} title={`Play “${video.title}”`} onClick={() => onPlay(video.id)}>
                <VideoLine video={video} detail={formatPosition(video.duration)} />
              </UnstyledButton>
            )}
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

function VideoLine({ video, detail }: { video: Video; detail: string }) {
  return (
    <>
      <span className={styles.thumbnail}>
        <VideoPoster video={video} />
      </span>
      <span className={styles.rowTitle} title={video.unavailable ? video.title : undefined}>
        {video.title}
      </span>
      <span className={styles.dim}>{detail}</span>
    </>
  )
}
