import { useEffect, useState } from 'react'
import styles from './playlists.module.css'

const slowMs = 3_000

interface SlowNoteProps {
  isBusy: boolean
  /** The action in progress, in words. */
  children: string
}

/**
 * Announces the action in progress, and adds a note when it is slow, so that nobody starts it
 * again.
 */
export function SlowLoadingNote({ isBusy, children }: SlowNoteProps) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    if (!isBusy) return setIsSlow(false)
    const timer = setTimeout(() => setIsSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [isBusy])
  return (
    <p role="status" className={styles.slow}>
      {isBusy ? `${children}…${isSlow ? ' YouTube is slow just now; this can take a quarter of a minute.' : ''}` : ''}
    </p>
  )
}
