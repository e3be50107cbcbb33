import { Button } from '@mantine/core'
import type { VideoWatch } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { formatPosition } from '../../ui/dates/format.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { explainNote } from '../../ui/progress/describe-video-watch.ts'
import { WatchStrip } from '../../ui/progress/watch-strip.tsx'
import { useCredit, usePlayed } from './credit-context.tsx'
import { openGaps, videoFigures } from './credit-figures.ts'
import styles from './watch-credit.module.css'

interface VideoCreditProps {
  video: VideoWatch
  ticks: readonly number[]
}

const maxShownGaps = 5

export function VideoCredit({ video, ticks }: VideoCreditProps) {
  const { tour, start, stop } = useCredit().gapTour
  const played = usePlayed()
  const isUntouched = played.every(({ videoId }) => videoId !== video.video_id)
  const [showsAll, setShowsAll] = useState(false)
  const gaps = openGaps(video, played).map(range => ({ videoId: video.video_id, ...range }))
  const shownGaps = showsAll ? gaps : gaps.slice(0, maxShownGaps)
  const hidden = gaps.length - shownGaps.length
  const isAllWatched = video.missing.length === 0
  const notes = video.notes.filter(({ code }) => !(code === 'skipped' && isAllWatched))
  return (
    <>
      <Strip video={video} ticks={ticks} />
      {video.completed ? <p className={styles.completed}>✓ Completed</p> : null}
      {video.watched.length === 0 && isUntouched ? (
        <p className={styles.dim}>Nothing credited yet. Your watched time appears here while you watch.</p>
      ) : null}
      {gaps.length > 0 || tour ? (
        <>
          {gaps.length > 0 ? (
            <ul className={styles.gaps} aria-label="Not yet watched">
              {shownGaps.map(({ from, to }, index) => (
                <li key={to}>
                  <button type="button" className={styles.gap} onClick={() => start(gaps, { index })}>
                    {formatPosition(from)} to {formatPosition(to)}
                  </button>{' '}
                  not yet watched
                </li>
              ))}
            </ul>
          ) : null}
          {hidden > 0 ? (
            <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
              Show {hidden} more
            </Button>
          ) : null}
          <div className={styles.tour}>
            {tour ? (
              <Button variant="default" size="xs" onClick={stop}>
                Back to the whole video
              </Button>
            ) : (
              <Button variant="default" size="xs" onClick={() => start(gaps)}>
                Watch what is missing
              </Button>
            )}
            <span role="status" className={styles.dim}>
              {tour ? `Gap ${tour.index + 1} of ${tour.gaps.length}` : ''}
            </span>
          </div>
        </>
      ) : null}
      <Notes title="What did not count" video={video} notes={notes.filter(costsCredit)} />
      <Notes title="Attention checks" video={video} notes={notes.filter(note => !costsCredit(note))} />
    </>
  )
}

const costsCredit = ({ code }: VideoWatch['notes'][number]) => code !== 'unanswered'

function Notes({ title, video, notes }: { title: string; video: VideoWatch; notes: VideoWatch['notes'] }) {
  if (notes.length === 0) return null
  return (
    <div className={styles.notes}>
      <h3>{title}</h3>
      <ul>
        {notes.map(note => (
          <li key={note.code}>{explainNote(note, video)}</li>
        ))}
      </ul>
    </div>
  )
}

/** A component of its own, because the playhead and the played part move every second. */
function Strip({ video, ticks }: VideoCreditProps) {
  const playhead = useSubscribable(useCredit().session.shownSecond)
  const { provisionalS, ...figures } = videoFigures(video, usePlayed())
  return <WatchStrip size="large" label={video.title} {...figures} playhead={playhead} ticks={ticks} />
}
