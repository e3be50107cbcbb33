import type { ReactNode } from 'react'
import styles from './comments.module.css'
import type { TemporaryComment } from './use-comments.ts'

interface TemporaryBodyProps {
  comment: TemporaryComment
  online: boolean
  /** Beside the author. */
  position?: ReactNode
}

/** An own comment or reply that is not in the server's list yet. */
export function TemporaryBody({ comment: { comment }, online, position }: TemporaryBodyProps) {
  return (
    <>
      <div className={styles.head}>
        <span className={styles.author}>You</span>
        {position}
        <span className={styles.date}>{online ? 'Sending...' : 'Waiting for connection'}</span>
      </div>
      <p className={styles.words} dir="auto">
        {comment}
      </p>
      {online ? null : <p className={styles.kept}>Kept on this device; it is sent when you are back online.</p>}
    </>
  )
}
