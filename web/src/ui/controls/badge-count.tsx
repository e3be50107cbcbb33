import { formatNumber } from '../dates/format.ts'
import styles from './badge-count.module.css'

interface BadgeCountProps {
  count: number
  /** Larger counts are shown as `max+`. */
  max?: number
  /** The badge stands in the corner of an icon button. */
  corner?: boolean
  /** The text for screen readers. Without it they skip the badge. */
  label?: string
}

/** A count that wants attention. Nothing if it is 0. */
export function BadgeCount({ count, max = Number.POSITIVE_INFINITY, corner = false, label }: BadgeCountProps) {
  if (count === 0) return null
  const text = count > max ? `${max}+` : formatNumber(count)
  return (
    <span className={styles.badge} data-corner={corner || undefined} aria-hidden={label === undefined || undefined}>
      {label === undefined ? (
        text
      ) : (
        <>
          <span aria-hidden="true">{text}</span>
          <span className="wl-hidden">{label}</span>
        </>
      )}
    </span>
  )
}
