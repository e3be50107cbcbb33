import { Button, Group } from '@mantine/core'
import { formatCount } from './format.ts'

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
  nouns?: readonly [one: string, many: string]
  onPage: (page: number) => void
}

/** The position in a paged list, with links to the neighbour pages. */
export function Pager({ page, pageSize, count, total, countedAtMost, hasNext, nouns, onPage }: PagerProps) {
  const single = page === 0 && !hasNext
  if (single && (!nouns || count === 0)) return null
  const first = page * pageSize + 1
  const last = first + count - 1
  const range = count === 0 ? '0' : `${first.toLocaleString()}–${last.toLocaleString()}`
  const uncounted = total !== undefined && total === countedAtMost
  // The last page tells the total.
  const known = uncounted ? Math.max(total, last) : total
  const orMore = uncounted && hasNext
  const whole = known === undefined ? range : `${range} of ${known.toLocaleString()}${orMore ? '+' : ''}`
  const pages =
    known === undefined || orMore ? '' : ` of ${Math.max(page + 1, Math.ceil(known / pageSize)).toLocaleString()}`
  const position = nouns
    ? `${whole} ${nouns[total === 1 ? 0 : 1]} · page ${(page + 1).toLocaleString()}${pages}`
    : whole
  return (
    <Group justify="space-between" mt="md">
      <span className="wl-figures" role="status">
        {single && nouns ? formatCount(count, ...nouns) : position}
      </span>
      {single ? null : (
        <Group gap="xs" role="group" aria-label="Pages">
          <Button variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
            Previous
          </Button>
          <Button variant="default" disabled={!hasNext} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
