import type { ReactNode } from 'react'
import styles from './stat-card.module.css'

export interface StatCardProps {
  label: string
  /** undefined while it loads. */
  value: ReactNode
  /** A word under the figure, such as "of 10". */
  note?: ReactNode
  /** A text as long as the note that is still loading. Its room is kept. */
  awaitedNote?: string | undefined
  /** The note is still loading; by default it comes with the value. */
  awaitsNote?: boolean
  /** The figure needs the person's attention: amber. */
  needsYou?: boolean
  /** Makes the card a button, such as a filter; `pressed` is its state. */
  onClick?: () => void
  pressed?: boolean
}

export function StatCard({
  label,
  value,
  note,
  awaitedNote,
  awaitsNote = value === undefined,
  needsYou,
  onClick,
  pressed,
}: StatCardProps) {
  const content = (
    <>
      <span className={styles.label}>{label}</span>
      <span className={styles.value} data-needs-you={needsYou || undefined}>
        {value ?? <span className={styles.blank} aria-hidden="true" />}
      </span>
      {note === undefined ? null : <span className={styles.note}>{note}</span>}
      {note === undefined && awaitsNote && awaitedNote !== undefined ? (
        <span className={`${styles.note} ${styles.awaited}`} aria-hidden="true">
          {awaitedNote}
        </span>
      ) : null}
    </>
  )
  if (!onClick) return <div className={styles.card}>{content}</div>
  return (
    <button type="button" className={styles.card} onClick={onClick} aria-pressed={pressed}>
      {content}
    </button>
  )
}

/** Stat cards in one row, two to a row on a phone. */
export function StatCards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>
}

/**
 * The value of a card whose figure could not be loaded; a missing value shows that it is loading.
 */
export function dashIfFailed(failure: unknown): string | undefined {
  return failure ? '–' : undefined
}
