import styles from './credited.module.css'
import { CreditedState } from './credited-state.tsx'
import { PlaylistStrip } from './playlist-strip.tsx'
import { useWatched } from './use-watched.ts'
import { overallInWords } from './watch-words.ts'

/** The credited share of a task, on its card. */
export function CreditedSummary({ playlistId }: { playlistId: string }) {
  const { watched, confirmedAt, ...state } = useWatched(playlistId)
  return (
    <CreditedState {...state} rows={1}>
      {watched ? (
        <div className={styles.summary}>
          <PlaylistStrip watch={watched} />
          <p className={styles.dim}>{overallInWords(watched)}</p>
        </div>
      ) : undefined}
    </CreditedState>
  )
}
