import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ListedProgress, listedProgress, type MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { asFailure } from '../../api/failure.ts'
import { type TeamPage, useGetTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { formatNumber } from '../../ui/dates/format.ts'
import { loadable } from '../../ui/feedback/loadable.tsx'
import { Loaded, SkeletonCard, SkeletonRows } from '../../ui/feedback/states.tsx'
import { DownloadButton } from '../../ui/files/download-button.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { NoTeam } from '../../ui/people/no-team.tsx'
import { describeAverage, formatAverage } from '../../ui/progress/completion-band.ts'
import { listedProgressNames } from '../../ui/progress/listed-progress.ts'
import { StatCard, StatCards } from '../../ui/progress/stat-card.tsx'
import styles from './analytics.module.css'
import { type TeamScope, teamPageSize } from './analytics-api.ts'
import { exportPath } from './export-path.ts'
import { LatestWatching } from './latest-watching.tsx'
import { MemberList } from './member-list.tsx'
import { type MemberOrder, memberOrder, memberOrders, serverOrders, sortMembers } from './member-order.ts'

const TeamHistory = loadable(
  () => import('./team-history.tsx').then(module => module.TeamHistory),
  <SkeletonCard className={styles.historyPlaceholder} />,
)

const wholeScope: TeamScope = {}

interface TeamAnalyticsProps {
  viewerRole?: Role
  /** false if the screen already shows the team's size and average. */
  withFigures?: boolean
  /** Only this part of the organisation. Its figures, history and export follow it. */
  scope?: TeamScope
  /** The scope is everybody: the server orders their records by person and not by time. */
  isEverybody?: boolean
  /** Opens a member's detail. */
  onOpen: (member: MemberAnalytics) => void
}

/** A team's completion: the figures, their history, and every member. */
export function TeamAnalytics({
  viewerRole = 'supervisor',
  withFigures = true,
  scope = wholeScope,
  isEverybody = false,
  onOpen,
}: TeamAnalyticsProps) {
  const polling = usePolling(limits.teamPollMs)
  const [searchText, setSearchText] = useState('')
  const [search] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const [order, setOrder] = useRememberedChoice<MemberOrder>('engagement-order', memberOrder, 'need')
  const [progress, setProgress] = useShownProgress()
  const pages = usePages(JSON.stringify([search, progress, scope, order]))
  // One answer has the page and the figures, which are of the whole scope in every search.
  const { data, currentData, error, isFetching, refetch } = useGetTeamQuery(
    {
      query: {
        limit: teamPageSize,
        ...scope,
        search: search || undefined,
        progress,
        ...serverOrders[order],
        cursor: pages.cursor,
      },
    },
    polling,
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)

  const isNarrowed = progress !== undefined || Object.values(scope).some(id => id !== undefined)
  // The chart and the latest watching are of everybody, so they would push the list out of sight.
  const withHistory = progress === undefined && data?.team_count !== 0
  // A list on one page is in its new order at once, before the server's answer.
  const isWhole = shownPage === 0 && data?.nextCursor === undefined
  const list = data && (
    <>
      {data.members.length > 0 ? (
        <MemberList
          members={isWhole ? sortMembers(data.members, order) : data.members}
          order={order}
          onOrder={setOrder}
          onOpen={onOpen}
        />
      ) : (
        <NoTeam viewerRole={viewerRole} narrowedBy={search ? 'name' : isNarrowed ? 'choice' : undefined} />
      )}
      <Pager
        page={shownPage}
        pageSize={teamPageSize}
        count={data.members.length}
        total={data.total ?? (search || progress ? undefined : data.team_count)}
        countedAtMost={search ? limits.maxCountedTotal : undefined}
        hasNext={data.nextCursor !== undefined}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
    </>
  )
  return (
    <section aria-label="Engagement" className={styles.panel}>
      {withFigures ? <Summary team={data} hasFailed={error !== undefined} /> : null}
      {withHistory ? <TeamHistory scope={scope} /> : null}
      {withHistory && !isEverybody ? <LatestWatching viewerRole={viewerRole} scope={scope} /> : null}
      <div className={styles.bar}>
        <SearchField placeholder="Part of a name" value={searchText} onChange={setSearchText} />
        <NativeSelect
          label="Show"
          data={[
            { value: '', label: 'Everybody' },
            ...Object.entries(listedProgressNames).map(([value, label]) => ({ value, label })),
          ]}
          value={progress ?? ''}
          onChange={event => setProgress(event.currentTarget.value)}
        />
        <NativeSelect
          label="Sort by"
          data={Object.entries(memberOrders).map(([value, label]) => ({ value, label }))}
          value={order}
          onChange={event => setOrder(event.currentTarget.value as MemberOrder)}
        />
        <DownloadButton
          path={exportPath(scope)}
          fileName="watchline-team"
          failText="The export could not be downloaded. Please try again."
        >
          Export CSV
        </DownloadButton>
      </div>
      <div aria-busy={isFetching}>
        <Loaded
          message="Couldn’t load the team’s engagement."
          failure={error && asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          placeholder={<SkeletonRows rows={6} />}
        >
          {list}
        </Loaded>
      </div>
    </section>
  )
}

/**
 * The progress of the listed people; the address holds it, so that other screens can link to it.
 */
function useShownProgress(): [ListedProgress | undefined, (value: string) => void] {
  const [params, setParams] = useSearchParams()
  const setProgress = (value: string) =>
    setParams(
      current => {
        const next = new URLSearchParams(current)
        if (value === '') next.delete('progress')
        else next.set('progress', value)
        return next
      },
      { replace: true },
    )
  return [listedProgress.safeParse(params.get('progress')).data, setProgress]
}

/** An unknown figure is a dash; an outdated figure is marked. */
function Summary({ team, hasFailed }: { team: TeamPage | undefined; hasFailed: boolean }) {
  const placeholder = hasFailed ? '–' : undefined
  const staleNote = hasFailed && team ? 'last known' : undefined
  return (
    <StatCards>
      <StatCard
        label="Team Members"
        value={formatNumber(team?.team_count) ?? placeholder}
        note={staleNote ?? 'trainees, without leaders'}
      />
      <StatCard
        label="Average Completion"
        value={team ? formatAverage(team) : placeholder}
        note={staleNote ?? (team && team.team_count > 0 ? describeAverage(team.average_completion) : undefined)}
        awaitedNote={describeAverage(0)}
      />
    </StatCards>
  )
}
