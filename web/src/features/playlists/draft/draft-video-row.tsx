import { ActionIcon, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import listStyles from '../../../ui/list.module.css'
import styles from '../playlists.module.css'
import { UnavailableBadge } from '../unavailable-badge.tsx'
import { durationInput } from './duration-input.ts'
import type { ReadDuration } from './media-duration.ts'
import { type DraftVideo, missingFileMessage } from './playlist-draft.ts'

interface DraftVideoRowProps {
  video: DraftVideo
  index: number
  count: number
  titleError: string | undefined
  durationError: string | undefined
  readDuration: ReadDuration
  onEdit: (edit: (video: DraftVideo) => Partial<DraftVideo>) => void
  onMove: (offset: -1 | 1) => void
  onRemove: () => void
}

export function DraftVideoRow({ video, index, count, onEdit, onMove, onRemove, ...row }: DraftVideoRowProps) {
  const isReading = useMediaLength(video, row.readDuration, onEdit)
  const number = index + 1
  const name = video.title || `video ${number}`
  return (
    <li className={styles.draftVideo}>
      <span className={styles.number} aria-hidden="true">
        {number}
      </span>
      <div className={styles.draftFields}>
        <TextInput
          className={styles.grow}
          aria-label={`Title of video ${number}`}
          placeholder="Title"
          maxLength={limits.titleMaxLength}
          value={video.title}
          error={row.titleError ?? (video.problem === 'missing' ? missingFileMessage : undefined)}
          onChange={({ currentTarget: { value } }) => onEdit(() => ({ title: value }))}
        />
        <TextInput
          className={styles.duration}
          aria-label={`Duration of video ${number}`}
          placeholder={isReading ? 'Reading…' : 'm:ss'}
          inputMode="text"
          maxLength={12}
          value={video.duration}
          error={row.durationError}
          onChange={({ currentTarget: { value } }) => onEdit(() => ({ duration: value }))}
        />
        <a
          className={`${listStyles.cut} ${styles.source}`}
          href={addressOf(video)}
          target="_blank"
          rel="noreferrer"
          title={`Look at ${addressOf(video)} in a new tab`}
        >
          {video.provider === 'youtube' ? `YouTube ${video.id}` : video.url}
        </a>
        {video.problem === 'unreadable' ? (
          <span className={listStyles.dim}>
            This browser could not read the file. Check the address, and type the length.
          </span>
        ) : null}
        {video.unavailable ? <UnavailableBadge /> : null}
      </div>
      <div className={styles.draftActions}>
        <ActionIcon
          id={`up-${video.id}`}
          variant="default"
          size="lg"
          aria-label={`Move ${name} up`}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        >
          <Glyph path="M8 13V3M3.5 7.5 8 3l4.5 4.5" />
        </ActionIcon>
        <ActionIcon
          id={`down-${video.id}`}
          variant="default"
          size="lg"
          aria-label={`Move ${name} down`}
          disabled={index === count - 1}
          onClick={() => onMove(1)}
        >
          <Glyph path="M8 3v10M3.5 8.5 8 13l4.5-4.5" />
        </ActionIcon>
        <ActionIcon
          id={`remove-${video.id}`}
          variant="default"
          size="lg"
          aria-label={`Remove ${name}`}
          onClick={onRemove}
        >
          <Glyph path="m4 4 8 8M12 4l-8 8" />
        </ActionIcon>
      </div>
    </li>
  )
}

/** Where the video itself can be looked at. */
function addressOf({ provider, id, url }: DraftVideo): string {
  return provider === 'youtube' ? `https://www.youtube.com/watch?v=${id}` : (url ?? '')
}

function Glyph({ path }: { path: string }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}

/**
 * Reads the length of an own file once, and finds out whether the file is missing. A length typed
 * meanwhile stays.
 */
function useMediaLength(video: DraftVideo, readDuration: ReadDuration, onEdit: DraftVideoRowProps['onEdit']): boolean {
  const { url } = video
  const needsReading =
    video.provider === 'file' && video.duration === '' && video.measured === undefined && video.problem === undefined
  const [isReading, setIsReading] = useState(needsReading)
  const latestOnEdit = useRef(onEdit)
  latestOnEdit.current = onEdit

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each address
  useEffect(() => {
    if (!needsReading || url === undefined) return
    const controller = new AbortController()
    setIsReading(true)
    void readDuration(url, controller.signal).then(seconds => {
      if (controller.signal.aborted) return
      setIsReading(false)
      if (seconds === 'missing') return latestOnEdit.current(() => ({ problem: 'missing' }))
      if (seconds === undefined) return latestOnEdit.current(() => ({ problem: 'unreadable' }))
      if (seconds > limits.videoMaxDurationS) return
      latestOnEdit.current(currentVideo =>
        currentVideo.duration === '' ? { duration: durationInput(seconds), measured: seconds } : { measured: seconds },
      )
    })
    return () => controller.abort()
  }, [url])

  return isReading
}
