import { formatPercent } from '../dates/format.ts'
import { bandOf, bandWords } from './completion-band.ts'
import styles from './completion-bar.module.css'
import { ProgressTrack } from './progress-track.tsx'

interface CompletionBarProps {
  /** Percent. */
  rate: number
  /** The credited parts of what is to be completed, as shares of its length (0 to 1). */
  parts?: readonly (readonly [from: number, to: number])[] | undefined
  /** The person or object of the completion, for screen readers. */
  label: string
}

/**
 * A completion rate: a bar in the colour of its band, with figure and word above it. With parts the
 * bar is a watch strip: credited parts are filled, missing ones hollow.
 */
export function CompletionBar({ rate, parts, label }: CompletionBarProps) {
  const band = bandOf(rate)
  const percent = Math.min(100, Math.max(0, Math.floor(rate)))
  return (
    <div className={styles.completion}>
      <div className={styles.words} aria-hidden="true">
        <span>{formatPercent(percent)}</span>
        <span className={styles.word} data-band={band}>
          {bandWords[band]}
        </span>
      </div>
      <ProgressTrack
        percent={percent}
        parts={parts}
        band={band}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${formatPercent(percent)}, ${bandWords[band].toLowerCase()}`}
      />
    </div>
  )
}

/** Shown if there is nothing to complete or nothing is known. */
export function NoCompletion({ children }: { children: string }) {
  return <span className={styles.none}>{children}</span>
}
