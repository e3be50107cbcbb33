import { Button, Switch } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/playback'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatCard, StatCards } from '../../ui/stat-card.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './online-panel.module.css'
import { OnlineUsers } from './online-users.tsx'
import { everyoneOnline, useListOnlineQuery } from './presence-api.ts'

interface Seen {
  summary: OnlineSummary
  /** ms */
  at: number
}

/** Who is online, refreshed every 15 s as long as the switch is on; off, the list stands until it is refreshed by hand. */
export function OnlinePanel() {
  const [auto, setAuto] = useState(true)
  const [held, setHeld] = useState<Seen>()
  const query = useListOnlineQuery(everyoneOnline, {
    ...usePolling(limits.onlinePanelPollMs, auto),
    refetchOnMountOrArgChange: true,
  })
  const latest = query.data && { summary: query.data, at: query.fulfilledTimeStamp ?? 0 }
  const seen = auto ? latest : (held ?? latest)

  function switchAuto(on: boolean) {
    setAuto(on)
    setHeld(on ? undefined : latest)
    if (on) void query.refetch()
  }

  async function refresh() {
    const { data, fulfilledTimeStamp } = await query.refetch()
    if (data) setHeld(before => before && { summary: data, at: fulfilledTimeStamp ?? Date.now() })
  }

  return (
    <section aria-label="Who's Online">
      <Summary summary={seen?.summary} failed={query.error !== undefined} />
      <div className={styles.bar}>
        <Switch
          label={`Refresh every ${limits.onlinePanelPollMs / 1000} s`}
          checked={auto}
          onChange={event => switchAuto(event.currentTarget.checked)}
        />
        <span className={styles.updated}>
          {seen ? (
            <>
              Last update: <RelativeTime time={new Date(seen.at).toISOString()} />
            </>
          ) : null}
        </span>
        <Button variant="default" size="xs" onClick={refresh} loading={query.isFetching && !auto}>
          Refresh
        </Button>
      </div>
      {query.error ? (
        <LoadFailed
          message="Who is online could not be loaded."
          failure={asFailure(query.error)}
          onRetry={refresh}
          retrying={query.isFetching}
        >
          {seen ? <OnlineUsers summary={seen.summary} /> : null}
        </LoadFailed>
      ) : (
        <List summary={seen?.summary} />
      )}
    </section>
  )
}

function Summary({ summary, failed }: { summary: OnlineSummary | undefined; failed: boolean }) {
  const unknown = failed ? '–' : undefined
  return (
    <StatCards>
      <StatCard label="Online Now" value={summary?.total_online ?? unknown} />
      <StatCard label="Active" value={summary?.active_count ?? unknown} />
      <StatCard label="Monitoring" value={summary?.monitoring_count ?? unknown} />
      <StatCard label="Total Users" value={summary?.total_users ?? unknown} />
    </StatCards>
  )
}

function List({ summary }: { summary: OnlineSummary | undefined }) {
  if (!summary) return <SkeletonRows />
  if (summary.users.length === 0)
    return <EmptyState title="No users online">All users are currently offline</EmptyState>
  return <OnlineUsers summary={summary} />
}
