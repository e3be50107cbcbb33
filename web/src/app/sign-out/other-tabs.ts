import { useEffect } from 'react'
import { reportSessionEnded } from '../../api/send.ts'
import { clearPersonStorage } from './clear-person-storage.ts'

const channelName = 'watchline-sign-out'

/** Informs the other tabs of this browser that the person has signed out. */
export function announceSignOut(personId: string): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(personId)
  channel.close()
}

/** Each tab has a storage of its own, which only that tab can clear. */
export function useSignOutInOtherTab(personId: string): void {
  useEffect(() => {
    if (typeof BroadcastChannel === 'undefined') return
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => {
      if (data !== personId) return
      clearPersonStorage(personId)
      reportSessionEnded()
    }
    return () => channel.close()
  }, [personId])
}
