import type { AriaAttributes } from 'react'
import type { CompletionBand } from './completion-band.ts'
import styles from './progress-track.module.css'

interface ProgressTrackProps extends AriaAttributes {
  /** 0 to 100. */
  percent: number
  /** Colours the bar; without one it has the colour of a watch strip. */
  band?: CompletionBand
  size?: 'small' | 'large'
  role?: 'progressbar'
}

/** A bar that is filled to a share. The caller gives it its role and its text. */
export function ProgressTrack({ percent, band, size = 'small', ...attributes }: ProgressTrackProps) {
  return (
    <span {...attributes} className={styles.track} data-size={size}>
      <span className={styles.filled} data-band={band} style={{ width: `${percent}%` }} />
    </span>
  )
}
