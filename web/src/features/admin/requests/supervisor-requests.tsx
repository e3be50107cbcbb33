import { Button, Group, NativeSelect } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { useRef } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { Loaded, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { Pager } from '../../../ui/lists/pager.tsx'
import { type ServerOrder, useServerOrder } from '../../../ui/lists/server-order.ts'
import { usePages, useShownPage } from '../../../ui/lists/use-pages.ts'
import { useListSupervisorRequestsQuery, useReviewSupervisorRequestMutation } from '../admin-api.ts'
import styles from '../people/managers-tab.module.css'

const pageSize = 25
const orderChoices: { value: ServerOrder<'time'>; label: string }[] = [
  { value: 'time asc', label: 'Oldest first' },
  { value: 'time desc', label: 'Newest first' },
]

/** The unanswered requests of managers, by time. */
export function SupervisorRequests() {
  const heading = useRef<HTMLHeadingElement>(null)
  const { sorting, query } = useServerOrder('requests-order', ['time'], 'time asc')
  const pages = usePages(query.order)
  const { data, currentData, error, isFetching, refetch } = useListSupervisorRequestsQuery(
    { query: { limit: pageSize, order: query.order, cursor: pages.cursor } },
    usePolling(limits.adminPollMs),
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const list = data && (
    <>
      {data.items.length === 0 ? (
        <p className={styles.none}>
          No pending requests. When a manager requests a supervisor, the request waits here for your answer.
        </p>
      ) : (
        <>
          {data.items.length > 1 || shownPage > 0 ? (
            <NativeSelect
              label="Sort by"
              data={orderChoices}
              value={sorting.order}
              onChange={event => sorting.onOrder(event.currentTarget.value as ServerOrder<'time'>)}
              maw={180}
              mb="sm"
            />
          ) : null}
          <ul className={styles.requests} aria-labelledby="supervisor-requests">
            {data.items.map(request => (
              <Request key={request.id} request={request} onAnswered={() => heading.current?.focus()} />
            ))}
          </ul>
        </>
      )}
      <Pager
        page={shownPage}
        pageSize={pageSize}
        count={data.items.length}
        total={data.total}
        countedAtMost={limits.maxCountedTotal}
        hasNext={data.nextCursor !== undefined}
        nouns={['request', 'requests']}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
    </>
  )
  return (
    <section aria-labelledby="supervisor-requests">
      <h2 id="supervisor-requests" ref={heading} tabIndex={-1}>
        Pending supervisor requests
      </h2>
      <Loaded
        message="Couldn’t load the supervisor requests."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={2} height={88} />}
      >
        {list}
      </Loaded>
    </section>
  )
}

const outcomes = {
  approve: { comment: 'Approved by admin', successText: 'Supervisor request approved successfully!' },
  reject: { comment: 'Rejected by admin', successText: 'Supervisor request rejected successfully!' },
} as const
type Action = keyof typeof outcomes

/** `onAnswered`: the request and its buttons are about to leave the list. */
function Request({ request, onAnswered }: { request: SupervisorRequest; onAnswered: () => void }) {
  const alerts = useAlerts()
  const [review, { isLoading, isSuccess, originalArgs }] = useReviewSupervisorRequestMutation()
  const { manager_name: manager, supervisor_name: supervisor } = request

  async function submitReview(action: Action) {
    const { comment, successText } = outcomes[action]
    const result = await review({ params: { id: request.id }, body: { action, comment } })
    if (result.error) return alerts.fail(`Failed to ${action} supervisor request`, asFailure(result.error))
    alerts.succeed(successText)
    onAnswered()
  }

  const button = (action: Action) => ({
    size: 'xs',
    'data-disabled': isLoading || isSuccess,
    loading: isLoading && originalArgs?.body.action === action,
    onClick: () => submitReview(action),
  })
  return (
    <li className={styles.request}>
      <div className={styles.requestText}>
        <p>
          <strong>{manager}</strong> requests <strong>{supervisor}</strong>
        </p>
        {request.reason ? (
          <p className={styles.reason}>{request.reason}</p>
        ) : (
          <p className={styles.dim}>No reason given</p>
        )}
        <p className={styles.dim}>
          <RelativeTime time={request.requested_at} />
        </p>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button
          {...button('approve')}
          variant="light"
          aria-label={`Approve the request of ${manager} for ${supervisor}`}
        >
          Approve
        </Button>
        <Button
          {...button('reject')}
          variant="default"
          aria-label={`Reject the request of ${manager} for ${supervisor}`}
        >
          Reject
        </Button>
      </Group>
    </li>
  )
}
