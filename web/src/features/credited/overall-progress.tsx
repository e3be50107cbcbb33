import { formatWatched } from '../../ui/format.ts'
import { useCredit, usePlayed } from './credit-context.tsx'
import { playlistFigures } from './credit-figures.ts'
import styles from './credited.module.css'
import { PlaylistStrip } from './playlist-strip.tsx'
import { overallInWords } from './watch-words.ts'

/** The credited share of the session's playlist, with what is being confirmed. */
export function OverallProgress() {
  const { watched, offline, error } = useCredit()
  const played = usePlayed()
  return (
    <section aria-label="Overall Progress" className={styles.summary}>
      <strong className={styles.small}>Overall Progress</strong>
      {watched ? (
        <>
          <PlaylistStrip watch={watched} played={played} />
          <Seconds {...playlistFigures(watched, played)} />
          {watched.total_videos > 1 ? <p className={styles.dim}>{overallInWords(watched)}</p> : null}
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
