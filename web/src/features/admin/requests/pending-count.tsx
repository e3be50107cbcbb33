import { formatNumber } from '../../../ui/dates/format.ts'
import styles from '../admin.module.css'
import { useUserCounts } from '../people/use-user-counts.ts'

/** The number of pending supervisor requests; nothing for 0. */
export function PendingCount() {
  const pending = useUserCounts().data?.pending_requests ?? 0
  if (pending === 0) return null
  return (
    <span className={styles.pending}>
      {formatNumber(pending)}
      <span className="wl-hidden">{pending === 1 ? ' pending request' : ' pending requests'}</span>
    </span>
  )
}
