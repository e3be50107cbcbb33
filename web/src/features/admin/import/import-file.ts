import { limits } from '@watchline/contracts/limits'
import { formatNumber } from '../../../ui/dates/format.ts'
import { readTextFile } from '../../../ui/files/read-text-file.ts'

/** The largest size of a file, in UTF-16 units as JavaScript counts them. */
export const importMaxCharacters = limits.importMaxParts * limits.importPartCharacters

/** The most bytes that UTF-8 needs for one UTF-16 unit. */
const maxBytesPerUnit = 3

export const tooLarge = `This file is too large. A file may have at most ${formatNumber(limits.importMaxLines)} lines and ${formatNumber(importMaxCharacters / 1_000_000)} million characters: split it into several.`

export type ReadFileResult = { ok: true; parts: string[] } | { ok: false; problem: string }

/**
 * Reads a file and splits its text into parts for the upload, or says why it is not a list of
 * people. The dry run reports lines that are not UTF-8.
 */
export async function readImportFile(file: Blob): Promise<ReadFileResult> {
  const read = await readTextFile(file, { maxBytes: importMaxCharacters * maxBytesPerUnit, tooLarge })
  if (!read.ok) return read
  const { text } = read
  if (text.trim() === '') return { ok: false, problem: 'This file is empty.' }
  const parts = splitText(text, limits.importPartCharacters)
  if (parts.length > limits.importMaxParts) return { ok: false, problem: tooLarge }
  return { ok: true, parts }
}

/** Splits a text into parts of at most `size` UTF-16 units, never inside a surrogate pair. */
export function splitText(text: string, size: number): string[] {
  const parts: string[] = []
  let start = 0
  while (start < text.length) {
    let end = Math.min(start + size, text.length)
    if (end < text.length && isLowSurrogate(text.charCodeAt(end)) && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** The file name in the form that the server accepts: no control characters, limited length. */
export function importFileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '').trim()
  return [...printable].slice(-limits.titleMaxLength / 2).join('') || 'people.csv'
}
