import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { asFailure } from '../../api/failure.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import type { usePlaylistWatch } from './use-playlist-watch.ts'
import styles from './watch-credit.module.css'

interface CreditLoadStateProps extends Omit<ReturnType<typeof usePlaylistWatch>, 'playlistWatch' | 'confirmedAt'> {
  rows: number
  /** Rendered when figures are known. */
  children: ReactNode | undefined
}

/** The states around the figures: loading, failed, and old without a network. */
export function CreditLoadState({ error, isFetching, refetch, offline, at, rows, children }: CreditLoadStateProps) {
  if (offline && children)
    return (
      <>
        <p role="status" className={styles.quiet}>
          Credited as of {at ? <RelativeTime time={new Date(at).toISOString()} inline /> : 'the last connection'}. What
          you watch offline is added when you reconnect.
        </p>
        <div className={styles.old}>{children}</div>
      </>
    )
  if (offline && error)
    return (
      <p role="status" className={styles.quiet}>
        You are offline. Your credited time is shown when you reconnect.{' '}
        <Button variant="default" size="xs" loading={isFetching} onClick={() => refetch()}>
          Try Again
        </Button>
      </p>
    )
  if (error)
    return (
      <LoadFailed
        message="Couldn’t load your credited time."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      >
        {children}
      </LoadFailed>
    )
  return children ?? <SkeletonRows rows={rows} height={32} />
}
