/** Spreadsheets recognise UTF-8 by this mark. */
export const byteOrderMark = '\uFEFF'

/**
 * A place where a spreadsheet may begin a cell, before text that it would read as a formula. In
 * many countries spreadsheets split at semicolons, and quotation marks inside such a part protect
 * nothing. Some skip blanks of all kinds and invisible characters, and read full-width signs as the
 * usual ones.
 */
const formulaBegin =
  /(?<=^|[;,|\t\r\n\v\f\u0085\u2028\u2029；，｜])(?=(?:["\p{Zs}\p{Cf}]|(?!\s)\p{Cc})*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫])/gu

/**
 * One line of CSV (RFC 4180). An apostrophe keeps spreadsheets from reading text as a formula,
 * whatever separator they use. Numbers are written as they are.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** A whole CSV file, with the mark in front. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return byteOrderMark + rows.map(csvLine).join('')
}

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const inert = value.replace(formulaBegin, "'")
  return /[",\r\n\t']/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
