import { BadgeCount } from '../../../ui/badge-count.tsx'

export function UnreadCount({ count }: { count: number }) {
  return <BadgeCount count={count} label={`, ${count.toLocaleString()} unread`} />
}
