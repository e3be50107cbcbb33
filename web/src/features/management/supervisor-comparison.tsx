import { NativeSelect, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useId, useState } from 'react'
import { formatPercent, formatWatchTime } from '../../ui/dates/format.ts'
import { Loaded, SkeletonCard } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { SortHeader } from '../../ui/lists/sort-header.tsx'
import { CompletedVideos } from '../../ui/people/member-figures.tsx'
import { PersonLine } from '../../ui/people/person-line.tsx'
import { ComparisonChart } from './comparison-chart.tsx'
import styles from './management.module.css'
import { TeamCompletion } from './supervisor-row.tsx'
import { sortTeams, type Team, type TeamOrder, teamOrder, teamOrders } from './teams.ts'
import type { QueryState } from './use-teams.ts'

const pageSize = 10

interface SupervisorComparisonProps {
  query: QueryState<Team[]>
  /** Shown instead of the comparison if there is no supervisor. */
  emptyText: string
}

/** Compares the supervisors' teams, page by page, in a chart and a table with the same figures. */
export function SupervisorComparison({ query, emptyText }: SupervisorComparisonProps) {
  const titleId = useId()
  const [order, setOrder] = useRememberedChoice<TeamOrder>('comparison-order', teamOrder, 'completion')
  const [page, setPage] = useState(0)
  const loadedTeams = query.data
  const currentPage = Math.min(page, Math.max(0, Math.ceil((loadedTeams?.length ?? 0) / pageSize) - 1))
  const pageTeams =
    loadedTeams && sortTeams(loadedTeams, order).slice(currentPage * pageSize, (currentPage + 1) * pageSize)

  function sortBy(newOrder: TeamOrder) {
    setOrder(newOrder)
    setPage(0)
  }

  const content = loadedTeams && pageTeams && (
    <>
      {loadedTeams.length === 0 ? (
        <p className={listStyles.dim}>{emptyText}</p>
      ) : (
        <div className={styles.comparison}>
          <Chart teams={pageTeams} />
          <ComparisonTable teams={pageTeams} order={order} onOrder={sortBy} />
        </div>
      )}
      <Pager
        page={currentPage}
        pageSize={pageSize}
        count={pageTeams.length}
        total={loadedTeams.length}
        hasNext={(currentPage + 1) * pageSize < loadedTeams.length}
        canJump
        onPage={setPage}
      />
    </>
  )
  return (
    <section aria-labelledby={titleId} className={styles.card}>
      <div className={styles.cardTop}>
        <h2 id={titleId} className={styles.title}>
          Supervisors compared
        </h2>
        {loadedTeams && loadedTeams.length > 1 ? (
          <NativeSelect
            label="Sort supervisors by"
            data={Object.entries(teamOrders).map(([value, label]) => ({ value, label }))}
            value={order}
            onChange={event => sortBy(event.currentTarget.value as TeamOrder)}
          />
        ) : null}
      </div>
      <Loaded
        message="Couldn’t load the supervisors’ figures."
        failure={query.failure}
        onRetry={query.retry}
        retrying={query.loading}
        placeholder={<SkeletonCard height={240} />}
      >
        {content}
      </Loaded>
    </section>
  )
}

function Chart({ teams }: { teams: readonly Team[] }) {
  const bars = teams.flatMap(({ supervisor: { id, name }, totals }) =>
    totals?.averageCompletion === undefined ? [] : [{ id, name, rate: totals.averageCompletion }],
  )
  if (bars.length === 0) return <p className={listStyles.dim}>None of these teams has members yet.</p>
  const label = `Bar chart of average completion. ${bars.map(({ name, rate }) => `${name} ${formatPercent(rate)}`).join(', ')}.`
  return <ComparisonChart bars={bars} label={label} />
}

const teamSize = ({ supervisor, totals }: Team) => supervisor.user_count ?? totals?.members.length ?? 0

interface ComparisonTableProps {
  teams: readonly Team[]
  order: TeamOrder
  onOrder: (order: TeamOrder) => void
}

function ComparisonTable({ teams, ...sorting }: ComparisonTableProps) {
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  if (isNarrow)
    return (
      <ul className={styles.lines} aria-label="Supervisors compared">
        {teams.map(team => (
          <li key={team.supervisor.id} className={styles.line}>
            <SupervisorLine team={team} />
            <TeamCompletion team={team} />
            <div className={listStyles.facts}>
              <span>
                {teamSize(team)}/{limits.supervisorCapacity} users
              </span>
              <span>watch time {formatWatchTime(team.totals?.watchTime ?? 0)}</span>
              <span>
                <TeamVideos team={team} /> videos
              </span>
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <Table layout="fixed" aria-label="Supervisors compared">
      <Table.Thead>
        <Table.Tr>
          <SortHeader {...sorting} orders={['name', 'nameReversed']} startsAscending>
            Supervisor
          </SortHeader>
          <Table.Th w={72} ta="end">
            Team
          </Table.Th>
          <SortHeader {...sorting} orders={['completion', 'completionHighest']} startsAscending w={176}>
            Avg. completion
          </SortHeader>
          <SortHeader {...sorting} orders={['watchTime', 'watchTimeLeast']} w={136} ta="end">
            Watch time
          </SortHeader>
          <Table.Th w={88} ta="end">
            Videos
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className={listStyles.figures}>
        {teams.map(team => (
          <Table.Tr key={team.supervisor.id}>
            <Table.Td>
              <SupervisorLine team={team} />
            </Table.Td>
            <Table.Td ta="end">
              {teamSize(team)}/{limits.supervisorCapacity}
            </Table.Td>
            <Table.Td>
              <TeamCompletion team={team} />
            </Table.Td>
            <Table.Td ta="end">{formatWatchTime(team.totals?.watchTime ?? 0)}</Table.Td>
            <Table.Td ta="end">
              <TeamVideos team={team} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function SupervisorLine({ team: { supervisor } }: { team: Team }) {
  return (
    <PersonLine
      id={supervisor.id}
      name={supervisor.name}
      detail={supervisor.email}
      verified={supervisor.email_verified}
      picture={supervisor.picture}
    />
  )
}

function TeamVideos({ team: { totals } }: { team: Team }) {
  return <CompletedVideos completed={totals?.completedVideos ?? 0} total={totals?.totalVideos ?? 0} />
}
