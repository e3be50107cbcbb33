import { Button, Group } from '@mantine/core'

interface PagerProps {
  /** From 0. */
  page: number
  pageSize: number
  /** On this page. */
  count: number
  /** In all, where it is known. */
  total?: number
  hasNext: boolean
  onPage: (page: number) => void
}

/** Where one is in a long list, and the way to its neighbours. */
export function Pager({ page, pageSize, count, total, hasNext, onPage }: PagerProps) {
  if (page === 0 && !hasNext) return null
  const first = page * pageSize + 1
  const range = count === 0 ? '0' : `${first.toLocaleString()}–${(first + count - 1).toLocaleString()}`
  return (
    <Group justify="space-between" mt="md">
      <span className="wl-figures" role="status">
        {total === undefined ? range : `${range} of ${total.toLocaleString()}`}
      </span>
      <Group gap="xs" role="group" aria-label="Pages">
        <Button variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button variant="default" disabled={!hasNext} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  )
}
