import { CreditLoadState } from './credit-load-state.tsx'
import { describeCompletedVideos } from './describe-playlist-watch.ts'
import { PlaylistStrip } from './playlist-strip.tsx'
import { usePlaylistWatch } from './use-playlist-watch.ts'
import styles from './watch-credit.module.css'

interface CreditSummaryProps {
  playlistId: string
  /** The position at which the person stopped, in seconds. */
  position?: { videoId: string; seconds: number } | undefined
}

/** The credited share of a task, on its card. */
export function CreditSummary({ playlistId, position }: CreditSummaryProps) {
  const { playlistWatch, confirmedAt, ...state } = usePlaylistWatch(playlistId)
  return (
    <div className={styles.summaryFrame}>
      <CreditLoadState {...state} rows={1}>
        {playlistWatch ? (
          <div className={styles.summary}>
            <PlaylistStrip watch={playlistWatch} position={position} />
            <p className={styles.dim}>{describeCompletedVideos(playlistWatch)}</p>
          </div>
        ) : undefined}
      </CreditLoadState>
    </div>
  )
}
