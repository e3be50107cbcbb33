import styles from './credited.module.css'
import { CreditedState } from './credited-state.tsx'
import { PlaylistStrip } from './playlist-strip.tsx'
import { useWatched } from './use-watched.ts'
import { overallInWords } from './watch-words.ts'

interface CreditedSummaryProps {
  playlistId: string
  /** Where the person stopped; seconds into the video. */
  position?: { videoId: string; seconds: number } | undefined
}

/** The credited share of a task, on its card. */
export function CreditedSummary({ playlistId, position }: CreditedSummaryProps) {
  const { watched, confirmedAt, ...state } = useWatched(playlistId)
  return (
    <CreditedState {...state} rows={1}>
      {watched ? (
        <div className={styles.summary}>
          <PlaylistStrip watch={watched} position={position} />
          <p className={styles.dim}>{overallInWords(watched)}</p>
        </div>
      ) : undefined}
    </CreditedState>
  )
}
