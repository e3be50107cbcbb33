import { Button, NativeSelect } from '@mantine/core'
import { leftOutOfReports, reportGrouping, reportStatus } from '@watchline/contracts/reports'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { asFailure } from '../../api/failure.ts'
import { DayRange } from '../../ui/dates/day-range.tsx'
import { formatExactTime, formatNumber } from '../../ui/dates/format.ts'
import { EmptyState, Loaded, LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { DownloadButton } from '../../ui/files/download-button.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { Pager } from '../../ui/lists/pager.tsx'
import { PlaylistFilter, usePlaylistTitle } from '../../ui/lists/playlist-filter.tsx'
import { usePages } from '../../ui/lists/use-pages.ts'
import { GroupFilter, useGroupName, useHasGroups } from '../../ui/people/group-filter.tsx'
import type { LeaderChoice } from '../../ui/people/leader-choice.ts'
import { GroupRecordButton } from '../../ui/tasks/group-record-button.tsx'
import { PrintDialog } from './print-dialog.tsx'
import { BarLegend } from './report-bar.tsx'
import { describePeriod, periodNames } from './report-period.ts'
import { type OpenPerson, ReportTable } from './report-table.tsx'
import { groupingNames, reportTitles, statusNames } from './report-words.ts'
import styles from './reports.module.css'
import {
  type ReportPage,
  reportCsvPath,
  reportPageSize,
  useGetReportQuery,
  useListSavedReportsQuery,
} from './reports-api.ts'
import { SavedReports } from './saved-reports.tsx'
import { useOpenedReport } from './use-opened-report.ts'
import { isWhole, usePrint } from './use-print.ts'
import { type ReportScope, useReportFilters } from './use-report-filters.ts'

interface NamedScope {
  manager: LeaderChoice | undefined
  supervisor: LeaderChoice | undefined
}

interface ReportsProps {
  /** Only this part of the organisation; by default the person's whole scope. */
  scope?: ReportScope
  /** The name of that part, for the printed report. */
  scopeName?: string | undefined
  /** The scope is one team, so teams are not compared. */
  hasOneTeam?: boolean
  /** Shows another part of the organisation, as a saved report names it. */
  onScope?: ((scope: NamedScope) => void) | undefined
  onOpen: OpenPerson
}

const wholeScope = {}

/** A report of tasks by playlist, team, group or person, to read, to download, and to print. */
export function Reports({ scope = wholeScope, scopeName, hasOneTeam = false, onScope, onOpen }: ReportsProps) {
  const filters = useReportFilters(scope, hasOneTeam)
  const { fields, query, isReversed, isWaiting } = filters
  const opened = useOpenedReport(saved => {
    filters.fill(saved)
    onScope?.(nameScope(saved))
  })
  const change = (field: keyof typeof fields) => (value: string) => {
    opened.close()
    filters.change(field)(value)
  }
  const pages = usePages(JSON.stringify(query))
  // Figures of another query must not stand under the new one.
  const {
    currentData: report,
    error,
    isFetching,
    refetch,
  } = useGetReportQuery(
    { query: { ...query, limit: reportPageSize, cursor: pages.cursor } },
    { skip: isReversed || isWaiting || opened.isLoading },
  )
  const { printed, isPreparing, print, end } = usePrint(query, report)
  const { isLoading: waits } = useListSavedReportsQuery()
  const playlistTitle = usePlaylistTitle(query.playlist_ids)
  const groupName = useGroupName(query.group_id)
  const hasGroups = useHasGroups() === true
  const groupings = reportGrouping.options.filter(
    by => (by !== 'team' || !hasOneTeam) && (by !== 'group' || hasGroups || query.by === 'group'),
  )
  const narrowing = [scopeName, groupName, playlistTitle, query.status && statusNames[query.status]]
  return (
    <section aria-label="Reports" className={styles.panel}>
      <SavedReports
        shown={{
          ...{ choice: filters.choice, period: fields.period, timeZone: report?.time_zone },
          description: [reportTitles[filters.choice.by], describeNarrowing(narrowing)].join(' · '),
        }}
        openedId={opened.openedId}
        onOpen={opened.open}
      />
      {opened.failure?.code === 'not_found' ? (
        <p role="status" className={listStyles.notice}>
          This saved report was deleted, or it is not sent to you any more.
        </p>
      ) : opened.failure ? (
        <LoadFailed message="Couldn’t load the saved report." failure={opened.failure} onRetry={opened.retry} />
      ) : null}
      <div className={styles.controls} data-waits={waits || undefined}>
        <NativeSelect
          label="Rows"
          data={groupings.map(value => ({ value, label: groupingNames[value] }))}
          value={query.by ?? 'playlist'}
          onChange={event => change('by')(event.currentTarget.value)}
        />
        <NativeSelect
          label="Period"
          data={Object.entries(periodNames).map(([value, label]) => ({ value, label }))}
          value={fields.period}
          onChange={event => change('period')(event.currentTarget.value)}
        />
        {fields.period === 'dates' ? (
          <DayRange
            labels={['First day', 'Last day']}
            from={fields.from}
            until={fields.until}
            onChange={(field, day) => change(field)(day)}
            isReversed={isReversed}
            max="2999-12-31"
          />
        ) : null}
        <PlaylistFilter value={fields.playlistId} onChange={change('playlistId')} />
        <GroupFilter value={fields.groupId} onChange={change('groupId')} />
        <NativeSelect
          label="Tasks"
          data={[
            { value: '', label: 'All tasks' },
            ...reportStatus.options.map(value => ({ value, label: statusNames[value] })),
          ]}
          value={fields.status}
          onChange={event => change('status')(event.currentTarget.value)}
        />
        <div className={styles.actions}>
          <DownloadButton
            path={reportCsvPath(query)}
            fileName={`report-by-${query.by}`}
            failText="The report could not be downloaded. Please try again."
          >
            Download CSV
          </DownloadButton>
          {query.group_id && groupName ? (
            <GroupRecordButton
              key={query.group_id}
              group={{ id: query.group_id, name: groupName }}
              selection={{ from: query.from, until: query.until, playlist_id: query.playlist_ids }}
            />
          ) : null}
          <Button
            variant="default"
            data-disabled={!report || undefined}
            aria-busy={isPreparing}
            onClick={() => void print()}
          >
            {isPreparing ? 'Preparing…' : 'Print'}
          </Button>
        </div>
      </div>
      <div aria-busy={isFetching} data-waits={waits || undefined}>
        <Loaded
          message="Couldn’t load the report."
          failure={error && asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          placeholder={<SkeletonRows rows={6} />}
        >
          {report && (
            <ReportSheet
              report={printed ?? report}
              filters={narrowing}
              firstRow={printed ? 1 : pages.page * reportPageSize + 1}
              isSortable={isWhole(report)}
              onPrinted={printed && end}
              onOpen={onOpen}
            />
          )}
        </Loaded>
        {report ? (
          <Pager
            page={pages.page}
            pageSize={reportPageSize}
            count={report.rows.length}
            total={report.rowCount}
            hasNext={report.nextCursor !== undefined}
            nouns={['row', 'rows']}
            onPage={page => pages.open(page, report.nextCursor)}
          />
        ) : null}
      </div>
    </section>
  )
}

interface ReportSheetProps {
  report: ReportPage
  filters: readonly (string | undefined)[]
  /** The number of the first row of the page, from 1 on. */
  firstRow: number
  /** The page shows all rows. */
  isSortable: boolean
  /** While the report is printed: called after that. */
  onPrinted: (() => void) | undefined
  onOpen: OpenPerson
}

/** The part that is printed: title, period, filters, time of making, figures and their meaning. */
function ReportSheet({ report, filters, firstRow, isSortable, onPrinted, onOpen }: ReportSheetProps) {
  const { by, period, made_at, rows, rowCount = rows.length } = report
  return (
    <article className={styles.sheet} data-printed-alone>
      <header>
        <h2 className={styles.title}>{reportTitles[by]}</h2>
        <p className={listStyles.dim}>
          {describePeriod(period)} · {describeNarrowing(filters)} · as of {formatExactTime(made_at)}
        </p>
        {rowCount > rows.length ? (
          <p className={listStyles.dim}>
            Rows {formatNumber(firstRow)} to {formatNumber(firstRow + rows.length - 1)} of {formatNumber(rowCount)}. The
            total is of all rows.{onPrinted ? ' The CSV file has all rows.' : ''}
          </p>
        ) : null}
      </header>
      {report.total.tasks > 0 ? (
        <>
          <BarLegend />
          <ReportTable report={report} isSortable={isSortable} isPrinted={onPrinted !== undefined} onOpen={onOpen} />
          <Explanation report={report} />
        </>
      ) : (
        <EmptyState title="No task in this report">Try another period, playlist or kind of tasks.</EmptyState>
      )}
      {onPrinted ? <PrintDialog report={report} onEnd={onPrinted} /> : null}
    </article>
  )
}

function Explanation({ report }: { report: ReportPage }) {
  return (
    <div className={styles.explanation}>
      <p>
        A task counts if it was open or was closed at any moment of the period, with its state of today. Days are those
        of the organisation ({report.time_zone}). Counted are the tasks that people have now, and the ended occurrences
        of repeating ones. {leftOutOfReports} Records have these tasks.
      </p>
      <p>
        Completed is the share of tasks that were watched to the end, exempt tasks left out. Credited is the watched
        time of these tasks in hours, minutes and seconds, each second once, as in the records.
        {report.period.from !== null || report.period.until !== null
          ? ' Credited in period is the part of it that was watched in the period. A task that was closed before the period is not in this report, even if somebody watched more of it in the period.'
          : ''}
        {report.by === 'playlist'
          ? ' A person with tasks of two playlists counts in both rows, and once in total.'
          : ''}
        {report.by === 'group'
          ? ' Groups have their members of today. A member of two groups counts in both rows with all tasks, and once in total, so the rows may add up to more.'
          : ''}
      </p>
    </div>
  )
}

function describeNarrowing(filters: readonly (string | undefined)[]): string {
  const chosen = filters.filter(text => text !== undefined)
  return chosen.length > 0 ? `only ${chosen.join(', ')}` : 'all tasks'
}

function nameScope({ manager_id, manager_name = '', supervisor_id, supervisor_name = '' }: SavedReport): NamedScope {
  return {
    manager: manager_id === undefined ? undefined : { id: manager_id, name: manager_name },
    supervisor: supervisor_id === undefined ? undefined : { id: supervisor_id, name: supervisor_name },
  }
}
