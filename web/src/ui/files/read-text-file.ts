import { detectFileFormat } from './detect-file-format.ts'

export type TextFile = { ok: true; text: string } | { ok: false; problem: string }

/**
 * Reads a text file that a person chose, or says why it is none. Bytes that are not UTF-8 become
 * U+FFFD. `tooLarge` is said of a file with more than `maxBytes`.
 */
export async function readTextFile(
  file: Blob,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: string },
): Promise<TextFile> {
  if (file.size > maxBytes) return { ok: false, problem: tooLarge }
  let bytes: Uint8Array
  try {
    bytes = new Uint8Array(await file.arrayBuffer())
  } catch {
    return { ok: false, problem: 'This file could not be read. Choose it again.' }
  }
  const format = detectFileFormat(bytes)
  if (format) return { ok: false, problem: `This is ${format}. Save it as “CSV UTF-8” and choose that file.` }
  return { ok: true, text: new TextDecoder('utf-8').decode(bytes) }
}
