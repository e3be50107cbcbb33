import { useEffect } from 'react'
import { reportSessionEnded } from '../../api/send.ts'

const channelName = 'watchline-sign-out'

/** Informs the other tabs of this browser that the person's session has ended. */
export function announceSignOut(personId: string): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(personId)
  channel.close()
}

/** Ends the session in this tab, too: each tab has data that only that tab can clear. */
export function useSignOutInOtherTab(personId: string): void {
  useEffect(() => {
    if (typeof BroadcastChannel === 'undefined') return
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => {
      if (data === personId) reportSessionEnded('other-tab')
    }
    return () => channel.close()
  }, [personId])
}
