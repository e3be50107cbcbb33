import { limits } from '@watchline/contracts/limits'
import { type AssignableRole, assignableRole, email as emailRule } from '@watchline/contracts/people'
import type { ImportProblem } from '@watchline/contracts/people-imports'

export type ImportColumn = NonNullable<ImportProblem['column']>

/**
 * One person of the file, with the line they start on. A cell is '' if the file lacks its column.
 */
export interface ImportRow extends Record<ImportColumn, string> {
  line: number
}

export const columnTitles: Record<ImportColumn, string> = {
  email: 'The email',
  name: 'The name',
  role: 'The role',
  supervisor_email: 'The supervisor email',
  manager_email: 'The manager email',
}
const columns: readonly ImportColumn[] = ['email', 'name', 'role', 'supervisor_email', 'manager_email']
const maxPrintedLength = 60

/** All email addresses in a file, once each. */
export function emailsOf(rows: readonly ImportRow[]): string[] {
  const cells = rows.flatMap(row => [row.email, row.supervisor_email, row.manager_email])
  return [...new Set(cells.map(normalizeCell))].filter(Boolean)
}

/** The form of an email address or role that comparisons use. */
export function normalizeCell(cell: string): string {
  return cell.trim().toLowerCase()
}

export function isEmail(email: string): boolean {
  return emailRule.safeParse(email).success
}

export function roleOf(row: ImportRow): AssignableRole | undefined {
  return assignableRole.safeParse(normalizeCell(row.role)).data
}

/** Sorts in place by line, then by column; a problem of a whole line comes first. */
export function sortProblems(problems: ImportProblem[]): ImportProblem[] {
  const rank = ({ column }: ImportProblem) => (column === null ? -1 : columns.indexOf(column))
  return problems.sort((a, b) => a.line - b.line || rank(a) - rank(b))
}

/** A text from the file for a message: short and on one line. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > maxPrintedLength ? `${line.slice(0, maxPrintedLength - 1)}…` : line
}

/** True for bytes of another encoding that were decoded as UTF-8. */
export function hasDecodingErrors(cell: string): boolean {
  return cell.includes('\uFFFD') || cell.includes('\0')
}

/** The problems of a row by itself, at most one for each cell. */
export function findCellProblems(row: ImportRow): ImportProblem[] {
  return columns.flatMap(column => {
    const message = cellProblem(row, column)
    return message ? [{ line: row.line, column, message }] : []
  })
}

function cellProblem(row: ImportRow, column: ImportColumn): string | undefined {
  const cell = row[column]
  const value = cell.trim()
  const title = columnTitles[column]
  if (hasDecodingErrors(cell)) return `${title} is not UTF-8 text.`
  // A spreadsheet that opens an export of our people would execute a formula.
  if (/^[\t\r]/.test(cell) || /^[=+\-@＝＋－＠]/.test(value))
    return `${title} begins like a formula: ${printable(cell)}`
  if (/\p{Cc}/u.test(cell)) return `${title} has characters that cannot be shown.`
  if (!value) return column === 'email' || column === 'role' ? `${title} is missing.` : undefined
  if (column === 'name')
    return value.length > limits.nameMaxLength
      ? `${title} has more than ${limits.nameMaxLength} characters.`
      : undefined
  if (column === 'role') {
    if (normalizeCell(value) === 'admin') return 'The role admin cannot be given.'
    return roleOf(row) ? undefined : `${printable(value)} is not a role: user, supervisor, manager or director.`
  }
  if (value.length > limits.emailMaxLength) return `${title} has more than ${limits.emailMaxLength} characters.`
  return isEmail(value) ? undefined : `${printable(value)} is not an email address.`
}
