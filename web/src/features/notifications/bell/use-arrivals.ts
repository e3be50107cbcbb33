import { useEffect, useEffectEvent, useRef } from 'react'
import type { NotificationsPage } from '../notifications-api.ts'

/**
 * Calls when the count of what is unread has risen because something came: not at the first answer, and not when a count
 * comes back that was there before, as after a failed marking or an answer that was under way meanwhile.
 */
export function useArrivals(newest: NotificationsPage | undefined, onNews: (unread: number) => void): void {
  const before = useRef<{ unread: number; known: Set<string> }>(undefined)
  const tell = useEffectEvent(onNews)

  useEffect(() => {
    if (!newest) return
    const last = before.current
    const known = new Set(last?.known)
    for (const each of newest.notifications) if (!each.is_read) known.add(`${each.id} ${each.updated_at}`)
    before.current = { unread: newest.unread_count, known }
    if (last && newest.unread_count > last.unread && known.size > last.known.size) tell(newest.unread_count)
  }, [newest])
}
