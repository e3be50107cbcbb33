import { useEffect, useRef, useState } from 'react'
import { beforeSignOut } from '../api/before-sign-out.ts'

type Call = () => Promise<void>

const waitingCalls = new Set<Call>()

/** Sends at once what waits for a possible undo. */
export async function sendDelayedCalls(): Promise<void> {
  await Promise.all([...waitingCalls].map(send => send()))
}

export interface DelayedCall {
  /** The call waits and can be undone. */
  isWaiting: boolean
  /** Sends the call after the delay. Has no effect while another call waits. */
  start: (call: Call) => void
  undo: () => void
}

/**
 * Holds a call back for `delayMs`, so that the person can undo what the server could not take back:
 * it notifies other people at once. Leaving the component, the page or the login session sends it
 * at once, so an act that the person has seen confirmed is never lost.
 */
export function useDelayedCall(delayMs: number): DelayedCall {
  const waiting = useRef<{ send: Call; cancel: () => void }>(undefined)
  const [isWaiting, setWaiting] = useState(false)

  useEffect(() => () => void waiting.current?.send(), [])

  function start(call: Call) {
    if (waiting.current) return
    const cancel = () => {
      clearTimeout(timer)
      waitingCalls.delete(send)
      window.removeEventListener('pagehide', send)
      unregister()
      waiting.current = undefined
      setWaiting(false)
    }
    const send = () => {
      cancel()
      return call()
    }
    const timer = setTimeout(send, delayMs)
    const unregister = beforeSignOut(send)
    waitingCalls.add(send)
    window.addEventListener('pagehide', send)
    waiting.current = { send, cancel }
    setWaiting(true)
  }

  return { isWaiting, start, undo: () => waiting.current?.cancel() }
}
