import { useId } from 'react'
import styles from './progress-line.module.css'
import { ProgressTrack } from './progress-track.tsx'

interface ProgressLineProps {
  label: string
  done: number
  /** 0 while the total is unknown. */
  total: number
  /** The progress in words: "3,200 of 10,000 lines". */
  valueText: string
}

/** A progress bar with its label and its progress in words. */
export function ProgressLine({ label, done, total, valueText }: ProgressLineProps) {
  const labelId = useId()
  const percent = total > 0 ? Math.floor((Math.min(done, total) / total) * 100) : undefined
  return (
    <div className={styles.progress}>
      <div className={styles.words}>
        <span id={labelId}>{label}</span>
        <span>{valueText}</span>
      </div>
      <ProgressTrack
        role="progressbar"
        size="large"
        percent={percent ?? 0}
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={valueText}
      />
    </div>
  )
}
