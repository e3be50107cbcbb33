import { NativeSelect, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { lazy, Suspense, useId, useState } from 'react'
import { formatPercent, formatWatchTime } from '../../ui/format.ts'
import { Pager } from '../../ui/pager.tsx'
import { PersonLine } from '../../ui/person-line.tsx'
import { LoadFailed, SkeletonCard } from '../../ui/states.tsx'
import styles from './management.module.css'
import { TeamCompletion } from './supervisor-row.tsx'
import { Videos } from './team-list.tsx'
import { inOrder, type Team, type TeamOrder, teamOrders } from './teams.ts'
import type { Teams } from './use-teams.ts'

const ComparisonChart = lazy(() =>
  import('./comparison-chart.tsx').then(module => ({ default: module.ComparisonChart })),
)

const pageSize = 10

/** The supervisors' teams beside each other: one chart and one table with the same figures, a page at a time. */
export function SupervisorComparison({ teams: { supervisors, whole, teams } }: { teams: Teams }) {
  const titleId = useId()
  const [order, setOrder] = useState<TeamOrder>('completion')
  const [page, setPage] = useState(0)
  const failed = supervisors.failure ? supervisors : whole
  const known = whole.data ? teams : undefined
  const shownPage = Math.min(page, Math.max(0, Math.ceil((known?.length ?? 0) / pageSize) - 1))
  const shown = known && inOrder(known, order).slice(shownPage * pageSize, (shownPage + 1) * pageSize)

  const content = known && shown && (
    <>
      {known.length === 0 ? (
        <p className={styles.dim}>
          As soon as you have supervisors, their teams are compared here. Ask for one with Request Supervisor.
        </p>
      ) : (
        <div className={styles.comparison}>
          <Suspense fallback={<SkeletonCard height={240} />}>
            <Chart teams={shown} />
          </Suspense>
          <Figures teams={shown} />
        </div>
      )}
      <Pager
        page={shownPage}
        pageSize={pageSize}
        count={shown.length}
        total={known.length}
        hasNext={(shownPage + 1) * pageSize < known.length}
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
        {known && known.length > 1 ? (
          <NativeSelect
            label="Order of supervisors"
            data={Object.entries(teamOrders).map(([value, label]) => ({ value, label }))}
            value={order}
            onChange={event => {
              setOrder(event.currentTarget.value as TeamOrder)
              setPage(0)
            }}
          />
        ) : null}
      </div>
      {failed.failure ? (
        <LoadFailed
          message="The supervisors’ figures could not be loaded. Please try again."
          failure={failed.failure}
          onRetry={failed.retry}
          retrying={failed.loading}
        >
          {content}
        </LoadFailed>
      ) : (
        (content ?? <SkeletonCard height={240} />)
      )}
    </section>
  )
}

function Chart({ teams }: { teams: readonly Team[] }) {
  const bars = teams.flatMap(({ supervisor: { id, name }, figures }) =>
    figures?.averageCompletion === undefined ? [] : [{ id, name, rate: figures.averageCompletion }],
  )
  if (bars.length === 0) return <p className={styles.dim}>None of these supervisors has anybody in their team yet.</p>
  const label = `Bar chart of average completion. ${bars.map(({ name, rate }) => `${name} ${formatPercent(rate)}`).join(', ')}.`
  return <ComparisonChart bars={bars} label={label} />
}

const sizeOf = ({ supervisor, figures }: Team) => supervisor.user_count ?? figures?.members.length ?? 0

function Figures({ teams }: { teams: readonly Team[] }) {
  const narrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  if (narrow)
    return (
      <ul className={styles.lines} aria-label="Supervisors compared">
        {teams.map(team => (
          <li key={team.supervisor.id} className={styles.line}>
            <Supervisor team={team} />
            <TeamCompletion team={team} />
            <div className={styles.facts}>
              <span>
                {sizeOf(team)}/{limits.supervisorCapacity} users
              </span>
              <span>{formatWatchTime(team.figures?.watchTime ?? 0)} watched</span>
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
          <Table.Th>Supervisor</Table.Th>
          <Table.Th w={72} ta="end">
            Team
          </Table.Th>
          <Table.Th w={176}>Avg. completion</Table.Th>
          <Table.Th w={112} ta="end">
            Watch time
          </Table.Th>
          <Table.Th w={88} ta="end">
            Videos
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className={styles.figures}>
        {teams.map(team => (
          <Table.Tr key={team.supervisor.id}>
            <Table.Td>
              <Supervisor team={team} />
            </Table.Td>
            <Table.Td ta="end">
              {sizeOf(team)}/{limits.supervisorCapacity}
            </Table.Td>
            <Table.Td>
              <TeamCompletion team={team} />
            </Table.Td>
            <Table.Td ta="end">{formatWatchTime(team.figures?.watchTime ?? 0)}</Table.Td>
            <Table.Td ta="end">
              <TeamVideos team={team} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Supervisor({ team: { supervisor } }: { team: Team }) {
  return <PersonLine name={supervisor.name} detail={supervisor.email} picture={supervisor.picture} />
}

function TeamVideos({ team: { figures } }: { team: Team }) {
  return <Videos completed={figures?.completedVideos ?? 0} total={figures?.totalVideos ?? 0} />
}
