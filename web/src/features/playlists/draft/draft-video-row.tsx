import { ActionIcon, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import listStyles from '../../../ui/lists/list.module.css'
import { VideoPoster } from '../../../ui/progress/video-poster.tsx'
import styles from '../playlists.module.css'
import { UnavailableBadge } from '../unavailable-badge.tsx'
import { durationInput } from './duration-input.ts'
import type { ReadDuration } from './media-duration.ts'
import { type DraftVideo, unplayableFileMessage } from './playlist-draft.ts'
import { useLoadableUrl } from './use-loadable-url.ts'
import type { RowDrag } from './use-row-drag.ts'

/** The button that moved a video; it keeps the focus. */
export type MoveControl = 'top' | 'up' | 'down' | 'end'

interface DraftVideoRowProps {
  video: DraftVideo
  index: number
  count: number
  titleError: string | undefined
  durationError: string | undefined
  readDuration: ReadDuration
  onEdit: (edit: (video: DraftVideo) => Partial<DraftVideo>) => void
  /** Moves the video to an index. */
  onMove: (toIndex: number, control: MoveControl) => void
  drag: RowDrag
  onRemove: () => void
}

/** One video of a draft: picture, fields, and the ways to move and remove it. */
export function DraftVideoRow({ video, index, count, onEdit, onMove, onRemove, drag, ...row }: DraftVideoRowProps) {
  const loadableUrl = useLoadableUrl(video)
  const address = addressOf(video, loadableUrl)
  const isReading = useMediaLength(video, loadableUrl, row.readDuration, onEdit)
  const number = index + 1
  const name = video.title || `video ${number}`
  return (
    <li className={styles.draftVideo} data-drop-place={drag.dropPosition} {...drag.target}>
      <span className={styles.dragHandle} title="Drag to move" aria-hidden="true" {...drag.handle}>
        <span className={styles.number}>{number}</span>
        <VideoPoster video={{ ...video, url: loadableUrl }} />
      </span>
      <div className={styles.draftFields}>
        <TextInput
          className={styles.grow}
          aria-label={`Title of video ${number}`}
          placeholder="Title"
          maxLength={limits.titleMaxLength}
          value={video.title}
          error={row.titleError ?? unplayableFileMessage(video)}
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
          href={address}
          target="_blank"
          rel="noreferrer"
          title={`Look at ${video.url ?? address} in a new tab`}
        >
          {video.provider === 'youtube' ? `YouTube ${video.id}` : video.url}
        </a>
        {video.problem === 'unreadable' ? (
          <span className={listStyles.dim}>
            This browser could not read the file. Check the address, and type the length.
          </span>
        ) : null}
        {video.problem === 'blocked' && unplayableFileMessage(video) === undefined ? (
          <span className={listStyles.dim}>
            This stream cannot play until its host is allowed. Ask the person who runs Watchline to add the host
            (MEDIA_HOSTS). MP4 and WebM files from this host may play.
          </span>
        ) : null}
        {video.unavailable ? <UnavailableBadge /> : null}
      </div>
      <div className={styles.draftActions}>
        {movesFor(index, count).map(({ control, words, toIndex, path }) => (
          <ActionIcon
            key={control}
            id={`${control}-${video.id}`}
            variant="default"
            size="lg"
            aria-label={`Move ${name} ${words}`}
            disabled={toIndex === index}
            onClick={() => onMove(toIndex, control)}
          >
            <Glyph path={path} />
          </ActionIcon>
        ))}
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

/** In a list of two, up and down already reach the ends. */
function movesFor(index: number, count: number) {
  const last = count - 1
  const top = { control: 'top', words: 'to top', toIndex: 0, path: 'M8 14V6M3.5 9.5 8 5l4.5 4.5M3 2h10' } as const
  const up = {
    control: 'up',
    words: 'up',
    toIndex: Math.max(0, index - 1),
    path: 'M8 13V3M3.5 7.5 8 3l4.5 4.5',
  } as const
  const down = {
    control: 'down',
    words: 'down',
    toIndex: Math.min(last, index + 1),
    path: 'M8 3v10M3.5 8.5 8 13l4.5-4.5',
  } as const
  const end = { control: 'end', words: 'to end', toIndex: last, path: 'M8 2v8M3.5 6.5 8 11l4.5-4.5M3 14h10' } as const
  return count > 2 ? [top, up, down, end] : [up, down]
}

/** Where the video itself can be looked at. */
function addressOf({ provider, id }: DraftVideo, url: string | undefined): string {
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
function useMediaLength(
  video: DraftVideo,
  url: string | undefined,
  readDuration: ReadDuration,
  onEdit: DraftVideoRowProps['onEdit'],
): boolean {
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
      if (seconds === 'missing' || seconds === 'blocked') return latestOnEdit.current(() => ({ problem: seconds }))
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
