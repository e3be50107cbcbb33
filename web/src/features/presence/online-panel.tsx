import { Button, Switch } from '@mantine/core'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatCard, StatCards } from '../../ui/stat-card.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './online-panel.module.css'
import { OnlineUsers } from './online-users.tsx'
import type { OnlinePage } from './presence-api.ts'
import { type ReadMore, useOnlineList } from './use-online-list.ts'

/** The online panel: figures, refresh controls, and the list. */
export function OnlinePanel() {
  const { shownPage, failure, isFetching, isAutomatic, switchAutomatic, refresh, readMore } = useOnlineList()
  return (
    <section aria-label="Who's Online">
      <Summary summary={shownPage?.page} hasFailed={failure !== undefined} />
      <div className={styles.bar}>
        <Switch
          label="Auto-refresh"
          checked={isAutomatic}
          onChange={event => switchAutomatic(event.currentTarget.checked)}
        />
        <span className={styles.updated}>
          {shownPage ? (
            <>
              Last update: <RelativeTime time={new Date(shownPage.loadedAt).toISOString()} inline />
            </>
          ) : null}
        </span>
        <Button variant="default" size="xs" onClick={refresh} loading={isFetching && !isAutomatic}>
          Refresh
        </Button>
      </div>
      {failure ? (
        <LoadFailed message="Couldn’t load the online list." failure={failure} onRetry={refresh} retrying={isFetching}>
          {shownPage ? <OnlineUsers online={shownPage.page} onMore={readMore} /> : null}
        </LoadFailed>
      ) : (
        <List page={shownPage?.page} onMore={readMore} />
      )}
    </section>
  )
}

function Summary({ summary, hasFailed }: { summary: OnlinePage | undefined; hasFailed: boolean }) {
  const dashIfFailed = hasFailed ? '–' : undefined
  const formatFigure = (count: number | undefined) => count?.toLocaleString() ?? dashIfFailed
  return (
    <StatCards>
      <StatCard label="Online Now" value={formatFigure(summary?.total_online)} />
      <StatCard label="Active" value={formatFigure(summary?.active_count)} />
      <StatCard label="Monitoring" value={formatFigure(summary?.monitoring_count)} />
      <StatCard label="Total Users" value={formatFigure(summary?.total_users)} />
    </StatCards>
  )
}

function List({ page, onMore }: { page: OnlinePage | undefined; onMore: ReadMore }) {
  if (!page) return <SkeletonRows />
  if (page.users.length === 0) return <EmptyState title="No users online">All users are currently offline</EmptyState>
  return <OnlineUsers online={page} onMore={onMore} />
}
