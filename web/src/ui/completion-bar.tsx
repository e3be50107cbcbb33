import { bandOf, bandWords } from './completion-band.ts'
import styles from './completion-bar.module.css'
import { formatPercent } from './format.ts'

interface CompletionBarProps {
  /** Percent. */
  rate: number
  /** The person or object of the completion, for screen readers. */
  label: string
}

/** A completion rate: a bar in the colour of its band, with figure and word above it. */
export function CompletionBar({ rate, label }: CompletionBarProps) {
  const band = bandOf(rate)
  const shown = Math.min(100, Math.max(0, Math.round(rate)))
  return (
    <div className={styles.completion}>
      <div className={styles.words} aria-hidden="true">
        <span>{formatPercent(shown)}</span>
        <span className={styles.word} data-band={band}>
          {bandWords[band]}
        </span>
      </div>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={shown}
        aria-valuetext={`${formatPercent(shown)}, ${bandWords[band].toLowerCase()}`}
      >
        <div className={styles.filled} data-band={band} style={{ width: `${shown}%` }} />
      </div>
    </div>
  )
}

/** Shown if there is nothing to complete or nothing is known. */
export function NoCompletion({ children }: { children: string }) {
  return <span className={styles.none}>{children}</span>
}
