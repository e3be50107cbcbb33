import { useId } from 'react'
import styles from './people-import.module.css'

interface ProgressLineProps {
  label: string
  done: number
  /** 0 while the total is unknown. */
  total: number
  /** The progress in words: "3,200 of 10,000 lines". */
  words: string
}

/** A progress bar with its label and its progress in words. */
export function ProgressLine({ label, done, total, words }: ProgressLineProps) {
  const labelId = useId()
  const percent = total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : undefined
  return (
    <div className={styles.progress}>
      <div className={styles.progressWords}>
        <span id={labelId}>{label}</span>
        <span>{words}</span>
      </div>
      <div
        role="progressbar"
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
        className={styles.track}
      >
        <div className={styles.filled} style={{ width: `${percent ?? 0}%` }} />
      </div>
    </div>
  )
}
