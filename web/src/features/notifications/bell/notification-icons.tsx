import styles from '../notifications.module.css'

export function UnreadMark() {
  return (
    <span className={styles.unread}>
      <span className={styles.dot} aria-hidden="true" />
      Unread
    </span>
  )
}

export function ReviewMark({ approved }: { approved: boolean }) {
  return (
    <span className={styles.answered} data-approved={approved}>
      <span aria-hidden="true">{approved ? '✓' : '✕'}</span> {approved ? 'Approved' : 'Rejected'}
    </span>
  )
}

/** The full comment of a supervisor's answer. */
export function QuotedWords({ by, children }: { by?: string; children: string }) {
  return (
    <blockquote className={styles.words} dir="auto">
      {by ? <span className={styles.by}>{by}: </span> : null}
      {children}
    </blockquote>
  )
}
