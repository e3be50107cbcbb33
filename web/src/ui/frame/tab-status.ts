import { useEffect } from 'react'
import { createSubscribable, type Settable } from '../hooks/subscribable.ts'

/** The state that the browser's tab shows while the person may look at another tab. */
export type TabSession = 'none' | 'running' | 'paused'

/** Unread notifications of the signed-in person. */
export const unreadInTab = createSubscribable(0)
/** The monitored session that is open in this tab. */
export const sessionInTab = createSubscribable<TabSession>('none')

export function useUnreadInTab(count: number): void {
  useTabStatus(unreadInTab, count, 0)
}

export function useSessionInTab(session: TabSession): void {
  useTabStatus<TabSession>(sessionInTab, session, 'none')
}

/** Sets the value while the component is mounted. */
function useTabStatus<T>(status: Settable<T>, value: T, idle: T): void {
  useEffect(() => {
    status.set(value)
    return () => status.set(idle)
  }, [status, value, idle])
}
