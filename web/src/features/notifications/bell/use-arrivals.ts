import { useEffect, useEffectEvent, useRef } from 'react'
import type { NotificationsPage } from '../notifications-api.ts'

/**
 * Calls `onArrival` when a new notification raises the unread count. The first answer does not
 * count, nor does a count that returns to an earlier value, as after a failed marking.
 */
export function useArrivals(newest: NotificationsPage | undefined, onArrival: (unread: number) => void): void {
  const previous = useRef<{ unread: number; unreadKeys: Set<string> }>(undefined)
  const reportArrival = useEffectEvent(onArrival)

  useEffect(() => {
    if (!newest) return
    const earlier = previous.current
    const unreadKeys = new Set(earlier?.unreadKeys)
    for (const notification of newest.notifications)
      if (!notification.is_read) unreadKeys.add(`${notification.id} ${notification.updated_at}`)
    previous.current = { unread: newest.unread_count, unreadKeys }
    if (earlier && newest.unread_count > earlier.unread && unreadKeys.size > earlier.unreadKeys.size)
      reportArrival(newest.unread_count)
  }, [newest])
}
