import { byteOrderMark, csvLine } from '@watchline/contracts/csv'
import {
  type Report,
  type ReportFigures,
  type ReportGrouping,
  type ReportRow,
  reportFigures,
} from '@watchline/contracts/reports'

const figureColumns = Object.keys(reportFigures.shape) as (keyof ReportFigures)[]

const csvHeader = csvLine(['row', 'id', 'name', 'email', ...figureColumns])

const rowsAtOnce = 500

/** The file of a report in pieces: header, rows and total. */
export function* formatCsv({ by, rows, total }: Pick<Report, 'by' | 'rows' | 'total'>): Generator<string> {
  yield byteOrderMark + csvHeader
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    yield rows
      .slice(at, at + rowsAtOnce)
      .map(row => formatCsvRow(by, row))
      .join('')
  yield formatCsvRow('total', total)
}

/** `date` is the day on which the report was made. */
export function nameCsvFile(by: ReportGrouping, date: string): string {
  return `report-by-${by}-${date}.csv`
}

/** `kind` is the grouping, or `total`. */
function formatCsvRow(
  kind: ReportGrouping | 'total',
  { id, name, email, ...figures }: ReportFigures & Partial<ReportRow>,
): string {
  return csvLine([
    kind,
    id ?? null,
    name ?? null,
    email ?? null,
    ...figureColumns.map(column => figures[column] ?? null),
  ])
}
