import { SegmentedControl, Table } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useId, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { formatNumber, formatPercent } from '../../ui/dates/format.ts'
import { Loaded, SkeletonCard } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './analytics.module.css'
import { type TeamScope, useGetTeamHistoryQuery } from './analytics-api.ts'
import { CompletionChart } from './completion-chart.tsx'
import { type Day, formatDay } from './days.ts'

const periods = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]

/**
 * The team's completion by day, as a chart and a table with the same figures. It loads lazily,
 * because the chart library is large.
 */
export function TeamHistory({ scope }: { scope: TeamScope }) {
  const titleId = useId()
  const [period, setPeriod] = useState('30')
  const { data, error, isFetching, refetch } = useGetTeamHistoryQuery(
    { query: { days: Number(period), ...scope } },
    usePolling(limits.teamPollMs),
  )
  const content = data && <History days={data} />
  return (
    <section aria-labelledby={titleId} className={styles.history} aria-busy={isFetching}>
      <div className={styles.historyTop}>
        <h2 id={titleId} className={styles.historyTitle}>
          Team completion over time
        </h2>
        <SegmentedControl aria-label="Span of the chart" size="xs" data={periods} value={period} onChange={setPeriod} />
      </div>
      <Loaded
        message="Couldn’t load the history."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonCard className={styles.chartPlaceholder} />}
      >
        {content}
      </Loaded>
    </section>
  )
}

/** Earlier versions of the server have only the figures, which are rounded. */
function isCredited({ credited, completion_rate, completed_videos }: Day): boolean {
  return credited ?? (completion_rate > 0 || completed_videos > 0)
}

function History({ days }: { days: readonly Day[] }) {
  const firstDay = days[0]
  const lastDay = days.at(-1)
  if (!firstDay || !lastDay || !days.some(isCredited))
    return (
      <p className={`${listStyles.dim} ${styles.chartPlaceholder} ${styles.emptyChart}`}>
        Nobody watched anything in this period.
      </p>
    )
  const summary = `From ${formatPercent(firstDay.completion_rate)} on ${formatDay(firstDay.date)} to ${formatPercent(
    lastDay.completion_rate,
  )} on ${formatDay(lastDay.date)}`
  return (
    <>
      <p className={`${listStyles.dim} ${styles.historySummary}`}>{summary}</p>
      <CompletionChart days={days} label={`Line chart of team completion. ${summary}.`} />
      <details className={styles.asTable}>
        <summary>Show as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
        <section className={styles.scroll} aria-label="Team completion by day" tabIndex={0}>
          <Table aria-label="Team completion by day" className={listStyles.figures}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day</Table.Th>
                <Table.Th ta="end">Completion</Table.Th>
                <Table.Th ta="end">Completed videos</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.toReversed().map(day => (
                <Table.Tr key={day.date}>
                  <Table.Td>{formatDay(day.date)}</Table.Td>
                  <Table.Td ta="end">{formatPercent(day.completion_rate)}</Table.Td>
                  <Table.Td ta="end">{formatNumber(day.completed_videos)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      </details>
    </>
  )
}
