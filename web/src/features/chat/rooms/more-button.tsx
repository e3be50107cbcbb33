import { Button } from '@mantine/core'

interface MoreButtonProps {
  loading: boolean
  onMore: () => void
  children: string
}

export function MoreButton({ loading, onMore, children }: MoreButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      fullWidth
      aria-disabled={loading || undefined}
      onClick={() => (loading ? undefined : onMore())}
    >
      {loading ? 'Loading…' : children}
    </Button>
  )
}
