import { limits } from '@watchline/contracts/limits'
import type { Erasure } from '@watchline/contracts/privacy'
import { usePolling } from '../../../api/polling.ts'
import { formatExactTime } from '../../../ui/format.ts'
import styles from './audit.module.css'
import { useListErasuresQuery } from './audit-api.ts'

const shownErasures = 10

/** The receipts of erasures with their progress; nothing while there is none. */
export function ErasureReceipts() {
  const { data } = useListErasuresQuery({ query: { limit: shownErasures } }, usePolling(limits.adminPollMs))
  if (!data || data.items.length === 0) return null
  return (
    <section aria-labelledby="erasures" className={styles.receipts}>
      <h2 id="erasures" className={styles.title}>
        Erased people
      </h2>
      <p className={styles.dim}>The receipts. They name nobody; the id is all that is left.</p>
      <ul className={styles.entries}>
        {data.items.map(erasure => (
          <li key={erasure.id} className={styles.entry}>
            <span>
              {formatExactTime(erasure.erased_at)} by {erasure.by.name}
            </span>
            <span className={styles.dim}>Person {erasure.person_id}</span>
            <span className={styles.dim}>{describeProgress(erasure)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Says which parts of Watchline are still at work. */
export function describeProgress({ services, completed_at }: Erasure): string {
  if (completed_at) return `Done ${formatExactTime(completed_at)}`
  const names = Object.entries(services)
  const waiting = names.filter(([, time]) => time === null).map(([name]) => name)
  return `${names.length - waiting.length} of ${names.length} parts done; still at work: ${waiting.join(', ')}`
}
