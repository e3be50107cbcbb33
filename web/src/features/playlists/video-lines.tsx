import { Button } from '@mantine/core'
import type { Video } from '@watchline/contracts/playlists'
import { useRef, useState } from 'react'
import { formatCount, formatPosition } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import styles from './playlists.module.css'
import { UnavailableBadge } from './unavailable-badge.tsx'

interface VideoListProps {
  videos: readonly Video[]
  /** The number of videos before "Show all". */
  initialCount?: number
}

/** Videos in their order, with source and length. */
export function VideoList({ videos, initialCount = Number.POSITIVE_INFINITY }: VideoListProps) {
  const [isComplete, setComplete] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const shownVideos = isComplete ? videos : videos.slice(0, initialCount)
  return (
    <>
      <ol ref={list} tabIndex={-1} className={styles.lines} aria-label="Videos">
        {shownVideos.map((video, index) => (
          <li key={video.id} className={`${styles.line} ${styles.video}`}>
            <span className={styles.number}>{index + 1}</span>
            <span className={`${listStyles.cut} ${styles.videoTitle}`} title={video.title}>
              {video.title}
            </span>
            {video.unavailable ? <UnavailableBadge /> : null}
            {video.made_for_kids ? <span className={listStyles.dim}>Made for kids</span> : null}
            <span className={listStyles.dim}>{video.provider === 'youtube' ? 'YouTube' : 'File'}</span>
            <span className={listStyles.dim}>{formatPosition(video.duration)}</span>
          </li>
        ))}
      </ol>
      {shownVideos.length < videos.length ? (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => {
            setComplete(true)
            list.current?.focus({ preventScroll: true })
          }}
        >
          Show all {formatCount(videos.length, 'video')}
        </Button>
      ) : null}
    </>
  )
}
