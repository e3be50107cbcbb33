import { limits } from '@watchline/contracts/limits'
import { formatNumber } from '../../../ui/format.ts'

/** The largest size of a file, in UTF-16 units as JavaScript counts them. */
export const importMaxCharacters = limits.importMaxParts * limits.importPartCharacters

/** The most bytes that UTF-8 needs for one UTF-16 unit. */
const maxBytesPerUnit = 3

export const tooLarge = `This file is too large. A file may have at most ${formatNumber(limits.importMaxLines)} lines and ${formatNumber(importMaxCharacters / 1_000_000)} million characters: split it into several.`

export type ReadFileResult = { ok: true; parts: string[] } | { ok: false; problem: string }

/**
 * Reads a file and splits its text into parts for the upload, or says why it is not a list of
 * people. Bytes that are not UTF-8 become U+FFFD; the dry run reports their lines.
 */
export async function readImportFile(file: Blob): Promise<ReadFileResult> {
  if (file.size > importMaxCharacters * maxBytesPerUnit) return { ok: false, problem: tooLarge }
  let bytes: Uint8Array
  try {
    bytes = new Uint8Array(await file.arrayBuffer())
  } catch {
    return { ok: false, problem: 'This file could not be read. Choose it again.' }
  }
  const format = foreignFormat(bytes)
  if (format) return { ok: false, problem: `This is ${format}. Save it as “CSV UTF-8” and choose that file.` }
  const text = new TextDecoder('utf-8').decode(bytes)
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

/** Recognises formats that are often chosen by mistake, by their first bytes. */
function foreignFormat(bytes: Uint8Array): string | undefined {
  const startsWith = (...signature: number[]) => signature.every((byte, index) => bytes[index] === byte)
  if (startsWith(0x50, 0x4b, 0x03, 0x04) || startsWith(0xd0, 0xcf, 0x11, 0xe0)) return 'a workbook, not a CSV file'
  if (startsWith(0xff, 0xfe) || startsWith(0xfe, 0xff)) return 'a text in UTF-16'
  if (startsWith(0x25, 0x50, 0x44, 0x46)) return 'a PDF, not a CSV file'
  return undefined
}

/** The file name in the form that the server accepts: no control characters, limited length. */
export function importFileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
  const printable = name.replace(/[\u0000-\u001f\u007f]/g, '').trim()
  return [...printable].slice(-limits.titleMaxLength / 2).join('') || 'people.csv'
}
