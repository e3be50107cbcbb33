import { useEffect, useState } from 'react'
import styles from './playlists.module.css'

const slowMs = 3_000

interface SlowNoteProps {
  busy: boolean
  /** The action in progress, in words. */
  children: string
}

/**
 * Announces the action in progress, and adds a note when it is slow, so that nobody starts it
 * again.
 */
export function SlowLoadingNote({ busy, children }: SlowNoteProps) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    if (!busy) return setIsSlow(false)
    const timer = setTimeout(() => setIsSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [busy])
  return (
    <p role="status" className={styles.slow}>
      {busy ? `${children}…${isSlow ? ' YouTube is slow just now; this can take a quarter of a minute.' : ''}` : ''}
    </p>
  )
}
