import { Button } from '@mantine/core'
import type { Video } from '@watchline/contracts/playlists'
import { useRef, useState } from 'react'
import { formatCount, formatPosition } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import styles from './playlists.module.css'
import { UnavailableBadge } from './unavailable-badge.tsx'

interface VideoListProps {
  videos: readonly Video[]
  /** The number of videos before "Show all". */
  first?: number
}

/** Videos in their order, with source and length. */
export function VideoList({ videos, first = Number.POSITIVE_INFINITY }: VideoListProps) {
  const [isComplete, setComplete] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const shown = isComplete ? videos : videos.slice(0, first)
  return (
    <>
      <ol ref={list} tabIndex={-1} className={styles.lines} aria-label="Videos">
        {shown.map((video, index) => (
          <li key={video.id} className={`${styles.line} ${styles.video}`}>
            <span className={styles.number}>{index + 1}</span>
            <span className={listStyles.cut} title={video.title}>
              {video.title}
            </span>
            {video.unavailable ? <UnavailableBadge /> : null}
            <span className={listStyles.dim}>{video.provider === 'youtube' ? 'YouTube' : 'File'}</span>
            <span className={listStyles.dim}>{formatPosition(video.duration)}</span>
          </li>
        ))}
      </ol>
      {shown.length < videos.length ? (
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
