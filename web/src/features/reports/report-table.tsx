import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { formatCredited, type ReportFigures, type ReportGrouping, type ReportRow } from '@watchline/contracts/reports'
import { useState } from 'react'
import { formatCount, formatNumber, formatPercent } from '../../ui/dates/format.ts'
import { compareNames } from '../../ui/lists/compare-names.ts'
import listStyles from '../../ui/lists/list.module.css'
import { ascendingFirst, descendingFirst, type ServerOrder } from '../../ui/lists/server-order.ts'
import { ColumnHeader } from '../../ui/lists/sort-header.tsx'
import { ReportBar } from './report-bar.tsx'
import { groupingNames } from './report-words.ts'
import styles from './reports.module.css'
import type { ReportPage } from './reports-api.ts'

/** Opens a person's detail. */
export type OpenPerson = (person: { user_id: string; name: string; email: string }) => void

interface ReportTableProps {
  report: ReportPage
  /** The page has all rows. */
  isSortable: boolean
  /** Paper has the width of a table, whatever the screen has. */
  isPrinted: boolean
  onOpen: OpenPerson
}

type Count = Exclude<keyof ReportFigures, 'credited_seconds' | 'completed_rate' | 'credited_in_period'>

const counts: { column: Count; label: string }[] = [
  { column: 'people', label: 'People' },
  { column: 'tasks', label: 'Tasks' },
  { column: 'completed_in_time', label: 'Done in time' },
  { column: 'completed_late', label: 'Done late' },
  { column: 'completed_without_due', label: 'Done, no due date' },
  { column: 'open', label: 'Open' },
  { column: 'overdue', label: 'Overdue' },
  { column: 'missed', label: 'Missed' },
  { column: 'marked_done', label: 'Marked as done' },
  { column: 'exempt', label: 'Exempt' },
]

/** In a row of one person the number of people says nothing. */
const columnsOf = (by: ReportGrouping) => counts.filter(({ column }) => by !== 'person' || column !== 'people')

/** The rows of a report and their total: a table, or cards on a narrow screen. */
export function ReportTable(props: ReportTableProps) {
  const isNarrow = useMediaQuery('screen and (max-width: 60em)', false, { getInitialValueInEffect: false })
  return isNarrow && !props.isPrinted ? <ReportCards {...props} /> : <WideTable {...props} />
}

type RowOrder = ServerOrder<'name' | keyof ReportFigures>

/** Rows without a value come last; names decide between equals. */
function sortRows(rows: readonly ReportRow[], order: RowOrder | undefined): readonly ReportRow[] {
  if (!order) return rows
  const [column, direction] = order.split(' ') as ['name' | keyof ReportFigures, string]
  const sign = direction === 'asc' ? 1 : -1
  const byName = (a: ReportRow, b: ReportRow) => compareNames(a.name ?? '', b.name ?? '')
  if (column === 'name') return rows.toSorted((a, b) => sign * byName(a, b))
  return rows.toSorted((a, b) => {
    const [left = null, right = null] = [a[column], b[column]]
    if (left === null || right === null) return Number(left === null) - Number(right === null) || byName(a, b)
    return sign * (left - right) || byName(a, b)
  })
}

function WideTable({ report, isSortable, onOpen }: ReportTableProps) {
  const { by, rows, total } = report
  const withPeriod = hasBounds(report)
  /** Undefined: the order of the server. */
  const [order, setOrder] = useState<RowOrder>()
  // An order that no column has leaves all headers without an arrow.
  const sorting =
    isSortable && by !== 'organisation' ? { order: order ?? ('' as RowOrder), onOrder: setOrder } : undefined
  const shownRows = isSortable ? sortRows(rows, order) : rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className={`${listStyles.table} ${styles.scroll}`} aria-label="Figures" tabIndex={0}>
      <Table
        layout="fixed"
        aria-label="Report"
        className={`${listStyles.figures} ${styles.table}`}
        data-with-period={withPeriod || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            <ColumnHeader sorting={sorting} {...ascendingFirst('name')} scope="col" w={withPeriod ? 160 : 220}>
              {groupingNames[by]}
            </ColumnHeader>
            {columnsOf(by).map(({ column, label }) => (
              <ColumnHeader sorting={sorting} {...descendingFirst(column)} scope="col" key={column} ta="end">
                {label}
              </ColumnHeader>
            ))}
            <ColumnHeader sorting={sorting} {...descendingFirst('completed_rate')} scope="col" ta="end" w={96}>
              Completed
            </ColumnHeader>
            <ColumnHeader sorting={sorting} {...descendingFirst('credited_seconds')} scope="col" ta="end" w={120}>
              Credited
            </ColumnHeader>
            {withPeriod ? (
              <ColumnHeader sorting={sorting} {...descendingFirst('credited_in_period')} scope="col" ta="end" w={120}>
                Credited in period
              </ColumnHeader>
            ) : null}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {by === 'organisation'
            ? null
            : shownRows.map(row => (
                <Table.Tr key={row.id}>
                  <Table.Td>
                    <RowName by={by} row={row} onOpen={onOpen} />
                    <ReportBar figures={row} />
                  </Table.Td>
                  <FigureCells by={by} figures={row} withPeriod={withPeriod} />
                </Table.Tr>
              ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr className={styles.total}>
            <Table.Th scope="row">
              <TotalName by={by} />
              <ReportBar figures={total} />
            </Table.Th>
            <FigureCells by={by} figures={total} withPeriod={withPeriod} />
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </section>
  )
}

interface FigureCellsProps {
  by: ReportGrouping
  figures: ReportFigures
  withPeriod: boolean
}

function FigureCells({ by, figures, withPeriod }: FigureCellsProps) {
  return (
    <>
      {columnsOf(by).map(({ column }) => (
        <Table.Td key={column} ta="end" data-zero={figures[column] === 0 || undefined}>
          {formatNumber(figures[column])}
        </Table.Td>
      ))}
      <Table.Td ta="end">{formatRate(figures)}</Table.Td>
      <Table.Td ta="end">{formatCredited(figures.credited_seconds)}</Table.Td>
      {withPeriod ? <Table.Td ta="end">{formatCreditedInPeriod(figures)}</Table.Td> : null}
    </>
  )
}

function ReportCards({ report, onOpen }: ReportTableProps) {
  const { by, rows, total } = report
  const withPeriod = hasBounds(report)
  return (
    <ul className={listStyles.cards} aria-label="Report">
      <li className={`${listStyles.card} ${styles.total}`}>
        <TotalName by={by} />
        <CardFigures figures={total} withPeople withPeriod={withPeriod} />
      </li>
      {by === 'organisation'
        ? null
        : rows.map(row => (
            <li key={row.id} className={listStyles.card}>
              <RowName by={by} row={row} onOpen={onOpen} />
              <CardFigures figures={row} withPeople={by !== 'person'} withPeriod={withPeriod} />
            </li>
          ))}
    </ul>
  )
}

interface CardFiguresProps {
  figures: ReportFigures
  withPeople: boolean
  withPeriod: boolean
}

function CardFigures({ figures, withPeople, withPeriod }: CardFiguresProps) {
  const shown = counts.filter(({ column }) => column !== 'people' && column !== 'tasks' && figures[column] > 0)
  return (
    <>
      <ReportBar figures={figures} />
      <p className={listStyles.facts}>
        {withPeople ? <span>{formatCount(figures.people, 'person', 'people')}</span> : null}
        <span>{formatCount(figures.tasks, 'task')}</span>
        <span>{formatRate(figures)} completed</span>
        {shown.map(({ column, label }) => (
          <span key={column}>
            {label} {formatNumber(figures[column])}
          </span>
        ))}
        <span>Credited {formatCredited(figures.credited_seconds)}</span>
        {withPeriod ? <span>Credited in period {formatCreditedInPeriod(figures)}</span> : null}
      </p>
    </>
  )
}

function RowName({ by, row, onOpen }: { by: ReportGrouping; row: ReportRow; onOpen: OpenPerson }) {
  const { id, name, email } = row
  if (by === 'person' && id !== null && name !== null)
    return (
      <button
        type="button"
        className={styles.person}
        aria-haspopup="dialog"
        onClick={() => onOpen({ user_id: id, name, email: email ?? '' })}
      >
        {name}
      </button>
    )
  return <span className={styles.name}>{name ?? (by === 'group' ? 'In none of these groups' : 'No supervisor')}</span>
}

function TotalName({ by }: { by: ReportGrouping }) {
  if (by !== 'group') return 'Total'
  return (
    <>
      Total <span className={styles.totalNote}>Everybody counts once</span>
    </>
  )
}

/** Without a bound, the credit of the period is all credit. */
function hasBounds({ period: { from, until } }: ReportPage): boolean {
  return from !== null || until !== null
}

/** A dash in the answer of a version before. */
function formatCreditedInPeriod({ credited_in_period: credited }: ReportFigures): string {
  return credited === undefined ? '–' : formatCredited(credited)
}

/** A dash if no task counts. */
function formatRate({ completed_rate: rate }: ReportFigures): string {
  return rate === null ? '–' : formatPercent(rate)
}
