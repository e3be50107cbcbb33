import { limits } from '@watchline/contracts/limits'
import { ProgressTrack } from '../../../ui/progress/progress-track.tsx'
import styles from './team-size.module.css'

/** The number of people in a supervisor's team, against its capacity. */
export function TeamSize({ count }: { count: number }) {
  const capacity = limits.supervisorCapacity
  return (
    <span className={styles.size}>
      <span>
        {`${count}/${capacity} users`}
        {count >= capacity ? <span className={styles.full}> · full</span> : null}
      </span>
      <ProgressTrack aria-hidden percent={Math.min(100, (count / capacity) * 100)} />
    </span>
  )
}
