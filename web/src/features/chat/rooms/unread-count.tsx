import { BadgeCount } from '../../../ui/badge-count.tsx'
import { formatNumber } from '../../../ui/format.ts'

export function UnreadCount({ count }: { count: number }) {
  return <BadgeCount count={count} label={`, ${formatNumber(count)} unread`} />
}
