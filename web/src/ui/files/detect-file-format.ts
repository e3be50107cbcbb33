/**
 * The format of a file that is often chosen instead of CSV, by its first bytes; undefined for
 * others.
 */
export function detectFileFormat(bytes: Uint8Array): string | undefined {
  const startsWith = (...signature: number[]) => signature.every((byte, index) => bytes[index] === byte)
  if (startsWith(0x50, 0x4b, 0x03, 0x04) || startsWith(0xd0, 0xcf, 0x11, 0xe0)) return 'a workbook, not a CSV file'
  if (startsWith(0xff, 0xfe) || startsWith(0xfe, 0xff)) return 'a text in UTF-16'
  if (startsWith(0x25, 0x50, 0x44, 0x46)) return 'a PDF, not a CSV file'
  return undefined
}
