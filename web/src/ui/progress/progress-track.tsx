import type { AriaAttributes } from 'react'
import type { CompletionBand } from './completion-band.ts'
import styles from './progress-track.module.css'

interface ProgressTrackProps extends AriaAttributes {
  /** 0 to 100. */
  percent: number
  /**
   * The filled parts as shares of the bar (0 to 1); without them the bar is filled from its start.
   */
  parts?: readonly (readonly [from: number, to: number])[] | undefined
  /** Colours the bar; without one it has the colour of a watch strip. */
  band?: CompletionBand
  size?: 'small' | 'large'
  role?: 'progressbar'
}

/** A bar that is filled to a share. The caller gives it its role and its text. */
export function ProgressTrack({
  percent,
  parts = [[0, percent / 100]],
  band,
  size = 'small',
  ...attributes
}: ProgressTrackProps) {
  return (
    <span {...attributes} className={styles.track} data-size={size}>
      {parts.map(([from, to]) => (
        <span
          key={from}
          className={styles.filled}
          data-band={band}
          style={{ insetInlineStart: `${from * 100}%`, width: `${(to - from) * 100}%` }}
        />
      ))}
    </span>
  )
}
