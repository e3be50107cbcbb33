import type { ReactNode } from 'react'
import styles from './sending-outcome.module.css'

/** What became of something that the person has just sent. Its place is free until then. */
export function SendingOutcome({ hasFailed, children }: { hasFailed: boolean; children: ReactNode }) {
  return (
    <p aria-live="polite" className={styles.outcome} data-failed={hasFailed}>
      {children}
    </p>
  )
}
