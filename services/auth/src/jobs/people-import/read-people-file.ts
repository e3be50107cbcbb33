import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { limits } from '@watchline/contracts/limits'
import type { ImportProblem } from '@watchline/contracts/people-imports'
import { parse } from 'csv-parse'
import { type Header, readHeader } from '../../rules/people-import/header.ts'
import { hasDecodingErrors, type ImportRow } from '../../rules/people-import/rows.ts'

/** The rows of a file and its structural problems. */
export interface PeopleFile {
  rows: ImportRow[]
  problems: ImportProblem[]
}

/** Characters parsed before the event loop continues with other work. */
const sliceSize = 64 * 1_024

/** Parses a CSV file of people. Line numbers are those of an editor; the header is line 1. */
export async function readPeopleFile(fileText: string, signal?: AbortSignal): Promise<PeopleFile> {
  const text = fileText.replace(/\r\n?/g, '\n')
  const problems: ImportProblem[] = []
  const addProblem = (line: number, message: string) => problems.push({ line, column: null, message })
  const rows: ImportRow[] = []
  let header: Header | undefined
  let lastLine = 0
  let isDone = false

  function readRecord(cells: string[], endLine: number) {
    const line = endLine - cells.join('').split('\n').length + 1
    lastLine = endLine
    if (cells.every(cell => cell.trim() === '')) return
    if (!header) {
      header = readHeader(cells)
      for (const message of header.problems) addProblem(line, message)
      isDone = header.problems.length > 0
    } else if (rows.length === limits.importMaxLines) {
      addProblem(line, `The file has more than ${limits.importMaxLines} people. Import the rest with another file.`)
      isDone = true
    } else if (cells.length !== header.columns.length) {
      // Undecodable text may contain stray separators, so it is the better explanation.
      const message = cells.some(hasDecodingErrors) ? 'This line is not UTF-8 text.' : undefined
      addProblem(line, message ?? `This line has ${cells.length} cells, the header ${header.columns.length}.`)
    } else {
      const row: ImportRow = { line, email: '', name: '', role: '', supervisor_email: '', manager_email: '' }
      for (const [index, column] of header.columns.entries()) row[column] = cells[index]!
      rows.push(row)
    }
  }

  const parser = parse({
    bom: true,
    delimiter: detectSeparator(text),
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    // An error of the parser would lose the records before it, so skipped records are reported one
    // by one.
    skip_records_with_error: true,
    on_record: (cells: string[], { lines }) => {
      if (!isDone) readRecord(cells, lines)
      return null
    },
    on_skip: () => {
      if (isDone) return undefined
      const lines = text.split('\n')
      let line = lastLine + 1
      while (line < lines.length && lines[line - 1]!.trim() === '') line += 1
      addProblem(
        line,
        'A quotation mark is not closed, or stands in the middle of a cell: nothing from here on could be read.',
      )
      isDone = true
      return undefined
    },
  })
  parser.resume()
  await pipeline(Readable.from(slices(text)), parser, { signal })

  if (!header && problems.length === 0) addProblem(1, 'The file is empty.')
  else if (rows.length === 0 && problems.length === 0) addProblem(1, 'The file names nobody.')
  return { rows, problems }
}

async function* slices(text: string) {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + sliceSize)
    // A slice must not end between the two halves of a surrogate pair.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!)) end -= 1
    yield text.slice(at, end)
    at = end
    await setImmediate()
  }
}

/**
 * The more frequent of comma and semicolon in the header: spreadsheets of many countries write
 * semicolons.
 */
function detectSeparator(text: string): ',' | ';' {
  const header = /^\uFEFF?\s*([^\n]*)/.exec(text)?.[1] ?? ''
  const count = (separator: string) => header.split(separator).length
  return count(';') > count(',') ? ';' : ','
}
