import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { useId, useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'
import { latestRequests, useListOwnRequestsQuery, useWithdrawRequestMutation } from './management-api.ts'

const initialCount = 5
const countStep = 25

/** The manager's requests for supervisors and their outcomes, latest first. */
export function OwnRequests() {
  const titleId = useId()
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const [count, setCount] = useState(initialCount)
  const { data, error, isFetching, refetch } = useListOwnRequestsQuery(latestRequests, usePolling(limits.teamPollMs))
  const requests = data?.items.slice(0, count)

  const list = requests && (
    <>
      {requests.length === 0 ? (
        <p className={listStyles.dim}>
          You have not requested a supervisor yet. Your requests and the administrator’s answers appear here.
        </p>
      ) : (
        <ul className={styles.lines} aria-labelledby={titleId}>
          {requests.map(request => (
            <Request key={request.id} request={request} />
          ))}
        </ul>
      )}
      {data && requests.length < data.items.length ? (
        <Button variant="default" size="xs" className={styles.more} onClick={() => setCount(count + countStep)}>
          Show more
        </Button>
      ) : null}
    </>
  )
  return (
    <section ref={section} tabIndex={-1} aria-labelledby={titleId} className={styles.card}>
      <h2 id={titleId} className={styles.title}>
        My requests
      </h2>
      <Loaded
        message="Couldn’t load your requests."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={2} />}
      >
        {list}
      </Loaded>
    </section>
  )
}

const statusWords: Record<SupervisorRequest['status'], string> = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}

function WithdrawButton({ request: { id, supervisor_name: name } }: { request: SupervisorRequest }) {
  const alerts = useAlerts()
  const [withdraw, { isLoading }] = useWithdrawRequestMutation()

  async function send() {
    if (isLoading) return
    const { error } = await withdraw({ params: { id } })
    if (!error) return alerts.succeed(`Request for ${name} withdrawn`)
    const failure = asFailure(error)
    if (failure.code === 'already_reviewed')
      return alerts.announce({ kind: 'notice', message: 'This request has already been answered.' })
    alerts.fail('The request could not be withdrawn. Please try again.', failure)
  }

  return (
    <Button variant="default" size="xs" className={styles.more} aria-disabled={isLoading || undefined} onClick={send}>
      Withdraw<span className="wl-hidden"> the request for {name}</span>
    </Button>
  )
}

function Request({ request }: { request: SupervisorRequest }) {
  const { status, supervisor_name: name, reason, comment, requested_at, reviewed_at } = request
  return (
    <li className={styles.line}>
      <div className={styles.requestTop}>
        <span className={listStyles.cut} title={name}>
          {name}
        </span>
        <span className={styles.badge} data-status={status}>
          {statusWords[status]}
        </span>
      </div>
      <div className={listStyles.facts}>
        <span>
          requested <RelativeTime time={requested_at} inline />
        </span>
        {reviewed_at ? (
          <span>
            {status === 'withdrawn' ? 'withdrawn' : 'answered'} <RelativeTime time={reviewed_at} inline />
          </span>
        ) : null}
      </div>
      {reason ? <p className={styles.words}>Your reason: {reason}</p> : null}
      {comment ? <p className={styles.words}>Administrator: {comment}</p> : null}
      {status === 'pending' ? (
        <>
          <p className={listStyles.dim}>Waiting for an administrator.</p>
          <WithdrawButton request={request} />
        </>
      ) : null}
      {status === 'withdrawn' ? (
        <p className={listStyles.dim}>
          {reviewed_at
            ? 'You withdrew this request.'
            : 'The request no longer applies: the supervisor was put under you, or the role or account of one of you changed.'}
        </p>
      ) : null}
    </li>
  )
}
