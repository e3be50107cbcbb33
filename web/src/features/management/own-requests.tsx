import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { useId, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './management.module.css'
import { latestRequests, useListOwnRequestsQuery } from './management-api.ts'

const fewest = 5
const step = 25

/** What became of the manager's requests for supervisors, latest first. */
export function OwnRequests() {
  const titleId = useId()
  const [count, setCount] = useState(fewest)
  const { data, error, isFetching, refetch } = useListOwnRequestsQuery(latestRequests, usePolling(limits.teamPollMs))
  const shown = data?.items.slice(0, count)

  const list = shown && (
    <>
      {shown.length === 0 ? (
        <p className={styles.dim}>
          You have not asked for a supervisor yet. What you ask for with Request Supervisor is listed here, with the
          administrator’s answer.
        </p>
      ) : (
        <ul className={styles.lines} aria-labelledby={titleId}>
          {shown.map(request => (
            <Request key={request.id} request={request} />
          ))}
        </ul>
      )}
      {data && shown.length < data.items.length ? (
        <Button variant="default" size="xs" className={styles.more} onClick={() => setCount(count + step)}>
          Show more
        </Button>
      ) : null}
    </>
  )
  return (
    <section aria-labelledby={titleId} className={styles.card}>
      <h2 id={titleId} className={styles.title}>
        My requests
      </h2>
      {error ? (
        <LoadFailed
          message="Your requests could not be loaded. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={2} />)
      )}
    </section>
  )
}

const words: Record<SupervisorRequest['status'], string> = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}

function Request({ request }: { request: SupervisorRequest }) {
  const { status, supervisor_name: name, reason, comment, requested_at, reviewed_at } = request
  return (
    <li className={styles.line}>
      <div className={styles.requestTop}>
        <span className={styles.cut} title={name}>
          {name}
        </span>
        <span className={styles.badge} data-status={status}>
          {words[status]}
        </span>
      </div>
      <div className={styles.facts}>
        <span>
          asked <RelativeTime time={requested_at} />
        </span>
        {reviewed_at ? (
          <span>
            {status === 'withdrawn' ? 'withdrawn' : 'answered'} <RelativeTime time={reviewed_at} />
          </span>
        ) : null}
      </div>
      {reason ? <p className={styles.words}>Your reason: {reason}</p> : null}
      {comment ? <p className={styles.words}>Administrator: {comment}</p> : null}
      {status === 'pending' ? <p className={styles.dim}>Waiting for an administrator.</p> : null}
      {status === 'withdrawn' ? (
        <p className={styles.dim}>One of you two left the role this was about, so it no longer stands.</p>
      ) : null}
    </li>
  )
}
