import { Button, Switch } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import type { OnlineStatus } from '@watchline/contracts/presence'
import { Link } from 'react-router'
import { formatNumber } from '../../ui/dates/format.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { deferred } from '../../ui/feedback/deferred.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { awaitCounted, countedPeople, describeCounted } from '../../ui/people/online-status.ts'
import { dashIfFailed, StatCard, StatCards } from '../../ui/progress/stat-card.tsx'
import { type OnlineFilterState, OnlineFilters, useOnlineFilter } from './online-filters.tsx'
import styles from './online-panel.module.css'
import { OnlineUsers, type OpenMember } from './online-users.tsx'
import type { OnlinePage } from './presence-api.ts'
import { type ReadMore, useOnlineList } from './use-online-list.ts'

/** Where a person of each role finds everybody, online or not. */
const peopleTabs: Record<Role, string> = {
  user: '?tab=team',
  supervisor: '?tab=team',
  manager: '?tab=supervisors',
  director: '?tab=team',
  admin: '?tab=users',
}

interface OnlinePanelProps {
  viewerRole: Role
  /** Opens a trainee's watched videos; absent for viewers who have no such panel. */
  onOpenMember?: OpenMember | undefined
}

/** The online panel for a person of this role: figures, refresh controls, and the list. */
export function OnlinePanel({ viewerRole, onOpenMember }: OnlinePanelProps) {
  const filterState = useOnlineFilter()
  const { shownPage, failure, isFetching, isAutomatic, switchAutomatic, refresh, readMore } = useOnlineList(
    filterState.query,
  )
  return (
    <section aria-label="Who's Online">
      <Summary
        summary={shownPage?.page}
        viewerRole={viewerRole}
        hasFailed={failure !== undefined}
        filterState={filterState}
      />
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
      <OnlineFilters state={filterState} viewerRole={viewerRole} />
      {failure ? (
        <LoadFailed message="Couldn’t load the online list." failure={failure} onRetry={refresh} retrying={isFetching}>
          {shownPage ? <OnlineUsers online={shownPage.page} onMore={readMore} onOpenMember={onOpenMember} /> : null}
        </LoadFailed>
      ) : (
        <List viewerRole={viewerRole} page={shownPage?.page} onMore={readMore} onOpenMember={onOpenMember} />
      )}
    </section>
  )
}

interface SummaryProps {
  summary: OnlinePage | undefined
  viewerRole: Role
  hasFailed: boolean
  filterState: OnlineFilterState
}

/** The figures. A press filters the list by the status that the figure counts. */
function Summary({ summary, viewerRole, hasFailed, filterState }: SummaryProps) {
  const { query, setStatus } = filterState
  const filterBy = (status?: OnlineStatus) => ({
    pressed: query.status === status,
    onClick: () => setStatus(status),
  })
  const formatFigure = (count: number | undefined) => formatNumber(count) ?? dashIfFailed(hasFailed)
  return (
    <StatCards>
      <StatCard
        label="Online Now"
        value={formatFigure(summary?.total_online)}
        note={summary && describeCounted(viewerRole, summary)}
        awaitedNote={awaitCounted(viewerRole)}
        {...filterBy()}
      />
      <StatCard
        label="Active"
        value={formatFigure(summary?.active_count)}
        note={summary && `not in a session: ${describeCounted(viewerRole, summary, 'active')}`}
        awaitedNote={`not in a session: ${awaitCounted(viewerRole)}`}
        {...filterBy('active')}
      />
      <StatCard
        label="Monitoring"
        value={formatFigure(summary?.monitoring_count)}
        note={summary && `in a session: ${describeCounted(viewerRole, summary, 'monitoring')}`}
        awaitedNote={`in a session: ${awaitCounted(viewerRole)}`}
        {...filterBy('monitoring')}
      />
      <StatCard label="Total Users" value={formatFigure(summary?.total_users)} note={countedPeople[viewerRole]} />
    </StatCards>
  )
}

interface ListProps {
  viewerRole: Role
  page: OnlinePage | undefined
  onMore: ReadMore
  onOpenMember: OpenMember | undefined
}

const List = deferred(function List({ viewerRole, page, onMore, onOpenMember }: ListProps) {
  if (!page) return <SkeletonRows />
  if (page.users.length === 0 && page.total_online > 0)
    return <EmptyState title="Nobody found">Nobody online matches. Try another name, role, team or status.</EmptyState>
  if (page.users.length === 0)
    return (
      <EmptyState
        title="No users online"
        action={
          <Button component={Link} to={peopleTabs[viewerRole]} variant="default">
            See all people
          </Button>
        }
      >
        All users are currently offline
      </EmptyState>
    )
  return <OnlineUsers online={page} onMore={onMore} onOpenMember={onOpenMember} />
})
