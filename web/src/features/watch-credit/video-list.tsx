import type { VideoWatch } from '@watchline/contracts/engagement'
import { memo } from 'react'
import { needsWatching } from '../../api/playlist-watch.ts'
import { formatPosition } from '../../ui/dates/format.ts'
import { type PosterVideo, VideoPoster } from '../../ui/progress/video-poster.tsx'
import { WatchStrip } from '../../ui/progress/watch-strip.tsx'
import { useCredit, usePlayed } from './credit-context.tsx'
import { openGaps, type PlayedRange, videoFigures } from './credit-figures.ts'
import styles from './watch-credit.module.css'

/** A video of the playlist as the player knows it. */
export interface ListedVideo extends PosterVideo {
  title: string
  /** Seconds. */
  duration: number
  /** The place in the playlist, from 1. */
  number: number
  /** It cannot be played. */
  unavailable: boolean
}

const maxShownGaps = 3

/**
 * Videos to choose from, each with its watch strip. A chosen video plays from its first gap; a gap
 * is a link that plays the gap.
 */
export function VideoList({ videos, label }: { videos: readonly ListedVideo[]; label: string }) {
  const played = usePlayed()
  return (
    <ol className={styles.videos} aria-label={label}>
      {videos.map(({ id, provider, url, media_url, title, duration, number, unavailable }) => (
        <VideoRow
          key={id}
          id={id}
          provider={provider}
          url={url}
          media_url={media_url}
          title={title}
          duration={duration}
          number={number}
          unavailable={unavailable}
          played={played.some(({ videoId }) => videoId === id) ? played : undefined}
        />
      ))}
    </ol>
  )
}

interface VideoRowProps extends ListedVideo {
  played: readonly PlayedRange[] | undefined
}

/** Memoised, because only the rows of the played videos change every second. */
const VideoRow = memo(function VideoRow({ played, ...video }: VideoRowProps) {
  const { id, title, duration, number, unavailable } = video
  const { session, playlistWatch } = useCredit()
  const watch = playlistWatch?.videos.find(({ video_id }) => video_id === id)
  const isCurrent = session.videoId === id
  const [firstGap] = watch && needsWatching(watch, playlistWatch?.required_percent) ? watch.missing : []
  if (unavailable || watch?.unavailable)
    return (
      <li>
        <span className={styles.videoTitle} title={title}>
          {number}. {title}
        </span>
        <span className={styles.dim}>cannot be played; left out</span>
      </li>
    )
  return (
    <li aria-current={isCurrent || undefined}>
      <button
        type="button"
        className={styles.video}
        title={`Play “${title}”`}
        onClick={() => session.goTo(id, firstGap?.[0] ?? 0)}
      >
        <span className={styles.thumbnail}>
          <VideoPoster video={video} />
        </span>
        <span className={styles.videoTitle}>
          {number}. {title}
        </span>
        {watch?.completed ? <span className={styles.completed}>✓</span> : null}
        <span className={styles.figures}>{formatPosition(duration)}</span>
      </button>
      {watch ? <WatchStrip {...videoFigures(watch, played)} /> : null}
      {watch && !isCurrent ? <Gaps watch={watch} played={played} /> : null}
    </li>
  )
})

/** The gaps of a video that is begun. `CreditedRangesCard` lists those of the present video. */
function Gaps({ watch, played }: { watch: VideoWatch; played: readonly PlayedRange[] | undefined }) {
  const { gapTour } = useCredit()
  const gaps = openGaps(watch, played).map(range => ({ videoId: watch.video_id, ...range }))
  if (watch.watched.length === 0 || gaps.length === 0) return null
  return (
    <span className={styles.rowGaps}>
      <span className={styles.dim}>Not yet watched:</span>
      {gaps.slice(0, maxShownGaps).map(({ from, to }, index) => (
        <button
          key={to}
          type="button"
          className={styles.gap}
          aria-label={`${formatPosition(from)} to ${formatPosition(to)} of “${watch.title}”`}
          onClick={() => gapTour.start(gaps, { index })}
        >
          {formatPosition(from)} to {formatPosition(to)}
        </button>
      ))}
      {gaps.length > maxShownGaps ? <span className={styles.dim}>and {gaps.length - maxShownGaps} more</span> : null}
    </span>
  )
}
