import { Button, Group, NativeSelect } from '@mantine/core'
import { formatCount, formatNumber } from '../dates/format.ts'

interface PagerProps {
  /** Zero-based. */
  page: number
  pageSize: number
  /** On this page. */
  count: number
  /** The total, if it is known. */
  total?: number
  /** The largest number the server counts: a total equal to it means that many or more. */
  countedAtMost?: number
  hasNext: boolean
  /** The noun, singular and plural; a list that fits on one page then shows its length, too. */
  nouns?: readonly [singular: string, plural: string]
  /** All items are loaded, so that any page can be opened. Cursors lead to neighbours only. */
  canJump?: boolean
  onPage: (page: number) => void
}

/** The position in a paged list, with links to the neighbour pages. */
export function Pager({ page, pageSize, count, total, countedAtMost, hasNext, nouns, canJump, onPage }: PagerProps) {
  const isSinglePage = page === 0 && !hasNext
  if (isSinglePage && (!nouns || count === 0)) return null
  const firstItem = page * pageSize + 1
  const lastItem = firstItem + count - 1
  const range = count === 0 ? '0' : `${formatNumber(firstItem)}–${formatNumber(lastItem)}`
  const isCountCapped = total !== undefined && total === countedAtMost
  // The last page shows the total.
  const knownTotal = isCountCapped ? Math.max(total, lastItem) : total
  const hasUncounted = isCountCapped && hasNext
  const rangeText =
    knownTotal === undefined ? range : `${range} of ${formatNumber(knownTotal)}${hasUncounted ? '+' : ''}`
  const pageCountText =
    knownTotal === undefined || hasUncounted
      ? ''
      : ` of ${formatNumber(Math.max(page + 1, Math.ceil(knownTotal / pageSize)))}`
  const hasTwoPages = knownTotal !== undefined && !hasUncounted && knownTotal <= 2 * pageSize
  const positionText = nouns
    ? `${rangeText} ${nouns[total === 1 ? 0 : 1]} · page ${formatNumber(page + 1)}${pageCountText}`
    : rangeText
  return (
    <Group justify="space-between" mt="md">
      <span className="wl-figures" role="status">
        {isSinglePage && nouns ? formatCount(count, ...nouns) : positionText}
      </span>
      {isSinglePage ? null : (
        <Group gap="xs" role="group" aria-label="Pages">
          {canJump && total !== undefined && total > 2 * pageSize ? (
            <NativeSelect
              aria-label="Page"
              data={Array.from({ length: Math.ceil(total / pageSize) }, (_, index) => ({
                value: String(index),
                label: `Page ${formatNumber(index + 1)}`,
              }))}
              value={page}
              onChange={event => onPage(Number(event.currentTarget.value))}
            />
          ) : hasTwoPages && page < 2 ? null : (
            // It stays on the first page, so that paging moves no button and keeps the focus.
            <Button variant="default" data-disabled={page === 0} onClick={() => onPage(0)}>
              First
            </Button>
          )}
          <Button variant="default" data-disabled={page === 0} onClick={() => onPage(page - 1)}>
            Previous
          </Button>
          <Button variant="default" data-disabled={!hasNext} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
