import type { Spread } from './meter.ts'

type Cell = string | number

/** A Markdown table. The first `textColumns` columns are text, the others are figures. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { textColumns = 1 }: { textColumns?: number } = {},
): string {
  const line = (cells: readonly Cell[]) => `| ${cells.join(' | ')} |`
  const alignment = head.map((_, index) => (index < textColumns ? '---' : '---:'))
  return [line(head), line(alignment), ...rows.map(line)].join('\n')
}

/** `median (min–max)`, or the median alone if all values are equal. */
export function formatSpread({ median, min, max }: Spread, digits: number): string {
  const range = min === max ? '' : ` (${min.toFixed(digits)}–${max.toFixed(digits)})`
  return `${median.toFixed(digits)}${range}`
}
