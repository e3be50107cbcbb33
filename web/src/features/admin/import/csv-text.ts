/** Spreadsheets recognise UTF-8 by this mark. */
const byteOrderMark = '\uFEFF'

/**
 * A CSV file (RFC 4180). A leading apostrophe keeps spreadsheets from running text as a formula.
 * Numbers stay as they are.
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
