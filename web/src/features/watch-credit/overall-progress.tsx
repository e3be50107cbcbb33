import { formatWatched } from '../../ui/dates/format.ts'
import { useCredit, usePlayed } from './credit-context.tsx'
import { playlistFigures } from './credit-figures.ts'
import { describeCompletedVideos } from './describe-playlist-watch.ts'
import { PlaylistStrip } from './playlist-strip.tsx'
import styles from './watch-credit.module.css'

/** The credited share of the session's playlist, with what is being confirmed. */
export function OverallProgress() {
  const { playlistWatch, offline, error } = useCredit()
  const played = usePlayed()
  return (
    <section aria-label="Overall Progress" className={styles.summary}>
      <strong className={styles.small}>Overall Progress</strong>
      {playlistWatch ? (
        <>
          <PlaylistStrip watch={playlistWatch} played={played} />
          <Seconds {...playlistFigures(playlistWatch, played)} />
          {playlistWatch.total_videos > 1 ? (
            <p className={styles.dim}>{describeCompletedVideos(playlistWatch)}</p>
          ) : null}
        </>
      ) : (
        <p className={styles.dim}>
          {offline
            ? 'Shown when you reconnect.'
            : error
              ? 'Couldn’t load your credited time.'
              : 'Loading your credited time…'}
        </p>
      )}
    </section>
  )
}

function Seconds({ watchedS, length, provisionalS }: ReturnType<typeof playlistFigures>) {
  return (
    <p className={provisionalS > 0 ? styles.unconfirmed : styles.dim}>
      {formatWatched(watchedS, length)}
      {provisionalS > 0 ? <span className="wl-hidden"> (being confirmed)</span> : null}
    </p>
  )
}
