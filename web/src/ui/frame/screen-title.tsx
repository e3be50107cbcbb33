import { useSubscribable } from '../hooks/use-subscribable.ts'
import { unreadInTab } from './tab-status.ts'

const maxUnread = 99

/** The title of the browser's tab: the unread notifications and the name of the screen. */
export function ScreenTitle({ name }: { name: string }) {
  const unread = useSubscribable(unreadInTab)
  const count = unread > maxUnread ? `(${maxUnread}+) ` : unread > 0 ? `(${unread}) ` : ''
  return <title>{`${count}${name} · Watchline`}</title>
}
