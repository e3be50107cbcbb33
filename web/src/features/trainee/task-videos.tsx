import { Button, UnstyledButton } from '@mantine/core'
import type { VideoWatch } from '@watchline/contracts/engagement'
import type { Video } from '@watchline/contracts/playlists'
import { type ReactNode, useState } from 'react'
import { playlistWatchApi } from '../../api/playlist-watch.ts'
import { formatPercent, formatPosition } from '../../ui/dates/format.ts'
import { VideoPoster } from '../../ui/progress/video-poster.tsx'
import styles from './trainee.module.css'

const maxShownVideos = 5

interface TaskVideosProps {
  playlistId: string
  videos: readonly Video[]
  onPlay: (videoId: string) => void
}

/**
 * The videos of a task with their lengths, and their credited share as soon as the card has loaded
 * it. A press on one plays it.
 */
export function TaskVideos({ playlistId, videos, onPlay }: TaskVideosProps) {
  const { currentData: watch } = playlistWatchApi.endpoints.getWatched.useQueryState({ params: { playlistId } })
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
                <VideoLine video={video} detail={formatPosition(video.duration)}>
                  <VideoState watch={watch?.videos.find(({ video_id }) => video_id === video.id)} />
                </VideoLine>
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

function VideoState({ watch }: { watch: VideoWatch | undefined }) {
  if (!watch || watch.unavailable) return null
  if (watch.completed) return <span className={styles.completed}>✓ Completed</span>
  return watch.watched.length > 0 ? <span className={styles.dim}>{formatPercent(watch.completion_rate)}</span> : null
}

interface VideoLineProps {
  video: Video
  detail: string
  children?: ReactNode
}

function VideoLine({ video, detail, children }: VideoLineProps) {
  return (
    <>
      <span className={styles.thumbnail}>
        <VideoPoster video={video} />
      </span>
      <span className={styles.rowTitle} title={video.unavailable ? video.title : undefined}>
        {video.title}
      </span>
      <span className={styles.videoFigures}>
        {children}
        <span className={styles.dim}>{detail}</span>
      </span>
    </>
  )
}
