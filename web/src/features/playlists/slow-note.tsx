import { useEffect, useState } from 'react'
import styles from './playlists.module.css'

const slowMs = 3_000

interface SlowNoteProps {
  busy: boolean
  /** What is being done. */
  children: string
}

/** Says what is being done and, when it takes long, that this happens: nobody should try again meanwhile. */
export function SlowLoadingNote({ busy, children }: SlowNoteProps) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) return setSlow(false)
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [busy])
  return (
    <p role="status" className={styles.slow}>
      {busy ? `${children}…${slow ? ' YouTube is slow just now; this can take a quarter of a minute.' : ''}` : ''}
    </p>
  )
}
