import { CloseButton } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { Link } from 'react-router'
import { z } from 'zod'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { handOverFocus } from '../../../ui/controls/hand-over-focus.ts'
import { formatCount } from '../../../ui/dates/format.ts'
import { createTimeFormat } from '../../../ui/dates/time-format.ts'
import { LoadFailed } from '../../../ui/feedback/states.tsx'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'
import { adminAddress } from '../admin-address.ts'
import styles from './failed-sign-ins.module.css'
import { useGetFailedSignInsQuery } from './security-api.ts'

/** Whether it is known if there were failed sign-ins. */
export function useFailedSignInsLoaded(isShown: boolean): boolean {
  const { data, error } = useGetFailedSignInsQuery(undefined, { skip: !isShown })
  return data !== undefined || error !== undefined
}

const exactTime = createTimeFormat({ dateStyle: 'medium', timeStyle: 'short' })

/**
 * The failed sign-ins with the administrator's address since their previous sign-in. Dismissed, it
 * comes back only for a later one.
 */
export function FailedSignIns() {
  const { data, error, isFetching, refetch } = useGetFailedSignInsQuery(undefined, usePolling(limits.adminPollMs))
  const [dismissedAt, setDismissedAt] = useRememberedChoice('failed-sign-ins-seen', z.string(), '')
  if (!data)
    return error ? (
      <div className={styles.failed}>
        <LoadFailed
          message="Couldn’t load the failed sign-ins with your email address."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        />
      </div>
    ) : null
  const { latest_at: latestAt } = data
  if (!latestAt || latestAt <= dismissedAt) return null
  const latest = exactTime(Date.parse(latestAt))
  const networks = data.networks.join(', ')
  return (
    <section ref={handOverFocus} className={styles.notice} aria-labelledby="failed-sign-ins">
      <div className={styles.head}>
        <h2 id="failed-sign-ins" className={styles.title}>
          {formatCount(data.count, 'failed sign-in')} with your email address
        </h2>
        <CloseButton
          className={styles.close}
          aria-label="Dismiss failed sign-ins"
          onClick={() => setDismissedAt(latestAt)}
        />
      </div>
      <p className={styles.text}>
        {data.since ? `Since your sign-in on ${exactTime(Date.parse(data.since))}. ` : ''}
        {data.count === 1
          ? `It was on ${latest}, from ${networks}. `
          : `The latest was on ${latest}. They came from ${networks}. `}
        If it was not you, choose a new password under <Link to={adminAddress.settings}>Settings</Link>.
      </p>
    </section>
  )
}
