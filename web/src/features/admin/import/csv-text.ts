/** UTF-8's mark, by which spreadsheets know it. */
const byteOrderMark = '\uFEFF'

/**
 * A CSV file (RFC 4180). Text that a spreadsheet would take for a formula is made inert with a leading apostrophe; numbers are
 * written as they are.
 */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return byteOrderMark + rows.map(cells => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n\t']/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
