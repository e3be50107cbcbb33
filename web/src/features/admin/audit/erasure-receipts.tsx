import { limits } from '@watchline/contracts/limits'
import type { Erasure } from '@watchline/contracts/privacy'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { formatExactTime } from '../../../ui/dates/format.ts'
import { Loaded } from '../../../ui/feedback/states.tsx'
import styles from './audit.module.css'
import { useListErasuresQuery } from './audit-api.ts'

const shownErasures = 10

/** The receipts of erasures with their progress; nothing while there is none. */
export function ErasureReceipts() {
  const { data, error, isFetching, refetch } = useListErasuresQuery(
    { query: { limit: shownErasures } },
    usePolling(limits.adminPollMs),
  )
  if (!error && !data?.items.length) return null
  const list = data?.items.length ? <ErasureList erasures={data.items} /> : null
  return (
    <section aria-labelledby="erasures" className={styles.receipts}>
      <h2 id="erasures" className={styles.title}>
        Erased people
      </h2>
      <Loaded
        message="Couldn’t load the receipts of erasures."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      >
        {list}
      </Loaded>
    </section>
  )
}

function ErasureList({ erasures }: { erasures: readonly Erasure[] }) {
  return (
    <>
      <p className={styles.dim}>The receipts. They name nobody; the id is all that is left.</p>
      <ul className={styles.entries}>
        {erasures.map(erasure => (
          <li key={erasure.id} className={styles.entry}>
            <span>
              {formatExactTime(erasure.erased_at)} by {erasure.by.name}
            </span>
            <span className={styles.dim}>Person {erasure.person_id}</span>
            <span className={styles.dim}>{describeProgress(erasure)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Says which parts of Watchline are still at work. */
export function describeProgress({ services, completed_at }: Erasure): string {
  if (completed_at) return `Done ${formatExactTime(completed_at)}`
  const names = Object.entries(services)
  const waiting = names.filter(([, time]) => time === null).map(([name]) => name)
  return `${names.length - waiting.length} of ${names.length} parts done; still at work: ${waiting.join(', ')}`
}
