import { limits } from '@watchline/contracts/limits'
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
      <span className={styles.track} aria-hidden="true">
        <span className={styles.taken} style={{ width: `${Math.min(100, (count / capacity) * 100)}%` }} />
      </span>
    </span>
  )
}
