import { importColumns } from '@watchline/contracts/people-imports'
import { hasDecodingErrors, type ImportColumn, printable } from './rows.ts'

export interface Header {
  columns: ImportColumn[]
  problems: string[]
}

const requiredColumns: readonly ImportColumn[] = ['email', 'role']

export function readHeader(cells: readonly string[]): Header {
  if (cells.some(hasDecodingErrors))
    return { columns: [], problems: ['The file is not UTF-8 text. Save it as UTF-8 and choose it again.'] }
  const problems: string[] = []
  const columns = cells.map(columnOf)
  for (const [index, column] of columns.entries()) {
    const title = printable(cells[index]!.trim())
    if (!column) problems.push(describeUnknown(title))
    else if (columns.indexOf(column) < index) problems.push(`The column ${column} is there twice.`)
  }
  for (const column of requiredColumns) if (!columns.includes(column)) problems.push(`The column ${column} is missing.`)
  return { columns: columns.filter(column => column !== undefined), problems }
}

function describeUnknown(title: string): string {
  if (!title) return `A column has no name. Columns are ${importColumns.join(', ')}.`
  const similar = importColumns.find(column => column.startsWith(title.toLowerCase()))
  const hint = similar ? `Did you mean ${similar}?` : `Columns are ${importColumns.join(', ')}.`
  return `There is no column “${title}”. ${hint}`
}

/** Accepts the usual spellings of a column: E-Mail, Supervisor email, manager_email. */
function columnOf(title: string): ImportColumn | undefined {
  const letters = title.toLowerCase().replace(/[\s_.-]+/g, '')
  return importColumns.find(column =>
    [column, `${column}address`].some(spelling => spelling.replace(/_/g, '') === letters),
  )
}
