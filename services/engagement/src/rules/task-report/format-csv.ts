import { csvLine } from '@watchline/contracts/csv'
import { type ReportFigures, type ReportGrouping, type ReportRow, reportFigures } from '@watchline/contracts/reports'

const figureColumns = Object.keys(reportFigures.shape) as (keyof ReportFigures)[]

export const csvHeader = csvLine(['row', 'id', 'name', 'email', ...figureColumns])

/** `kind` is the grouping, or `total`. */
export function formatCsvRow(
  kind: ReportGrouping | 'total',
  { id, name, email, ...figures }: ReportFigures & Partial<ReportRow>,
): string {
  return csvLine([kind, id ?? null, name ?? null, email ?? null, ...figureColumns.map(column => figures[column])])
}
