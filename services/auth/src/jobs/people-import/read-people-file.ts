import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { limits } from '@watchline/contracts/limits'
import { type ImportProblem, importColumns } from '@watchline/contracts/people-imports'
import { parse } from 'csv-parse'
import { hasDecodingErrors, type ImportColumn, type ImportRow, printable } from '../../rules/people-import/plan.ts'

/** What a file holds: its people, and what is wrong with it before one looks at them. */
export interface PeopleFile {
  rows: ImportRow[]
  problems: ImportProblem[]
}

/** So many characters are parsed before others have their turn. */
const sliceSize = 64 * 1_024
const required: readonly ImportColumn[] = ['email', 'role']

/** Reads a CSV file of people. Lines are counted as an editor shows them, the header being 1. */
export async function readPeopleFile(given: string, signal?: AbortSignal): Promise<PeopleFile> {
  const text = given.replace(/\r\n?/g, '\n')
  const problems: ImportProblem[] = []
  const tell = (line: number, message: string) => problems.push({ line, column: null, message })
  const rows: ImportRow[] = []
  let header: Header | undefined
  let lastLine = 0
  let isOver = false

  function take(cells: string[], endLine: number) {
    const line = endLine - cells.join('').split('\n').length + 1
    lastLine = endLine
    if (cells.every(cell => cell.trim() === '')) return
    if (!header) {
      header = readHeader(cells)
      for (const message of header.problems) tell(line, message)
      isOver = header.problems.length > 0
    } else if (rows.length === limits.importMaxLines) {
      tell(line, `The file has more than ${limits.importMaxLines} people. Bring in the rest with another file.`)
      isOver = true
    } else if (cells.length !== header.columns.length) {
      // A cell too many shows what has come apart, a cell too few nothing that could be read.
      const message = cells.some(hasDecodingErrors) ? 'This line is not UTF-8 text.' : undefined
      tell(line, message ?? `This line has ${cells.length} cells, the header ${header.columns.length}.`)
    } else {
      const row: ImportRow = { line, email: '', name: '', role: '', supervisor_email: '', manager_email: '' }
      for (const [at, column] of header.columns.entries()) row[column] = cells[at]!
      rows.push(row)
    }
  }

  const parser = parse({
    bom: true,
    delimiter: separatorOf(text),
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    // Told one by one, with what came before: an error of the parser's would take that with it.
    skip_records_with_error: true,
    on_record: (cells: string[], { lines }) => {
      if (!isOver) take(cells, lines)
      return null
    },
    on_skip: () => {
      if (isOver) return undefined
      const lines = text.split('\n')
      let line = lastLine + 1
      while (line < lines.length && lines[line - 1]!.trim() === '') line += 1
      tell(
        line,
        'A quotation mark is not closed, or stands in the middle of a cell: nothing from here on could be read.',
      )
      isOver = true
      return undefined
    },
  })
  parser.resume()
  await pipeline(Readable.from(slices(text)), parser, { signal })

  if (!header && problems.length === 0) tell(1, 'The file is empty.')
  else if (rows.length === 0 && problems.length === 0) tell(1, 'The file names nobody.')
  return { rows, problems }
}

async function* slices(text: string) {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + sliceSize)
    // Not between the two halves of a character.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!)) end -= 1
    yield text.slice(at, end)
    at = end
    await setImmediate()
  }
}

/** Comma or semicolon, whichever the header has more of: spreadsheets of many countries write the latter. */
function separatorOf(text: string): ',' | ';' {
  const header = /^\uFEFF?\s*([^\n]*)/.exec(text)?.[1] ?? ''
  const count = (sign: string) => header.split(sign).length
  return count(';') > count(',') ? ';' : ','
}

interface Header {
  columns: ImportColumn[]
  problems: string[]
}

function readHeader(cells: readonly string[]): Header {
  if (cells.some(hasDecodingErrors))
    return { columns: [], problems: ['The file is not UTF-8 text. Save it as UTF-8 and choose it again.'] }
  const problems: string[] = []
  const found = cells.map(columnOf)
  for (const [at, column] of found.entries()) {
    const written = printable(cells[at]!.trim())
    if (!column)
      problems.push(`${written || 'A cell without a name'} is no column. Columns are ${importColumns.join(', ')}.`)
    else if (found.indexOf(column) < at) problems.push(`The column ${column} is there twice.`)
  }
  for (const column of required) if (!found.includes(column)) problems.push(`The column ${column} is missing.`)
  return { columns: found.filter(column => column !== undefined), problems }
}

/** A column as people write it: E-Mail, Supervisor email, manager_email. */
function columnOf(written: string): ImportColumn | undefined {
  const letters = written.toLowerCase().replace(/[\s_.-]+/g, '')
  return importColumns.find(column => [column, `${column}address`].some(each => each.replace(/_/g, '') === letters))
}
