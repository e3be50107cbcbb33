import { limits } from '@watchline/contracts/limits'
import { formatNumber } from '../../ui/dates/format.ts'
import { readTextFile } from '../../ui/files/read-text-file.ts'

/** An address in a file; `line` as an editor counts, from 1. */
export interface AddressLine {
  line: number
  email: string
}

export type AddressFile = { ok: true; addresses: AddressLine[] } | { ok: false; problem: string }

/** Reads a list of email addresses: one a line, or a column `email` of a CSV file. */
export async function readAddressFile(file: Blob): Promise<AddressFile> {
  const read = await readTextFile(file, {
    maxBytes: limits.groupFileMaxBytes,
    tooLarge: 'This file is too large. A list of addresses has at most 5 MB.',
  })
  if (!read.ok) return read
  const addresses = findAddresses(read.text)
  if (addresses.length === 0) return { ok: false, problem: 'This file has no addresses.' }
  if (addresses.length > limits.importMaxLines)
    return {
      ok: false,
      problem: `This file has more than ${formatNumber(limits.importMaxLines)} lines. Split it into several.`,
    }
  return { ok: true, addresses }
}

/** The addresses of a text. Lines without one are kept as they are, so that they are reported. */
export function findAddresses(text: string): AddressLine[] {
  const lines = text.split(/\r\n?|\n/).map((content, index) => ({ line: index + 1, cells: splitCells(content) }))
  const filled = lines.filter(({ cells }) => cells.some(cell => cell !== ''))
  const header = filled[0]?.cells.findIndex(cell => /^e-?mail([ _-]?address)?$/i.test(cell)) ?? -1
  const rows = header === -1 ? filled : filled.slice(1)
  return rows.map(({ line, cells }) => {
    const found = header === -1 ? cells.find(cell => cell.includes('@')) : cells[header]
    return { line, email: (found ?? cells.join(' ').trim()).slice(0, limits.groupAddressMaxLength) }
  })
}

/** The cells of a line, between commas, semicolons or tabs, without quotation marks. */
function splitCells(line: string): string[] {
  const cells = line.match(/"(?:[^"]|"")*"|[^,;\t]+|(?<=[,;\t]|^)(?=[,;\t]|$)/g) ?? []
  return cells.map(cell =>
    cell
      .trim()
      .replace(/^"([\s\S]*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  )
}
