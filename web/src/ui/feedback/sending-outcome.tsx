import type { ReactNode } from 'react'
import styles from './sending-outcome.module.css'

/** The outcome of something that the person has just sent. It keeps its room before that, too. */
export function SendingOutcome({ hasFailed, children }: { hasFailed: boolean; children: ReactNode }) {
  return (
    <p aria-live="polite" className={styles.outcome} data-failed={hasFailed}>
      {children}
    </p>
  )
}
