import { BadgeCount } from '../../../ui/controls/badge-count.tsx'
import { formatNumber } from '../../../ui/dates/format.ts'

export function UnreadCount({ count }: { count: number }) {
  return <BadgeCount count={count} label={`, ${formatNumber(count)} unread`} />
}
